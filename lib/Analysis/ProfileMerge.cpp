// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Several runs of a program as one profile. What is the same in two profiles
/// is found by its place in the source, not by its number in the code: so runs
/// of other inputs and of code that was compiled with other flags add up.

#include "ProfileFields.h"
#include "ProfilePlaces.h"
#include "sluice/Analysis/Profile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

using namespace llvm;
using namespace sluice;

static void add(uint64_t &Sum, uint64_t N) { Sum = SaturatingAdd(Sum, N); }

AccessCounts &AccessCounts::operator+=(const AccessCounts &Other) {
  for (const CountField &Field : CountFields)
    add(this->*Field.Count, Other.*Field.Count);
  return *this;
}

PredictedTime &PredictedTime::operator+=(const PredictedTime &Other) {
  for (const TimeField &Field : TimeFields)
    add(this->*Field.Count, Other.*Field.Count);
  return *this;
}

ReuseHistogram &ReuseHistogram::operator+=(const ReuseHistogram &Other) {
  for (auto [Sum, N] : zip_equal(Count, Other.Count))
    add(Sum, N);
  add(Never, Other.Never);
  return *this;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static bool isBefore(const SourcePlace &A, const SourcePlace &B) {
  return std::tie(A.File, A.Line, A.Column) <
         std::tie(B.File, B.Line, B.Column);
}

/// From the place in the kernel inwards: what a call brings in stands together.
static SmallVector<SourcePlace, 4> fromKernelInwards(const CodeId &Id) {
  SmallVector<SourcePlace, 4> Chain(reverse(Id.InlinedAt));
  Chain.push_back(Id.Place);
  return Chain;
}

static bool isBefore(const CodeId &A, const CodeId &B) {
  auto ChainA = fromKernelInwards(A), ChainB = fromKernelInwards(B);
  auto PlaceIsBefore = [](const SourcePlace &P, const SourcePlace &Q) {
    return isBefore(P, Q);
  };
  if (ChainA != ChainB)
    return std::lexicographical_compare(ChainA.begin(), ChainA.end(),
                                        ChainB.begin(), ChainB.end(),
                                        PlaceIsBefore);
  return A.Ordinal < B.Ordinal;
}

/// The accesses have other indices now.
static void renumber(std::vector<HintsPrediction> &All,
                     ArrayRef<unsigned> NewIndex) {
  for (HintsPrediction &Hints : All) {
    for (LoadHint &Load : Hints.Loads)
      Load.Access = NewIndex[Load.Access];
    llvm::sort(Hints.Loads, [](const LoadHint &A, const LoadHint &B) {
      return A.Access < B.Access;
    });
  }
}

static void sortAccesses(KernelProfile &K) {
  std::vector<unsigned> Order(K.Accesses.size());
  std::iota(Order.begin(), Order.end(), 0U);
  llvm::sort(Order, [&](unsigned I, unsigned J) {
    const AccessProfile &A = K.Accesses[I], &B = K.Accesses[J];
    return A.Id == B.Id ? A.Kind < B.Kind : isBefore(A.Id, B.Id);
  });

  std::vector<unsigned> NewIndex(Order.size());
  std::vector<AccessProfile> Sorted;
  for (unsigned Old : Order) {
    NewIndex[Old] = Sorted.size();
    Sorted.push_back(std::move(K.Accesses[Old]));
  }
  K.Accesses = std::move(Sorted);
  for (PairProfile &Pair : K.Pairs)
    std::tie(Pair.First, Pair.Second) =
        std::minmax({NewIndex[Pair.First], NewIndex[Pair.Second]});
  renumber(K.Hints, NewIndex);
}

void sluice::sortProfile(Profile &P) {
  auto ShapeOf = [](const LaunchProfile &L) {
    return std::tie(L.Grid.Sizes, L.Block.Sizes, L.DynamicSharedBytes);
  };
  llvm::sort(P.Kernels, [](const KernelProfile &A, const KernelProfile &B) {
    return A.Name < B.Name;
  });
  for (KernelProfile &K : P.Kernels) {
    sortAccesses(K);
    llvm::sort(K.Pairs, [](const PairProfile &A, const PairProfile &B) {
      return std::tie(A.First, A.Second) < std::tie(B.First, B.Second);
    });
    llvm::sort(K.Loops, [](const LoopProfile &A, const LoopProfile &B) {
      return isBefore(A.Id, B.Id);
    });
    llvm::sort(K.Launches, [&](const LaunchProfile &A, const LaunchProfile &B) {
      return ShapeOf(A) < ShapeOf(B);
    });
    llvm::sort(K.Inlined, [](const FunctionText &A, const FunctionText &B) {
      return std::tie(A.File, A.FirstLine, A.TextHash) <
             std::tie(B.File, B.FirstLine, B.TextHash);
    });
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Adds what is in both, by \p Add, and appends what is only in \p From.
template <typename T, typename SameTy, typename AddTy>
static void mergeLists(std::vector<T> &Into, const std::vector<T> &From,
                       SameTy Same, AddTy Add) {
  for (const T &New : From) {
    auto Old = find_if(Into, [&](const T &Known) { return Same(Known, New); });
    if (Old == Into.end())
      Into.push_back(New);
    else
      Add(*Old, New);
  }
}

static bool isSameAccess(const AccessProfile &A, const AccessProfile &B) {
  return A.Id == B.Id && A.Kind == B.Kind;
}

static void addAccess(AccessProfile &Into, const AccessProfile &From) {
  Into.Bytes = std::max(Into.Bytes, From.Bytes);
  Into.Counts += From.Counts;
  Into.Reuse += From.Reuse;
  add(Into.SectorsAlone, From.SectorsAlone);
  add(Into.HitsAlone, From.HitsAlone);
  // Other flags make other copies, of which none is one of those.
  if (Into.Copies.size() != From.Copies.size())
    Into.Copies.clear();
  for (auto [Copy, Other] : zip(Into.Copies, From.Copies))
    Copy += Other;
}

/// Merges pairs and accesses. Where one profile has not a pair of the other,
/// its accesses count as they did alone: that is exact where it has one access
/// of the two or none, and where it has both says that they did not meet. So a
/// pair's gain stays the sum of the gains.
/// \returns for each access of \p From its index in \p Into.
static std::vector<unsigned> mergeAccesses(KernelProfile &Into,
                                           const KernelProfile &From) {
  std::vector<uint64_t> IntoAlone, FromAlone;
  for (const AccessProfile &Access : Into.Accesses)
    IntoAlone.push_back(Access.HitsAlone);
  mergeLists(Into.Accesses, From.Accesses, isSameAccess, addAccess);
  IntoAlone.resize(Into.Accesses.size());
  FromAlone.resize(Into.Accesses.size());

  std::vector<unsigned> IndexInInto;
  for (const AccessProfile &Access : From.Accesses) {
    auto Same = find_if(Into.Accesses, [&](const AccessProfile &Other) {
      return isSameAccess(Access, Other);
    });
    IndexInInto.push_back(Same - Into.Accesses.begin());
    FromAlone[IndexInInto.back()] = Access.HitsAlone;
  }

  using Pair = std::pair<unsigned, unsigned>;
  auto HitsAlone = [](const std::vector<uint64_t> &Alone, const Pair &P) {
    return SaturatingAdd(Alone[P.first], Alone[P.second]);
  };
  std::map<Pair, uint64_t> HitsInInto, HitsInFrom;
  for (const PairProfile &P : Into.Pairs)
    HitsInInto[{P.First, P.Second}] = P.Hits;
  for (const PairProfile &P : From.Pairs) {
    Pair Both = std::minmax({IndexInInto[P.First], IndexInInto[P.Second]});
    HitsInFrom[Both] = P.Hits;
    HitsInInto.try_emplace(Both, HitsAlone(IntoAlone, Both));
  }
  Into.Pairs.clear();
  for (auto [Both, Hits] : HitsInInto) {
    auto Other = HitsInFrom.find(Both);
    add(Hits,
        Other == HitsInFrom.end() ? HitsAlone(FromAlone, Both) : Other->second);
    Into.Pairs.push_back({Both.first, Both.second, Hits});
  }
  return IndexInInto;
}

static bool isSameShape(const LaunchProfile &A, const LaunchProfile &B) {
  return A.Grid == B.Grid && A.Block == B.Block &&
         A.DynamicSharedBytes == B.DynamicSharedBytes;
}

static void addCarveouts(std::vector<CarveoutPrediction> &Into,
                         const std::vector<CarveoutPrediction> &From);

/// Times of different numbers of launches cannot be compared: what one profile
/// lacks is left out, unless it has none at all.
template <typename T, typename KeyTy>
static void addPredictions(std::vector<T> &Into, const std::vector<T> &From,
                           KeyTy Key) {
  if (From.empty())
    return;
  if (Into.empty()) {
    Into = From;
    return;
  }
  llvm::erase_if(Into, [&](T &Known) {
    auto Other = find_if(
        From, [&](const T &Candidate) { return Key(Candidate) == Key(Known); });
    if (Other == From.end())
      return true;
    add(Known.Nanoseconds, Other->Nanoseconds);
    if constexpr (std::is_same_v<T, TurnsPrediction>) {
      if (Other->Carveouts.empty())
        Known.Carveouts.clear();
      if (!Known.Carveouts.empty())
        addCarveouts(Known.Carveouts, Other->Carveouts);
    }
    return false;
  });
}

static void addCarveouts(std::vector<CarveoutPrediction> &Into,
                         const std::vector<CarveoutPrediction> &From) {
  addPredictions(Into, From,
                 [](const CarveoutPrediction &C) { return C.Percent; });
}

static void addLoop(LoopProfile &Into, const LoopProfile &From) {
  add(Into.Entries, From.Entries);
  add(Into.Iterations, From.Iterations);
  add(Into.IterationLines, From.IterationLines);
  Into.MostIterationLines =
      std::max(Into.MostIterationLines, From.MostIterationLines);
  addPredictions(Into.Turns, From.Turns,
                 [](const TurnsPrediction &T) { return T.WarpGroups; });
  if (!From.Staged)
    return;
  if (!Into.Staged)
    Into.Staged.emplace();
  add(Into.Staged->Nanoseconds, From.Staged->Nanoseconds);
  add(Into.Staged->Without, From.Staged->Without);
}

static bool isSameText(const FunctionText &A, const FunctionText &B) {
  return A.File == B.File && A.TextHash == B.TextHash;
}

static void mergeKernel(KernelProfile &Into, const KernelProfile &From) {
  // Of a text that one profile does not know, the places of both mean nothing
  // that could be checked.
  if (!isSameText(Into, From))
    Into.TextHash.clear();
  mergeLists(
      Into.Inlined, From.Inlined,
      [](const FunctionText &A, const FunctionText &B) {
        return A.FirstLine == B.FirstLine && isSameText(A, B);
      },
      [](FunctionText &, const FunctionText &) {});
  Into.Registers = std::max(Into.Registers, From.Registers);
  if (Into.L1Bytes == 0 || (From.L1Bytes != 0 && From.L1Bytes < Into.L1Bytes))
    Into.L1Bytes = From.L1Bytes;
  add(Into.SimulatedBlocks, From.SimulatedBlocks);
  add(Into.Blocks, From.Blocks);
  Into.Time += From.Time;
  addPredictions(Into.FewerBlocks, From.FewerBlocks,
                 [](const BlocksPrediction &B) { return B.Blocks; });
  addCarveouts(Into.Carveouts, From.Carveouts);
  addPredictions(Into.CachedWarps, From.CachedWarps,
                 [](const BypassPrediction &B) { return B.CachedWarps; });
  mergeLists(Into.Launches, From.Launches, isSameShape,
             [](LaunchProfile &L, const LaunchProfile &Other) {
               add(L.Launches, Other.Launches);
             });
  const std::vector<unsigned> IndexInInto = mergeAccesses(Into, From);
  std::vector<HintsPrediction> Hints = From.Hints;
  renumber(Hints, IndexInInto);
  addPredictions(Into.Hints, Hints,
                 [](const HintsPrediction &H) { return ArrayRef(H.Loads); });
  mergeLists(
      Into.Loops, From.Loops,
      [](const LoopProfile &A, const LoopProfile &B) { return A.Id == B.Id; },
      addLoop);
}

//===----------------------------------------------------------------------===//
// What can be merged
//===----------------------------------------------------------------------===//

static Error differ(StringRef What, StringRef A, StringRef B) {
  return createStringError("the profiles are of different " + What + ": '" + A +
                           "' and '" + B + "'");
}

/// Moves \p From to the lines that it and what it inlines have in \p Into, and
/// refuses it where one of them has another text there.
static Error moveTo(const KernelProfile &Into, KernelProfile &From) {
  auto HasChanged = [&](const FunctionText &A, const FunctionText &B) {
    return !A.TextHash.empty() && !B.TextHash.empty() && !isSameText(A, B);
  };
  auto Refuse = [&](StringRef What, const FunctionText &Where) {
    return createStringError(What + " kernel '" + Into.Name +
                             "' has changed between the profiles (" +
                             Where.File + ":" + Twine(Where.FirstLine) +
                             "): profile the older source anew");
  };
  if (HasChanged(Into, From))
    return Refuse("the text of", Into);

  SmallVector<TextMove, 4> Moves;
  auto MoveText = [&](const FunctionText &Text, const FunctionText &To) {
    if (!Text.TextHash.empty() && isSameText(Text, To))
      if (auto Move = TextMove::to(Text, To.FirstLine))
        Moves.push_back(*Move);
  };
  MoveText(From, Into);
  for (const FunctionText &Text : From.Inlined) {
    const FunctionText *InPlace = nullptr, *Elsewhere = nullptr;
    for (const FunctionText &Known : Into.Inlined) {
      if (Known.File == Text.File && Known.FirstLine == Text.FirstLine)
        InPlace = &Known;
      else if (isSameText(Known, Text))
        Elsewhere = &Known;
    }
    if (InPlace && isSameText(*InPlace, Text))
      continue;
    if (Elsewhere)
      MoveText(Text, *Elsewhere);
    else if (InPlace && HasChanged(*InPlace, Text))
      return Refuse("the text of a function inlined in", *InPlace);
  }
  movePlaces(From, Moves);
  return Error::success();
}

/// "A, B" of "A" and "B, A".
static std::string joinOrigins(StringRef A, StringRef B) {
  std::set<std::string> Names;
  for (StringRef Origins : {A, B})
    for (StringRef Name : split(Origins, ", "))
      if (!Name.empty())
        Names.insert(Name.str());
  return join(Names, ", ");
}

Error sluice::mergeProfile(Profile &Into, const Profile &From) {
  if (Into.Source != From.Source)
    return differ("sources", Into.Source, From.Source);
  if (Into.GPU != From.GPU)
    return differ("GPUs", Into.GPU, From.GPU);

  Profile Moved = From;
  for (KernelProfile &K : Moved.Kernels)
    if (const KernelProfile *Known = Into.kernel(K.Name))
      if (Error E = moveTo(*Known, K))
        return E;

  Into.Origin = joinOrigins(Into.Origin, From.Origin);
  add(Into.Runs, From.Runs);
  mergeLists(
      Into.Kernels, Moved.Kernels,
      [](const KernelProfile &A, const KernelProfile &B) {
        return A.Name == B.Name;
      },
      mergeKernel);
  sortProfile(Into);
  return Error::success();
}
