// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The table behind GPUModel.h. Sources, by the short names used below:
///
///   guide      CUDA C++ Programming Guide, "Compute Capabilities": the table
///              "Technical Specifications per Compute Capability" and the
///              sections "Shared Memory" of each capability.
///   tuning     The architecture's CUDA tuning guide, sections "Occupancy" and
///              "Unified Shared Memory/L1/Texture Cache".
///   occupancy  The toolkit's cuda_occupancy.h (13.0), by function name. The
///              unit test compares each of these with the header.
///   libcu++    cuda::arch_traits, libcudacxx/include/cuda/__device/
///              arch_traits.h in NVIDIA/cccl.

#include "sluice/Target/GPUModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

// occupancy: cudaOccAlignUpShmemSizeVoltaPlus. KiB.
static constexpr unsigned VoltaCarveouts[] = {0, 8, 16, 32, 64, 96};
static constexpr unsigned TuringCarveouts[] = {32, 64};
static constexpr unsigned GA100Carveouts[] = {0, 8, 16, 32, 64, 100, 132, 164};
static constexpr unsigned ClientCarveouts[] = {0, 8, 16, 32, 64, 100};
static constexpr unsigned HopperCarveouts[] = {0,   8,   16,  32,  64,
                                               100, 132, 164, 196, 228};

/// What all the architectures here share, and what follows from the compute
/// capability by a rule.
static constexpr GPUModel common(StringLiteral Name, unsigned Major,
                                 unsigned Minor, unsigned DefaultSMs) {
  GPUModel M{};
  M.Name = Name;
  M.Major = Major;
  M.Minor = Minor;
  M.DefaultSMs = DefaultSMs;

  // libcu++: reserved_shared_memory_per_block; tuning: "CUDA reserves 1 KB of
  // shared memory per thread block" from compute capability 8.0 on.
  M.ReservedSharedPerBlockBytes = Major >= 8 ? 1024 : 0;
  M.SharedAllocationUnitBytes =
      Major >= 8 ? 128 : 256; // occupancy: cudaOccSMemAllocationGranularity

  // Nsight Compute's documentation, "Memory Tables": an L1 cache line is 128
  // bytes in four sectors of 32 bytes.
  M.LineBytes = 128;
  M.SectorBytes = 32;
  // Measured on sm_90 (benchmarks/results/2026-11-h100-micro/store.csv): a load
  // of the word just stored hits, of its sector's other words misses. Taken to
  // hold for all L1s since Volta.
  M.L1AllocatesOnStore = true;

  M.WarpSize = 32;         // guide: "Warp size"
  M.Registers = 64 * 1024; // guide: "32-bit registers per multiprocessor"

  // guide: "Maximum number of 32-bit registers per thread". 255 can be named;
  // cudaOccRegAllocationMaxPerThread says 256, which is what 255 are rounded up
  // to when a warp is given its registers.
  M.MaxRegistersPerThread = 255;
  M.RegisterAllocationUnit = 256; // occupancy: cudaOccRegAllocationGranularity
  M.SubPartitions = 4; // occupancy: cudaOccSubPartitionsPerMultiprocessor
  return M;
}

static constexpr void setResidency(GPUModel &M, unsigned MaxWarps,
                                   unsigned MaxBlocks) {
  M.MaxWarps = MaxWarps; // guide: "Maximum number of resident warps per SM"
  M.MaxThreads = MaxWarps * M.WarpSize;
  M.MaxBlocks = MaxBlocks; // occupancy: cudaOccMaxBlocksPerMultiprocessor
}

template <size_t N>
static constexpr void setMemory(GPUModel &M, unsigned UnifiedKiB,
                                const unsigned (&CarveoutKiB)[N]) {
  M.UnifiedKiB = UnifiedKiB;
  M.CarveoutKiB = CarveoutKiB;
  // guide: "Maximum amount of shared memory per thread block": 96, 64, 163, 99,
  // 227 KB; libcu++ writes it as this difference.
  M.MaxSharedPerBlockBytes =
      CarveoutKiB[N - 1] * 1024 - M.ReservedSharedPerBlockBytes;
}

/// The SM of the client and workstation chips since Ampere, and of GB10.
/// guide: unified data cache of 128 KB, 48 warps, for 8.6, 8.9 and 12.x.
static constexpr GPUModel client(StringLiteral Name, unsigned Major,
                                 unsigned Minor, unsigned MaxBlocks,
                                 unsigned DefaultSMs) {
  GPUModel M = common(Name, Major, Minor, DefaultSMs);
  setMemory(M, 128, ClientCarveouts);
  setResidency(M, 48, MaxBlocks);
  return M;
}

/// The SM of the data-centre chips since Hopper.
/// guide: unified data cache of 256 KB, 64 warps, for 9.0 and 10.x.
static constexpr GPUModel dataCentre(StringLiteral Name, unsigned Major,
                                     unsigned Minor, unsigned DefaultSMs) {
  GPUModel M = common(Name, Major, Minor, DefaultSMs);
  setMemory(M, 256, HopperCarveouts);
  setResidency(M, 64, 32);
  return M;
}

// SMs: Tesla V100 whitepaper, 80 of GV100's 84. Cache: Volta tuning, 128 KB.
static constexpr GPUModel sm70() {
  GPUModel M = common("sm_70", 7, 0, 80);
  setMemory(M, 128, VoltaCarveouts);
  setResidency(M, 64, 32);
  return M;
}

