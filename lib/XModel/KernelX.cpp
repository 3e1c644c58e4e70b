// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/XModel/KernelX.h"
#include "sluice/Target/MemoryModel.h"
#include "sluice/Target/Occupancy.h"
#include "sluice/XModel/LocalityFit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace llvm;
using namespace sluice;

double KernelX::gigabytesPerSecond(double Bytes) const {
  const unsigned Active =
      Launch.GridBlocks ? unsigned(std::min<uint64_t>(Launch.GridBlocks, SMs))
                        : SMs;
  return Bytes * Active * memoryModel(*GPU).ClockGHz;
}

double KernelX::microseconds(double Cycles) const {
  return Cycles / memoryModel(*GPU).ClockGHz / 1000;
}

/// How much longer the slowest of \p Count takes than one, where each takes an
/// exponential time more, of the mean \p Spread: Spread (H_Count - 1).
static double slowestOf(double Count, double Spread) {
  constexpr double EulerGamma = 0.5772156649;
  return Count <= 1
             ? 0
             : Spread * (std::log(Count) + EulerGamma - 1 + 1 / (2 * Count));
}

//===- What is common -----------------------------------------------------===//

/// The SM and the code, without what depends on data.
static XModel modelOf(const CodeMix &Mix, const GPUModel &GPU,
                      const LaunchX &Launch) {
  const MemoryModel Memory = memoryModel(GPU);
  XModel M;
  M.Lanes = Mix.Lanes;
  M.LaneCycles = Memory.ArithmeticCycles;
  M.Parallelism = Mix.Parallelism;
  M.Threads = Launch.warps();
  M.CacheBytes =
      std::max<double>(0, double(Launch.L1Bytes) - Memory.L1ReservedBytes);
  return M;
}

/// The most warps, then the most blocks.
static const LaunchX &largestOf(ArrayRef<LaunchX> Launches) {
  return *std::max_element(Launches.begin(), Launches.end(),
                           [](const LaunchX &A, const LaunchX &B) {
                             return std::pair(A.warps(), A.GridBlocks) <
                                    std::pair(B.warps(), B.GridBlocks);
                           });
}

//===- With a profile -----------------------------------------------------===//

namespace {
/// Sums over what was simulated.
struct Traffic {
  double Requests = 0, Lines = 0, Bytes = 0, Useful = 0; ///< Of loads.
  double Hits = 0, Pending = 0;                          ///< Bytes.
  double Missed = 0, FromDRAM = 0;                       ///< Bytes.
  ReuseHistogram Reuse;
};
} // namespace

static Traffic trafficOf(const KernelProfile &Of, unsigned SectorBytes) {
  Traffic T;
  for (const AccessProfile &A : Of.Accesses) {
    if (A.Kind == "store")
      continue; // no warp waits for it; the memory is busy with it (Supply)
    T.Requests += double(A.Counts.Requests);
    T.Lines += double(A.Counts.Lines);
    T.Bytes += double(A.Counts.Sectors) * SectorBytes;
    T.Useful += double(A.Counts.UsefulBytes);
    T.Hits += double(A.Counts.Hits) * SectorBytes;
    T.Pending += double(A.Counts.PendingHits) * SectorBytes;
    T.Missed += double(A.Counts.misses()) * SectorBytes;
    T.FromDRAM += double(A.Counts.DRAMSectors) * SectorBytes;
    T.Reuse += A.Reuse;
  }
  return T;
}

static Expected<std::vector<LaunchX>> launchesOf(const KernelProfile &Of,
                                                 const GPUModel &GPU,
                                                 unsigned SMs,
                                                 uint64_t StaticSharedBytes) {
  std::vector<LaunchX> Launches;
  for (const LaunchProfile &L : Of.Launches) {
    const std::optional<uint64_t> Threads = L.Block.total(),
                                  Blocks = L.Grid.total();
    if (!Threads || !Blocks)
      continue;
    BlockResources Block;
    Block.ThreadsPerBlock = unsigned(*Threads);
    Block.RegistersPerThread = Of.Registers ? Of.Registers : 32;
    Block.StaticSharedBytes = StaticSharedBytes;
    Block.DynamicSharedBytes = L.DynamicSharedBytes;
    auto O = computeOccupancy(GPU, Block, Blocks, SMs);
    if (!O)
      return O.takeError();
    Launches.push_back({unsigned(divideCeil(*Threads, GPU.WarpSize)),
                        O->BlocksPerSM, *Blocks, L.Launches,
                        Of.L1Bytes ? Of.L1Bytes : O->L1Bytes, O->LimitedBy});
  }
  return Launches;
}

