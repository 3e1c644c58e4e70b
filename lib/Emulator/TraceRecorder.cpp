// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks count as dealt to the SMs in turn. One SM, in the middle, is traced
// whole; of a few others, nearer and farther, only the lines that they touch
// are looked at.

#include "TraceRecorder.h"
#include "sluice/Simulator/LineSharing.h"
#include "sluice/Simulator/WarpBuilder.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/Demangle/Demangle.h"
#include <algorithm>
#include <mutex>

using namespace sluice;
using namespace sluice::emulator;

namespace {

/// Global memory of the emulated device ends below 2^45.
constexpr uint64_t LocalMemory = uint64_t(1) << 50;
constexpr uint64_t LocalBytesOfWarp = uint64_t(1) << 24;

struct BlockBuilder {
  uint64_t Number = 0;
  std::vector<WarpBuilder> Warps;
};

class TraceRecorder : public Observer {
public:
  TraceRecorder(const RecorderOptions &Options, TraceConsumer Consumer)
      : Options(Options), Consumer(std::move(Consumer)) {}

  bool threadSafe() const override { return true; }
  void launch(const LaunchFacts &L) override;
  bool wants(uint64_t Block) const override {
    return isTraced(Block) || otherSM(Block) >= 0;
  }
  bool skips(uint64_t Block) const override { return MaySkip && !wants(Block); }
  void blockStarted(uint64_t Block, unsigned Threads) override;
  void blockEnded(uint64_t Block) override;
  void blockEntered(const WarpPlace &P, uint32_t /*Lanes*/,
                    const BlockSummary &B) override {
    std::lock_guard<std::mutex> Guard(Lock);
    if (BlockBuilder *Of = find(P.Block))
      Of->Warps[P.Warp].enter(B, Current.Sites);
  }
  void access(const MemoryAccess &A, WarpThreads) override;
  void barrier(uint64_t Block, unsigned Warp, uint32_t /*Lanes*/) override {
    if (Warp != ~0u || !isTraced(Block))
      return;
    std::lock_guard<std::mutex> Guard(Lock);
    BlockBuilder *Of = find(Block);
    if (Of)
      for (WarpBuilder &W : Of->Warps)
        W.barrier();
  }
  void launchEnded() override;

private:
  // Samples of what other SMs touch, at these distances.
  static constexpr unsigned Distances[] = {1, 3, 6, 12, 24, 48};
  static constexpr unsigned OtherSMs = std::size(Distances);
  unsigned OthersFor[OtherSMs] = {}; ///< How many SMs each stands for.

  // 1, 2 to 3, 4 to 7, 8 to 15 and so on.
  static unsigned sizeOfRange(unsigned Distance) {
    return llvm::bit_floor(Distance);
  }
  bool isTraced(uint64_t Block) const {
    return Tracing && Block % ActiveSMs == SM && Block < EndOfWaves;
  }
  int otherSM(uint64_t Block) const {
    if (!Tracing || Block >= EndOfWaves)
      return -1;
    const uint64_t Of = Block % ActiveSMs;
    for (unsigned I = 0; I < NumOthers; ++I)
      if (Of == Others[I])
        return int(I);
    return -1;
  }
  BlockBuilder *find(uint64_t Block) {
    if (Last && Last->Number == Block)
      return Last;
    auto It = Blocks.find(Block);
    return Last = It == Blocks.end() ? nullptr : It->second.get();
  }
  uint64_t endOfWaves() const;

  RecorderOptions Options;
  TraceConsumer Consumer;
  std::mutex Lock; ///< Of what blocks change, below.
  LaunchTrace Current;
  bool Selected = false; ///< Is the kernel one of those to be profiled?
  bool Tracing = false;
  bool MaySkip = false;
  uint64_t EndOfWaves = 0; ///< Number of the first block behind them.
  bool Full = false;
  unsigned ActiveSMs = 1, SM = 0;
  unsigned Others[OtherSMs] = {}, NumOthers = 0;
  uint64_t Words = 0;
  LineSharing Sharing;
  llvm::DenseMap<uint64_t, std::unique_ptr<BlockBuilder>> Blocks;
  BlockBuilder *Last = nullptr;
  llvm::StringMap<unsigned> LaunchesOf;
};

} // namespace

