// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each access, bind the launch, split what is left into a part that is
// known for every lane and a base address that is not, then enumerate the
// lanes of every warp. Lines are distinct by (base, line number): two warps
// that read the same rows count them once, and so do two accesses off one base.
// Lanes whose bases differ by a multiple of an argument are a line apart if
// that is large enough; where they differ by another run-time stride, or by a
// value that each thread computes for itself, they lie unknowably far apart.

#include "FootprintBuilder.h"
#include "RunTimePitch.h"
#include "sluice/Analysis/ProfileFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace sluice;

/// Blocks are alike: one of them stands for all, somewhere in the grid's middle
/// and not on its diagonal, where rows by ctaid.x and by ctaid.y would be the
/// same rows.
static int64_t blockOf(const LaunchConfig &Launch, unsigned Axis) {
  constexpr uint64_t Part[] = {2, 3, 5}, Unknown[] = {14, 9, 5};
  return int64_t(Launch.Grid.Sizes[Axis].value_or(Unknown[Axis]) / Part[Axis]);
}

/// What \p Launch gives a value to.
static std::optional<int64_t> launchValue(const LaunchConfig &Launch,
                                          Variable V) {
  auto Known = [](std::optional<uint64_t> Size) -> std::optional<int64_t> {
    if (!Size)
      return std::nullopt;
    return int64_t(*Size);
  };
  switch (V.Kind) {
  case Variable::Ntid:
    return Known(Launch.Block.Sizes[V.Index]);
  case Variable::Nctaid:
    return Known(Launch.Grid.Sizes[V.Index]);
  case Variable::Ctaid:
    return blockOf(Launch, V.Index);
  case Variable::Argument:
    if (V.Index < Launch.Arguments.size())
      return Launch.Arguments[V.Index];
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<uint64_t> sluice::tripCount(const LoopFacts &Loop,
                                          const LaunchConfig &Launch) {
  if (Loop.TripCount)
    return Loop.TripCount;
  std::optional<int64_t> Count;
  if (Loop.TripForm.asConstant() != 0) // else not known as a form either
    Count = Loop.TripForm.evaluate(
        [&](Variable V) { return launchValue(Launch, V); });
  if (!Count || *Count < 0)
    return Loop.Measured.tripCount();
  return uint64_t(*Count);
}

bool FootprintBuilder::collectInnerIterations(
    unsigned AccessLoop, std::vector<IteratorValues> &Values) {
  Values.assign(1, {});
  for (unsigned L = AccessLoop; L != LoopIndex; L = *Kernel.Loops[L].Parent) {
    auto Trip = tripCount(Kernel.Loops[L], Launch);
    if (!Trip ||
        *Trip > MaxInnerIterations / std::max<size_t>(1, Values.size())) {
      const SourcePlace &Place = Kernel.Loops[L].Id.Place;
      Result.Unknown = (Place.isKnown() ? "its inner loop at " + Place.str()
                                        : "a loop inside it") +
                       (Trip ? " has " + std::to_string(*Trip) + " iterations"
                             : " has an unknown number of iterations");
      return false;
    }
    std::vector<IteratorValues> Extended;
    for (const IteratorValues &Prefix : Values)
      for (uint64_t I = 0; I < *Trip; ++I) {
        Extended.push_back(Prefix);
        Extended.back().push_back({L, int64_t(I)});
      }
    Values = std::move(Extended);
  }
  return true;
}

/// Is \p V an unknown value that the loop, or one in it, computes anew?
bool FootprintBuilder::isComputedInLoop(Variable V) const {
  return V.isUnknown() && V.Index < Kernel.Unknowns.size() &&
         Kernel.Unknowns[V.Index].Loop &&
         isWithin(Kernel, *Kernel.Unknowns[V.Index].Loop, LoopIndex);
}

std::optional<int64_t>
FootprintBuilder::iterationStride(const AddressForm &Address) {
  // A value computed anew in each iteration moves in an unknown way.
  if (Address.any([&](Variable V) { return isComputedInLoop(V); }))
    return std::nullopt;
  // All else is the same in each.
  AddressForm Moving =
      Address
          .partition([&](Variable V) {
            return V == Variable{Variable::Iterator, LoopIndex};
          })
          .first;
  auto At = [&](int64_t Iteration) {
    return Moving.bind([&](Variable V) -> std::optional<int64_t> {
      if (V.Kind == Variable::Iterator && V.Index == LoopIndex)
        return Iteration;
      return launchValue(Launch, V);
    });
  };
  const AddressForm First = At(0), Second = At(1), Step = Second - First;
  // Not a stride unless each iteration moves it by the same.
  if ((At(2) - Second - Step).asConstant() != std::optional<int64_t>(0))
    return std::nullopt;
  return Step.asConstant();
}

static bool isTid(Variable V) { return V.Kind == Variable::Tid; }

AddressForm FootprintBuilder::bindLaunch(const AddressForm &Address) const {
  return Address.bind([&](Variable V) -> std::optional<int64_t> {
    // What stands at a distance along an axis of one thread stands nowhere.
    if (isTid(V) && Launch.Block.Sizes[V.Index] == 1)
      return 0;
    return launchValue(Launch, V);
  });
}

/// \p Address with \p Values; the iterators of the other loops stand at their
/// first iteration.
AddressForm
FootprintBuilder::bindIterators(const AddressForm &Address,
                                const IteratorValues &Values) const {
  AddressForm Bound = Address.bind([&](Variable V) -> std::optional<int64_t> {
    for (auto [Loop, Value] : Values)
      if (V.Kind == Variable::Iterator && Loop == V.Index)
        return Value;
    return std::nullopt;
  });
  // An iterator that scales the lanes' distance has no first iteration that
  // would stand for all.
  return Bound.bind([&](Variable V) -> std::optional<int64_t> {
    auto IsThis = [&](Variable Other) { return Other == V; };
    if (V.Kind == Variable::Iterator && !Bound.multiplies(isTid, IsThis))
      return 0;
    return std::nullopt;
  });
}

/// Of lanes with different bases, \p Base: how far apart they are, as far as a
/// minimum of arguments tells.
void FootprintBuilder::settleDistances(const AddressForm &Base,
                                       const AddressForm &Offset, Request &R) {
  PitchedBase Split = splitPitches(Base);
  std::optional<ArgumentMinima> Minima;
  if (!Bases.of(Split.Rest).DifferInAWarp)
    Minima = minimaForOwnLines(Split.Pitches, Offset, Tids, GPU);
  if (Minima)
    R.OnlyIf = std::move(*Minima);
  else
    R.UnknownDistance = true;
}

/// Did it run in less than MinShare of the iterations that it could have?
bool FootprintBuilder::isRare(const AccessPattern &Access,
                              size_t InnerIterations) const {
  if (!Access.Measured)
    return false;
  double Most = double(Kernel.Loops[LoopIndex].Measured.Iterations) *
                double(InnerIterations);
  return double(Access.Measured->Requests) < MinShare * Most;
}

/// The threads that run \p Access. What changes within the loop lets others
/// through each time.
const ActiveThreads::Set &
FootprintBuilder::running(const AccessPattern &Access) {
  std::vector<AddressForm> Guards;
  for (const AddressForm &Guard : Access.OnlyWhereZero) {
    const bool Changes = Guard.any([&](Variable V) {
      if (V.Kind == Variable::Iterator)
        return isWithin(Kernel, V.Index, LoopIndex);
      return isComputedInLoop(V);
    });
    if (Changes)
      continue;
    Guards.push_back(Guard.bind([&](Variable V) -> std::optional<int64_t> {
      if (isTid(V) && Launch.Block.Sizes[V.Index] == 1)
        return 0;
      return V.Kind == Variable::Ctaid ? std::nullopt : launchValue(Launch, V);
    }));
  }
  return Active.of(Guards, [&](Variable V) { return launchValue(Launch, V); });
}

/// Of the threads that run.
bool FootprintBuilder::differInAWarp(
    const ThreadBases::Bases &OfThreads) const {
  if (!OfThreads.DifferInAWarp || Running->isAll())
    return OfThreads.DifferInAWarp;
  std::optional<unsigned> Last;
  for (unsigned Thread = 0; Thread < Tids.size(); ++Thread) {
    if (Thread % GPU.WarpSize == 0)
      Last.reset();
    if (!Running->has(Thread))
      continue;
    if (Last.value_or(OfThreads.Numbers[Thread]) != OfThreads.Numbers[Thread])
      return true;
    Last = OfThreads.Numbers[Thread];
  }
  return false;
}

/// Every lane's lines and sectors at \p Base and \p Offset.
Request FootprintBuilder::request(const AddressForm &Base,
                                  const AddressForm &Offset, unsigned Bytes) {
  // Rounds down, also what is negative.
  const unsigned LineShift = llvm::Log2_32(GPU.LineBytes);
  const unsigned SectorShift = llvm::Log2_32(GPU.SectorBytes);
  Request R;
  for (auto *Sets : {&R.Lines, &R.Sectors, &R.Bytes})
    Sets->resize(Result.WarpsPerBlock);
  const ThreadBases::Bases &OfThreads = Bases.of(Base);
  if (differInAWarp(OfThreads))
    settleDistances(Base, Offset, R);
  LaneOffsets Lanes(Offset);
  Result.Steps += Tids.size() * Lanes.steps();
  for (unsigned Thread = 0; Thread < Tids.size(); ++Thread) {
    if (!Running->has(Thread))
      continue;
    unsigned BaseNumber = OfThreads.Numbers[Thread];
    auto Known = Lanes.at(Tids[Thread]);
    if (!Known) { // a division by zero, say
      R.UnknownDistance = R.HasUnknownBase = true;
      BaseNumber = Bases.unknown();
    }
    int64_t Address = Known.value_or(0);
    int64_t Last = Address + std::max(1u, Bytes) - 1;
    unsigned Warp = Thread / GPU.WarpSize;
    if (CountsUsefulBytes)
      add({BaseNumber, Address}, R.Bytes[Warp]);
    for (int64_t L = Address >> LineShift; L <= Last >> LineShift; ++L)
      add({BaseNumber, L}, R.Lines[Warp]);
    for (int64_t S = Address >> SectorShift; S <= Last >> SectorShift; ++S)
      add({BaseNumber, S}, R.Sectors[Warp]);
  }
  for (auto *Sets : {&R.Lines, &R.Sectors, &R.Bytes})
    for (LineSet &OfWarp : *Sets)
      makeSet(OfWarp);
  return R;
}

/// What is touched at \p Address, of which the launch and the iterators are
/// bound.
void FootprintBuilder::addRequest(const AddressForm &Address, unsigned Bytes,
                                  AccessFootprint &Foot, Touched &T) {
  auto [Base, Offset] = Address.partition([](Variable V) {
    return !isTid(V); // all else that is still there
  });
  auto [Moving, Fixed] = Offset.partition(isTid);
  if (!Fixed.asConstant()) // a division by zero, say
    Moving = Offset, Fixed = {};
  // A whole number of lines away it is the same.
  const int64_t Constant = *Fixed.asConstant();
  const int64_t Lines = llvm::divideFloorSigned(Constant, GPU.LineBytes);
  const int64_t InLine = Constant - Lines * int64_t(GPU.LineBytes);
  const auto Key =
      std::make_tuple(Bases.of(Base).Form, InLine, Bytes, Running->Number);
  auto [It, Inserted] = Requests[Moving].try_emplace(Key);
  Request &R = It->second;
  if (Inserted || R.HasUnknownBase)
    R = request(Base, Moving + AddressForm::constant(InLine), Bytes);
  Foot.OnlyIf = bothOf(Foot.OnlyIf, R.OnlyIf);
  Foot.UnknownDistance |= R.UnknownDistance;
  const int64_t LineBytes = GPU.LineBytes;
  Result.Steps +=
      addMoved(R.Bytes, Lines * LineBytes, T.Bytes) +
      addMoved(R.Lines, Lines, T.Lines) +
      addMoved(R.Sectors, Lines * (LineBytes / GPU.SectorBytes), T.Sectors);
}

bool FootprintBuilder::isTooMuch() {
  const uint64_t Helpers = Bases.steps() + Active.steps();
  if (Result.Steps + Helpers <= MaxFootprintSteps)
    return false;
  Result.Steps += Helpers;
  Result.Unknown = "its accesses, for all threads and iterations of inner "
                   "loops, are too large to count (more than " +
                   std::to_string(MaxFootprintSteps) + " steps)";
  return true;
}

/// Every lane's lines and sectors, relative to base addresses. Stops at an
/// indirect address, and where it is too much.
void FootprintBuilder::enumerateLanes(const AccessPattern &Access,
                                      llvm::ArrayRef<IteratorValues> Iterations,
                                      AccessFootprint &Foot, Touched &T) {
  const AddressForm Launched = bindLaunch(Access.Address);
  Result.Steps += Access.Address.size();
  for (const IteratorValues &Values : Iterations) {
    AddressForm Bound = bindIterators(Launched, Values);
    Result.Steps += Launched.size();
    if (Bound.any([](Variable V) { return V.Kind == Variable::Loaded; })) {
      Foot.Assumed = true;
      return;
    }
    addRequest(Bound, Access.Bytes, Foot, T);
    if (T.LinesOfOneRequest.empty())
      for (const auto &Lines : T.Lines)
        T.LinesOfOneRequest.push_back(Lines.size());
    if (isTooMuch())
      return;
  }
}

void FootprintBuilder::addAccess(const AccessPattern &Access,
                                 llvm::ArrayRef<IteratorValues> Iterations) {
  if (isRare(Access, Iterations.size())) {
    ++Result.RareAccesses;
    return;
  }
  AccessFootprint Foot;
  Foot.Access = &Access;
  Foot.InnerIterations = Iterations.size();
  Foot.IterationStride = iterationStride(Access.Address);
  Foot.HasReuse = !Access.IsStore && Foot.IterationStride &&
                  std::abs(*Foot.IterationStride) <= int64_t(GPU.LineBytes);

  Running = &running(Access);
  Touched T;
  T.Lines.resize(Result.WarpsPerBlock);
  T.Sectors.resize(Result.WarpsPerBlock);
  T.Bytes.resize(Result.WarpsPerBlock);
  enumerateLanes(Access, Iterations, Foot, T);
  if (!Result.Unknown.empty())
    return;
  if (Access.Measured &&
      (Foot.Assumed || Foot.UnknownDistance || !Foot.OnlyIf.empty())) {
    if (Foot.Assumed)
      measureGather(Access, Iterations.size(), T);
    else
      measureDistances(*Access.Measured, T);
    Foot.Measured = true;
    Foot.Assumed = Foot.UnknownDistance = false;
  } else if (Foot.Assumed) {
    assumeLines(T);
    if (Foot.IterationStride.value_or(0) != 0)
      Foot.MostLinesPerBlock = mostLines(Access, Iterations.size());
  }
  if (Foot.Measured || Foot.Assumed || Foot.UnknownDistance)
    Foot.OnlyIf.clear();
  Result.OnlyIf = bothOf(Result.OnlyIf, Foot.OnlyIf);
  // One that can be pointed at, if any.
  if (Foot.UnknownDistance &&
      (!Result.UnknownDistance || !Result.UnknownDistance->Id.Place.isKnown()))
    Result.UnknownDistance = &Access;

  LineSet OfBlock;
  for (unsigned Warp = 0; Warp < Result.WarpsPerBlock; ++Warp) {
    const LineSet &Lines = T.Lines[Warp];
    llvm::append_range(OfBlock, Lines);
    Foot.LinesPerWarp = std::max<unsigned>(Foot.LinesPerWarp, Lines.size());
    Foot.SectorsPerWarp =
        std::max<unsigned>(Foot.SectorsPerWarp, T.Sectors[Warp].size());
    if (!Foot.Measured && !Foot.Assumed && !Foot.UnknownDistance)
      Foot.UsefulBytesPerWarp =
          std::max<uint64_t>(Foot.UsefulBytesPerWarp,
                             T.Bytes[Warp].size() * uint64_t(Access.Bytes));
    Result.LinesOfWarp[Warp].push_back(std::move(T.Lines[Warp]));
  }
  makeSet(OfBlock);
  Foot.LinesPerBlock = OfBlock.size();
  Result.HasReuse |= Foot.HasReuse; // also if a further loop cannot be counted
  Result.Accesses.push_back(Foot);
}

/// Eq. 6 for loads whose stride is not known: by their reuse distances.
void FootprintBuilder::measureReuse() {
  unsigned Blocks =
      std::min(GPU.MaxBlocks, GPU.MaxWarps / Result.WarpsPerBlock);
  double LinesOfSM = double(Result.linesPerBlock(1)) * Blocks;
  for (AccessFootprint &Foot : Result.Accesses) {
    if (Foot.Measured && !Foot.IterationStride && !Foot.Access->IsStore)
      Foot.HasReuse =
          shareWithin(Foot.Access->Measured->Reuse, LinesOfSM).value_or(0) >=
          0.5;
    Result.HasReuse |= Foot.HasReuse;
  }
}

/// None: there are not so many, or it is not known how many there are.
std::vector<ThreadIndex> FootprintBuilder::threadsOf(const LaunchConfig &Launch,
                                                     const GPUModel &GPU) {
  std::vector<ThreadIndex> Threads;
  auto Number = Launch.Block.total();
  if (!Number || *Number > GPU.MaxThreads)
    return Threads;
  auto Size = [&](unsigned Axis) { return int64_t(*Launch.Block.Sizes[Axis]); };
  Threads.reserve(*Number);
  for (int64_t Z = 0; Z < Size(2); ++Z)
    for (int64_t Y = 0; Y < Size(1); ++Y)
      for (int64_t X = 0; X < Size(0); ++X)
        Threads.push_back({X, Y, Z});
  return Threads;
}

LoopFootprint FootprintBuilder::build() {
  if (Tids.empty()) {
    auto Threads = Launch.Block.total();
    Result.Unknown =
        Threads ? "the block has " + std::to_string(*Threads) + " threads"
                : "the block size is not known at compile time";
    return std::move(Result);
  }
  Result.WarpsPerBlock = (Tids.size() + GPU.WarpSize - 1) / GPU.WarpSize;
  Result.LinesOfWarp.resize(Result.WarpsPerBlock);

  for (unsigned L = 0; L < Kernel.Loops.size(); ++L) {
    if (!isWithin(Kernel, L, LoopIndex) || Kernel.Loops[L].Accesses.empty())
      continue;
    std::vector<IteratorValues> Iterations;
    if (!collectInnerIterations(L, Iterations))
      return std::move(Result);
    for (const AccessPattern &Access : Kernel.Loops[L].Accesses) {
      if (!Access.IsStore || GPU.L1AllocatesOnStore)
        addAccess(Access, Iterations);
      if (!Result.Unknown.empty())
        return std::move(Result);
    }
  }
  Result.Steps += Bases.steps() + Active.steps();
  measureReuse();
  return std::move(Result);
}

LoopFootprint sluice::computeLoopFootprint(const KernelFacts &Kernel,
                                           unsigned LoopIndex,
                                           const LaunchConfig &Launch,
                                           const GPUModel &GPU,
                                           bool CountsUsefulBytes) {
  return FootprintBuilder(Kernel, LoopIndex, Launch, GPU, CountsUsefulBytes)
      .build();
}