/// What the memory behind the L1 takes for what \p T missed.
static void takeMemory(XModel &M, const KernelProfile &Of, const Traffic &T,
                       const GPUModel &GPU, unsigned SMs) {
  const MemoryModel Memory = memoryModel(GPU);
  const double FromDRAM = T.Missed > 0 ? T.FromDRAM / T.Missed : 0;
  const double Waits = T.Bytes / M.RequestBytes;
  const double LinesPerWait = T.Lines / Waits;
  const double TagCycles = double(Of.Time.TagCycles) / Waits;
  const double Spread = Memory.L2SpreadCycles * (1 - FromDRAM) +
                        Memory.DRAMSpreadCycles * FromDRAM;
  M.MemoryCycles = Memory.L2HitCycles * (1 - FromDRAM) +
                   Memory.DRAMCycles * FromDRAM + TagCycles +
                   slowestOf(LinesPerWait, Spread);
  // What is on its way comes half a latency later, in the mean.
  const double Found = T.Hits + T.Pending;
  M.CacheCycles = Memory.L1HitCycles + TagCycles +
                  (Found > 0 ? T.Pending / Found * M.MemoryCycles / 2 : 0);
  // The busier of the L2 and DRAM, with stores and partial lines as the
  // profile has them. Where all hit, an SM's share of the L2.
  const double Busy = double(std::max(Of.Time.L2Cycles, Of.Time.DRAMCycles));
  M.Supply = T.Missed > 0 && Busy > 0 ? T.Missed / Busy
                                      : std::min(Memory.L2BytesPerCyclePerSM,
                                                 Memory.L2BytesPerCycle / SMs);
  if (Of.Time.TagCycles)
    M.CacheSupply = T.Bytes / double(Of.Time.TagCycles);
}

/// For a share of the cache of each of \p Threads threads.
static LocalityFit fitOf(const Traffic &T, const XModel &M,
                         const GPUModel &GPU) {
  std::vector<HitPoint> Points =
      hitPoints(T.Reuse, M.Threads, M.CacheBytes, GPU.LineBytes);
  // What the simulated L1 did is no estimate: it has sets and its own order.
  if (!Points.empty() && T.Bytes > 0)
    Points.push_back({M.CacheBytes / M.Threads, (T.Hits + T.Pending) / T.Bytes,
                      double(Points.size())});
  return fitLocality(Points);
}

/// Milliseconds of all launches, each with so many operations a cycle as there
/// are with its warps on an SM.
static double
millisecondsAt(const KernelX &K,
               function_ref<double(unsigned Warps)> OperationsOf) {
  const MemoryModel Memory = memoryModel(*K.GPU);
  double Nanoseconds = 0;
  // Of hundreds of shapes most have the same.
  std::map<unsigned, double> ByWarps;
  for (const LaunchX &L : K.Launches) {
    auto [At, IsNew] = ByWarps.try_emplace(L.warps());
    if (IsNew)
      At->second = OperationsOf(L.warps());
    const double Operations = At->second;
    if (Operations <= 0)
      continue;
    const double Blocks = double(divideCeil(L.GridBlocks, std::max(1u, K.SMs)));
    Nanoseconds += double(L.Launches) * (Blocks * K.InstructionsPerBlock /
                                             Operations / Memory.ClockGHz +
                                         Memory.LaunchNanoseconds);
  }
  return Nanoseconds / 1e6;
}

double sluice::predictedMilliseconds(const KernelX &K,
                                     function_ref<void(XModel &)> Change) {
  return millisecondsAt(K, [&](unsigned Warps) {
    XModel M = K.Model;
    M.Threads = Warps;
    Change(M);
    return operations(M, settled(M));
  });
}

uint64_t KernelX::launches() const {
  uint64_t Sum = 0;
  for (const LaunchX &L : Launches)
    Sum += L.Launches;
  return Sum;
}