// SMs: Turing whitepaper, TU102 (Titan RTX, Quadro RTX 8000). Cache: Turing
// tuning, 96 KB.
static constexpr GPUModel sm75() {
  GPUModel M = common("sm_75", 7, 5, 72);
  setMemory(M, 96, TuringCarveouts);
  setResidency(M, 32, 16);
  return M;
}

// SMs: A100 whitepaper, 108 of GA100's 128. Cache: Ampere tuning, 192 KB.
static constexpr GPUModel sm80() {
  GPUModel M = common("sm_80", 8, 0, 108);
  setMemory(M, 192, GA100Carveouts);
  setResidency(M, 64, 32);
  return M;
}

static constexpr GPUModel Models[] = {
    sm70(),
    sm75(),
    sm80(),
    // SMs: GA102 whitepaper (GeForce RTX 3090 Ti, A40, RTX A6000).
    client("sm_86", 8, 6, 16, 84),
    // SMs: Ada whitepaper, AD102: 142 of 144 (RTX 6000 Ada, L40S).
    client("sm_89", 8, 9, 24, 142),
    // SMs: H100 whitepaper, 132 of GH100's 144 in H100 SXM (H200, GH200 too).
    // Its memory is an H100's.
    dataCentre("sm_90", 9, 0, 132),
    // SMs: cudaDeviceProp::multiProcessorCount of GB200; a B200 has 148.
    dataCentre("sm_100", 10, 0, 152),
    // SMs: cudaDeviceProp::multiProcessorCount of GB300; a B300 has 148. The
    // 160 of NVIDIA's "Inside NVIDIA Blackwell Ultra" count the whole die.
    dataCentre("sm_103", 10, 3, 152),
    // SMs: RTX Blackwell PRO whitepaper, GB202: 188 of 192 (RTX PRO 6000).
    client("sm_120", 12, 0, 24, 188),
    // SMs: GB10 (DGX Spark): 6,144 CUDA cores, 128 an SM.
    client("sm_121", 12, 1, 24, 48),
};

static constexpr GPUModel chip(StringLiteral Name, GPUModel M) {
  M.Chip = Name;
  return M;
}

static constexpr GPUModel Chips[] = {
    chip("h200", dataCentre("sm_90", 9, 0, 132)),
};

unsigned GPUModel::carveoutOfPercent(unsigned Percent) const {
  for (unsigned KiB : CarveoutKiB)
    if (percentOfCarveout(KiB) >= Percent)
      return KiB;
  return CarveoutKiB.back();
}

// Fitted to benchmarks/results/2026-11-h100-micro/carveout.csv (driver 580.159,
// H100: all 55 of 5 block sizes by 11 shared-memory sizes). The driver makes
// room for more blocks than fit, up to what an SM can hold: for four times as
// many where blocks use no shared memory but the reservation, for twice as many
// where they do, but then for no more than 132 KiB unless those that fit need
// it. That the L1 is what remains was measured too, by capacity.csv. Taken to
// hold for the other architectures.
unsigned GPUModel::defaultCarveoutKiB(unsigned BlocksPerSM,
                                      uint64_t SharedPerBlockBytes) const {
  constexpr uint64_t MostSpareBytes = uint64_t(132) * 1024;
  uint64_t PerBlock = alignTo(SharedPerBlockBytes + ReservedSharedPerBlockBytes,
                              SharedAllocationUnitBytes);
  uint64_t Needed = BlocksPerSM * PerBlock;
  uint64_t Wanted;
  if (SharedPerBlockBytes == 0) {
    Wanted = std::min(4 * BlocksPerSM, MaxBlocks) * PerBlock;
  } else {
    unsigned Blocks = BlocksPerSM <= 2 ? BlocksPerSM : 2 * BlocksPerSM;
    Wanted = std::min(std::min(Blocks, MaxBlocks) * PerBlock, MostSpareBytes);
  }
  Wanted = std::max(Wanted, Needed);
  for (unsigned KiB : CarveoutKiB)
    if (uint64_t(KiB) * 1024 >= Wanted)
      return KiB;
  return CarveoutKiB.back();
}

ArrayRef<GPUModel> sluice::allGPUModels() { return Models; }
ArrayRef<GPUModel> sluice::allChips() { return Chips; }

const GPUModel &sluice::chipOr(StringRef Chip, const GPUModel &GPU) {
  for (const GPUModel &M : Chips)
    if (M.Chip == Chip && M.Name == GPU.Name)
      return M;
  return GPU;
}

Expected<const GPUModel *> sluice::findGPUModel(StringRef Name) {
  // PTX ISA, ".target": "a" (architecture-specific) targets begin at sm_90, "f"
  // (family-specific) ones at sm_100.
  StringRef Number = Name;
  Number.consume_front("sm_");
  unsigned FirstMajor = 0;
  if (Number.consume_back("a"))
    FirstMajor = 9;
  else if (Number.consume_back("f"))
    FirstMajor = 10;

  for (const GPUModel &M : Models)
    if (M.Name.drop_front(3) == Number && M.Major >= FirstMajor)
      return &M;
  for (const GPUModel &M : Chips)
    if (M.Chip == Name)
      return &M;

  std::string Known = join(
      map_range(Models, [](const GPUModel &M) { return M.Name.str(); }), ", ");
  for (const GPUModel &M : Chips)
    Known += ", " + M.Chip.str();
  return createStringError("unknown GPU architecture '" + Name +
                           "'; the known ones are " + Known);
}
