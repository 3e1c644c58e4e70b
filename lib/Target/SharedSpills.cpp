// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/SharedSpills.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/CriticalPoints.h"
#include "sluice/Target/KernelDirectives.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;
using namespace sluice;

static AssemblyRequest enabled(const AssemblyRequest &Code,
                               const StringSet<> &Kernels) {
  return {enableSharedSpills(Code.PTX, Kernels), Code.Arch, Code.OptLevel,
          Code.Relocatable};
}

/// Puts into \p Results what there is of \p Kernel alone.
static void assembleAlone(const AssemblyCache &Cache,
                          ArrayRef<SharedSpillRequest> Requests,
                          StringRef Kernel,
                          MutableArrayRef<AssembledKernels> Results) {
  const StringSet<> Alone = {Kernel};
  std::vector<AssemblyRequest> Asked;
  std::vector<AssembledKernels *> Of;
  for (auto [Request, Result] : zip_equal(Requests, Results))
    if (Request.Kernels.contains(Kernel)) {
      Asked.push_back(enabled(Request.Code, Alone));
      Of.push_back(&Result);
    }
  auto Assembled = Cache.assembleAll(Asked);
  if (!Assembled) // the kernel is one that cannot
    return consumeError(Assembled.takeError());
  for (auto [Result, Code] : zip_equal(Of, *Assembled))
    (*Result)[Kernel] = Code.lookup(Kernel);
}

std::vector<AssembledKernels>
sluice::assembleSharedSpills(const AssemblyCache &Cache,
                             ArrayRef<SharedSpillRequest> Requests) {
  std::vector<AssembledKernels> Results(Requests.size());
  std::vector<AssemblyRequest> Asked;
  std::set<StringRef> All;
  for (const SharedSpillRequest &Request : Requests) {
    Asked.push_back(enabled(Request.Code, Request.Kernels));
    for (const auto &Kernel : Request.Kernels)
      All.insert(Kernel.getKey());
  }
  if (auto Assembled = Cache.assembleAll(Asked)) {
    for (auto [Request, Result, Code] :
         zip_equal(Requests, Results, *Assembled))
      for (const auto &Kernel : Request.Kernels)
        Result[Kernel.getKey()] = Code.lookup(Kernel.getKey());
    return Results;
  } else {
    consumeError(Assembled.takeError());
  }
  if (All.size() > 1)
    for (StringRef Kernel : All)
      assembleAlone(Cache, Requests, Kernel, Results);
  return Results;
}

std::string sluice::whyNotShared(const GPUModel &GPU, unsigned SMs,
                                 ArrayRef<LaunchShape> Launches,
                                 const AssembledKernel &Local,
                                 const AssembledKernel &Shared) {
  if (Shared.spilledBytes() >= Local.spilledBytes())
    return "the assembler puts nothing into shared memory";
  for (const LaunchShape &Shape : Launches) {
    if (Shared.StaticSharedBytes + Shape.DynamicSharedBytes >
        MostSharedWithoutOptIn)
      return formatv("with {0} bytes of shared memory, beside {1} dynamic "
                     "ones, a block would have more than {2}",
                     Shared.StaticSharedBytes, Shape.DynamicSharedBytes,
                     MostSharedWithoutOptIn);
    const unsigned Before =
        blocksPerSM(GPU, Shape.block(Local), Shape.GridBlocks, SMs);
    const unsigned After =
        blocksPerSM(GPU, Shape.block(Shared), Shape.GridBlocks, SMs);
    if (After < Before)
      return formatv("with {0} bytes of shared memory an SM would hold {1} "
                     "of {2} blocks of {3} threads",
                     Shared.StaticSharedBytes, After, Before, Shape.Threads);
  }
  return "";
}

uint64_t sluice::spareSharedBytes(const GPUModel &GPU, unsigned SMs,
                                  ArrayRef<LaunchShape> Launches,
                                  const AssembledKernel &Code) {
  uint64_t Spare = MostSharedWithoutOptIn;
  for (const LaunchShape &Shape : Launches) {
    const uint64_t Own = Code.StaticSharedBytes + Shape.DynamicSharedBytes;
    const unsigned Blocks =
        blocksPerSM(GPU, Shape.block(Code), Shape.GridBlocks, SMs);
    if (Own >= MostSharedWithoutOptIn || Blocks == 0)
      return 0;
    const uint64_t OfBlock =
        alignDown(uint64_t(GPU.CarveoutKiB.back()) * 1024 / Blocks,
                  GPU.SharedAllocationUnitBytes);
    const uint64_t Taken = Own + GPU.ReservedSharedPerBlockBytes;
    Spare = std::min({Spare, MostSharedWithoutOptIn - Own,
                      OfBlock - std::min(OfBlock, Taken)});
  }
  return Spare;
}