void TraceRecorder::launch(const LaunchFacts &L) {
  auto NameHolds = [&](const std::string &Text) {
    return llvm::demangle(L.Kernel.Name).find(Text) != std::string::npos;
  };
  Selected = (Options.Kernel.empty() || NameHolds(Options.Kernel)) &&
             (Options.NotKernel.empty() || !NameHolds(Options.NotKernel));
  Tracing = Selected && LaunchesOf[L.Kernel.Name]++ % Options.EachLaunch == 0;
  // Blocks of these wait for each other.
  MaySkip = Options.OnlySample && Selected && !L.Shape.Cooperative &&
            L.Shape.Cluster.count() <= 1;
  Current = LaunchTrace();
  Blocks.clear();
  Last = nullptr;
  Words = 0;
  Full = false;
  Current.Kernel = L.Kernel.Name;
  Current.Grid = {L.Shape.Grid.X, L.Shape.Grid.Y, L.Shape.Grid.Z};
  Current.Block = {L.Shape.Block.X, L.Shape.Block.Y, L.Shape.Block.Z};
  Current.Registers = L.Kernel.Registers;
  Current.StaticSharedBytes = L.Kernel.StaticSharedBytes;
  Current.DynamicSharedBytes = L.Shape.DynamicSharedBytes;
  Current.CarveoutPercent = L.Kernel.PreferredCarveout;
  if (Tracing)
    Current.Sites = L.Code;
  ActiveSMs = unsigned(std::min<uint64_t>(Options.SMs, L.Shape.Grid.count()));
  // One in the middle: the first and last may have less to do.
  SM = ActiveSMs / 2;
  EndOfWaves = endOfWaves();
  NumOthers = 0;
  // Each for those about as far away on either side: near SMs share more, and
  // are few.
  unsigned Left = ActiveSMs - 1;
  for (unsigned Distance : Distances)
    if (Distance * 2 <= ActiveSMs) {
      OthersFor[NumOthers] = std::min(Left, 2 * sizeOfRange(Distance));
      Left -= OthersFor[NumOthers];
      Others[NumOthers++] = (SM + Distance) % ActiveSMs;
    }
  if (NumOthers)
    OthersFor[NumOthers - 1] += Left;
  Sharing.start(llvm::ArrayRef(OthersFor, NumOthers));
}

uint64_t TraceRecorder::endOfWaves() const {
  if (!Options.Waves)
    return ~uint64_t(0);
  BlockResources Block;
  Block.ThreadsPerBlock = Current.blockThreads();
  Block.RegistersPerThread = Current.Registers;
  Block.StaticSharedBytes = Current.StaticSharedBytes;
  Block.DynamicSharedBytes = Current.DynamicSharedBytes;
  auto O = computeOccupancy(*Options.GPU, Block, std::nullopt, ActiveSMs);
  if (!O) { // which the profiler reports
    llvm::consumeError(O.takeError());
    return ActiveSMs;
  }
  return uint64_t(Options.Waves) * O->BlocksPerSM * ActiveSMs;
}

void TraceRecorder::blockStarted(uint64_t Block, unsigned Threads) {
  if (!isTraced(Block))
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  if (Full)
    return;
  auto B = std::make_unique<BlockBuilder>();
  B->Number = Block;
  B->Warps.resize((Threads + 31) / 32);
  Blocks[Block] = std::move(B);
}

void TraceRecorder::access(const MemoryAccess &A, WarpThreads) {
  if (A.Site == MemoryAccess::NoSite || !A.Lanes)
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  AccessSite &Site = Current.Sites.Accesses[A.Site];
  const unsigned First = unsigned(__builtin_ctz(A.Lanes));
  const AccessSpace Space = A.Space[First];
  BlockBuilder *Of = find(A.Place.Block);
  if (!Of) {
    int Other = otherSM(A.Place.Block);
    if (Other < 0 || Space != AccessSpace::Global)
      return;
    Sharing.touch(unsigned(Other), A.Lanes, A.Addresses, A.Bytes);
    return;
  }
  if (!Site.Bytes) { // inline PTX: seen only now
    Site.Bytes = uint8_t(A.Bytes);
    Site.Kind = A.IsAtomic  ? AccessSite::Atomic
                : A.IsWrite ? AccessSite::Store
                            : AccessSite::Load;
  }
  const bool GivesValue = Site.Kind != AccessSite::Store;
  if (Space == AccessSpace::Global) {
    Of->Warps[A.Place.Warp].access(A.Site, A.Lanes, A.Addresses, GivesValue);
    return;
  }
  uint64_t Addresses[32];
  if (Space == AccessSpace::Shared) {
    Site.Space = AccessSite::Shared;
    std::copy_n(A.Addresses, 32, Addresses);
  } else {
    // The lanes' words lie side by side.
    Site.Space = AccessSite::Local;
    uint64_t Base =
        LocalMemory +
        (A.Place.Block * Of->Warps.size() + A.Place.Warp) * LocalBytesOfWarp;
    for (unsigned L = 0; L < 32; ++L)
      Addresses[L] = Base + A.Addresses[L] * 32 + uint64_t(L) * A.Bytes;
  }
  Of->Warps[A.Place.Warp].access(A.Site, A.Lanes, Addresses, GivesValue);
}

void TraceRecorder::blockEnded(uint64_t Block) {
  if (!isTraced(Block))
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  BlockBuilder *Of = find(Block);
  if (!Of)
    return;
  BlockTrace T;
  T.Number = Block;
  for (WarpBuilder &W : Of->Warps) {
    T.Warps.push_back(W.take(Current.Sites));
    Words += T.Warps.back().Words.size();
  }
  Current.Blocks.push_back(std::move(T));
  Full = Words >= Options.MostWords;
  Blocks.erase(Block);
  Last = nullptr;
}

void TraceRecorder::launchEnded() {
  if (!Selected)
    return;
  // They have ended in whatever order the CPU's threads ran them.
  llvm::sort(Current.Blocks, [](const BlockTrace &A, const BlockTrace &B) {
    return A.Number < B.Number;
  });
  if (Tracing)
    Current.SharedByOtherSM = Sharing.shareOf(Current);
  Current.ActiveSMs = ActiveSMs;
  Consumer(std::move(Current));
  Current = LaunchTrace();
}

std::unique_ptr<Observer>
sluice::emulator::makeTraceRecorder(const RecorderOptions &Options,
                                    TraceConsumer Consumer) {
  return std::make_unique<TraceRecorder>(Options, std::move(Consumer));
}