Expected<KernelX> sluice::kernelXOf(const KernelProfile &Of, const CodeMix &Mix,
                                    const GPUModel &GPU, unsigned SMs,
                                    uint64_t StaticSharedBytes) {
  auto Launches = launchesOf(Of, GPU, SMs, StaticSharedBytes);
  if (!Launches)
    return Launches.takeError();
  const Traffic T = trafficOf(Of, GPU.SectorBytes);
  if (Launches->empty() || T.Bytes == 0 || !Of.SimulatedBlocks)
    return createStringError("the profile has no loads of '" + Of.Name + "'");
  KernelX K;
  K.Name = Of.Name;
  K.GPU = &GPU;
  K.SMs = SMs;
  K.Launches = std::move(*Launches);
  K.Launch = largestOf(K.Launches);
  K.Mix = Mix;
  K.IsProfiled = true;
  K.UsefulShare = std::min(1.0, T.Useful / T.Bytes);
  K.LinesPerRequest = T.Lines / T.Requests;
  K.SimulatedHitRate = (T.Hits + T.Pending) / T.Bytes;
  const double Instructions = double(Of.Time.IssueCycles) * GPU.SubPartitions;
  K.InstructionsPerBlock = Instructions / double(Of.SimulatedBlocks);

  K.Model = modelOf(Mix, GPU, K.Launch);
  K.Model.Intensity = std::max(Instructions, 1.0) / T.Bytes;
  K.Model.RequestBytes =
      T.Bytes / (T.Requests / std::max(1.0, Mix.loadsPerWait()));
  takeMemory(K.Model, Of, T, GPU, SMs);
  const LocalityFit Fit = fitOf(T, K.Model, GPU);
  K.Model.Reuse = Fit.Reuse;
  K.FitError = Fit.Error;
  K.Equation35Milliseconds = predictedMilliseconds(K, [](XModel &) {});
  K.Model.HitCurve =
      hitCurve(T.Reuse, K.Model.Threads, GPU.LineBytes,
               {K.Model.CacheBytes / K.Model.Threads, *K.SimulatedHitRate, 1});

  K.Milliseconds = predictedMilliseconds(K, [](XModel &) {});
  K.WithoutCacheMilliseconds =
      predictedMilliseconds(K, [](XModel &M) { M = withoutCache(M); });
  K.L2Share = T.Missed / T.Bytes;
  K.DRAMShare = T.FromDRAM / T.Bytes;
  if (Of.Time.L2Cycles)
    K.L2Rate = T.Missed / double(Of.Time.L2Cycles);
  if (Of.Time.DRAMCycles)
    K.DRAMRate = T.FromDRAM / double(Of.Time.DRAMCycles);
  K.RooflineMilliseconds = millisecondsAt(K, [&](unsigned) {
    const double Memory = K.Model.Intensity * K.Model.Supply;
    return K.L2Share > 0 ? std::min(K.Model.Lanes, Memory / K.L2Share)
                         : K.Model.Lanes;
  });
  K.SimulatedMilliseconds = double(Of.Time.Nanoseconds) / 1e6;
  return K;
}

//===- Without one --------------------------------------------------------===//

KernelX sluice::kernelXOf(StringRef Name, const CodeMix &Mix,
                          const GPUModel &GPU, unsigned SMs,
                          const LaunchX &Launch,
                          const std::optional<LoopReads> &Reads) {
  const MemoryModel Memory = memoryModel(GPU);
  const LoopReads Read = Reads.value_or(LoopReads());
  KernelX K;
  K.Name = Name.str();
  K.GPU = &GPU;
  K.SMs = SMs;
  K.Launch = Launch;
  K.Mix = Mix;
  K.LinesPerRequest = Read.LinesPerLoad;
  K.UsefulShare = Read.UsefulShare;
  XModel &M = K.Model = modelOf(Mix, GPU, Launch);
  const double LoadBytes = Read.SectorsPerLoad * GPU.SectorBytes;
  M.RequestBytes = LoadBytes * std::max(1.0, Mix.loadsPerWait());
  M.Intensity = Mix.Loads > 0 ? Mix.Instructions / (Mix.Loads * LoadBytes)
                              : Mix.Instructions / LoadBytes;
  const double Lines = Read.LinesPerLoad * std::max(1.0, Mix.loadsPerWait());
  const double TagCycles =
      std::max(Memory.RequestCycles * std::max(1.0, Mix.loadsPerWait()),
               Lines / Memory.TagLinesPerCycle);
  M.MemoryCycles =
      Memory.DRAMCycles + TagCycles + slowestOf(Lines, Memory.DRAMSpreadCycles);
  M.CacheCycles = Memory.L1HitCycles + TagCycles;
  M.CacheSupply = M.RequestBytes / TagCycles;
  M.Supply = Memory.DRAMBytesPerCycle / SMs;
  if (Read.SectorsPerLoad < Read.LinesPerLoad * 4)
    M.Supply /= Memory.DRAMPartialLineFactor;
  if (Read.ReusedShare > 0 && M.Threads > 0) {
    // All that is used again is used after one iteration of all warps.
    const double Needed = Read.FootprintBytes / M.Threads;
    std::vector<HitPoint> Points;
    for (double Share = M.CacheBytes / M.Threads; Share <= M.CacheBytes;
         Share *= 2)
      Points.push_back({Share, Share >= Needed ? Read.ReusedShare : 0.0, 1});
    const LocalityFit Fit = fitLocality(Points);
    M.Reuse = Fit.Reuse;
    K.FitError = Fit.Error;
  }
  return K;
}
