// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A point is an index into each choice. Each transform adds its choices by one
// function (Knobs); all else goes over them and knows none by name.

#include "sluice/Tuning/SearchSpace.h"
#include "sluice/Target/BlockClaim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;
using namespace sluice;

//===- The knobs ----------------------------------------------------------===//

static constexpr char ThrottlePrefix[] = "throttle ";
static constexpr char BlocksName[] = "blocks";

/// Warps of a thread block: of the smallest block of a launch that is known.
static unsigned warpsOfBlock(const KernelPlan &Kernel, const GPUModel &GPU) {
  unsigned Least = GPU.MaxThreads;
  for (const LaunchPlan &Launch : Kernel.Launches)
    Least = std::min<uint64_t>(Least, Launch.Block.total().value_or(Least));
  return std::min<unsigned>(32, divideCeil(Least, GPU.WarpSize));
}

/// N of each loop that loads: powers of two up to the first with which each
/// warp of a block runs alone, and what the static plan has, a table too. A
/// plan has the loads only where it knows the launches.
static std::vector<Choice> throttlingFactors(const KernelPlan &Kernel,
                                             const GPUModel &GPU) {
  std::vector<Choice> Result;
  unsigned Most = warpsOfBlock(Kernel, GPU);
  bool LoadsAreKnown = !Kernel.Launches.empty() &&
                       all_of(Kernel.Launches, [](const LaunchPlan &Launch) {
                         return Launch.Block.total().has_value();
                       });
  for (size_t L = 0; L < Kernel.Loops.size(); ++L) {
    const LoopPlan &Loop = Kernel.Loops[L];
    if (LoadsAreKnown && Loop.Accesses.empty() && Loop.WarpGroups == 1)
      continue;
    Choice C;
    C.Name = ThrottlePrefix + Loop.Id.str();
    const bool IsByLaunch = !Loop.ByLaunch.empty();
    std::set<unsigned> Factors = {1, Loop.WarpGroups};
    for (unsigned N = 2; N / 2 < Most; N *= 2)
      Factors.insert(N);
    for (unsigned N : Factors) {
      if (N == Loop.WarpGroups)
        C.Planned = C.Values.size();
      C.Values.push_back(std::to_string(N));
    }
    if (IsByLaunch) {
      C.Planned = C.Values.size();
      C.Values.push_back("by-launch");
    }
    C.Set = [L, Rows = Loop.ByLaunch, Most = Loop.WarpGroups,
             Ns = std::vector(Factors.begin(), Factors.end())](KernelPlan &K,
                                                               unsigned Index) {
      bool IsOneN = Index < Ns.size();
      K.Loops[L].WarpGroups = IsOneN ? Ns[Index] : Most;
      K.Loops[L].ByLaunch = IsOneN ? std::vector<LaunchRow>() : Rows;
    };
    if (C.Values.size() > 1)
      Result.push_back(std::move(C));
  }
  return Result;
}

/// The share of the on-chip memory that is asked for as shared memory, one for
/// each size the hardware has. A kernel's own need is met whatever is asked
/// for.
static std::vector<Choice> carveouts(const KernelPlan &Kernel,
                                     const GPUModel &GPU) {
  Choice C;
  C.Name = "carveout";
  C.Goes = Choice::AtLaunch;
  C.Values.push_back("default");
  std::vector<unsigned> Percents;
  for (unsigned KiB : GPU.CarveoutKiB) {
    if (Kernel.CarveoutPercent && !Kernel.ResidentBlocks &&
        KiB == GPU.carveoutOfPercent(*Kernel.CarveoutPercent))
      C.Planned = C.Values.size();
    Percents.push_back(GPU.percentOfCarveout(KiB));
    C.Values.push_back(std::to_string(Percents.back()));
  }
  C.Set = [Percents](KernelPlan &K, unsigned Index) {
    K.CarveoutPercent.reset();
    if (Index)
      K.CarveoutPercent = Percents[Index - 1];
  };
  return {C};
}

/// Shared memory of a block, if it is known and the same in all launches.
static std::optional<uint64_t> sharedBytesOf(const KernelPlan &Kernel) {
  std::optional<uint64_t> Bytes;
  for (const LaunchPlan &Launch : Kernel.Launches) {
    if (!Launch.DynamicSharedBytes || Launch.BlocksPerSM == 0)
      return std::nullopt;
    uint64_t OfThis = Kernel.StaticSharedBytes + *Launch.DynamicSharedBytes;
    if (Bytes && *Bytes != OfThis)
      return std::nullopt;
    Bytes = OfThis;
  }
  return Bytes;
}

static void limitNoBlocks(KernelPlan &Kernel) {
  if (!Kernel.ResidentBlocks && Kernel.ClaimedSharedBytes == 0)
    return;
  Kernel.CarveoutPercent.reset(); // it is for nothing else
  Kernel.ResidentBlocks.reset();
  Kernel.ClaimedSharedBytes = 0;
  Kernel.BlocksWhy.clear();
}

/// M, from all that an SM can hold down to one. Its claim brings a carveout.
static std::vector<Choice> residentBlocks(const KernelPlan &Kernel,
                                          const GPUModel &GPU) {
  std::optional<uint64_t> OwnBytes = sharedBytesOf(Kernel);
  if (!OwnBytes)
    return {};
  unsigned Most = 0;
  for (const LaunchPlan &Launch : Kernel.Launches)
    Most = std::max(Most, Launch.BlocksPerSM);
  Choice C;
  C.Name = BlocksName;
  C.Goes = Choice::InRecord;
  C.Overrides = "carveout";
  C.Values.push_back("all");
  std::vector<std::pair<unsigned, BlockClaim>> Claims;
  for (unsigned M = Most; M-- > 1;) {
    auto Claim = claimForBlocks(GPU, M, *OwnBytes);
    if (!Claim || *OwnBytes + Claim->Bytes > MostSharedWithoutOptIn)
      continue;
    if (Kernel.ResidentBlocks == M)
      C.Planned = C.Values.size();
    Claims.push_back({M, *Claim});
    C.Values.push_back(std::to_string(M));
  }
  C.Set = [Claims](KernelPlan &K, unsigned Index) {
    if (Index == 0)
      return;
    const auto &[M, Claim] = Claims[Index - 1];
    K.ResidentBlocks = M;
    K.ClaimedSharedBytes = Claim.Bytes;
    K.CarveoutPercent = Claim.CarveoutPercent;
    K.BlocksWhy = "tuned";
  };
  if (Claims.empty())
    return {};
  return {C};
}

/// Every transform's choices: a new one adds its function here.
static constexpr std::vector<Choice> (*Knobs[])(const KernelPlan &,
                                                const GPUModel &) = {
    throttlingFactors,
    carveouts,
    residentBlocks, // after the carveouts, which it overrides
};

//===- The space ----------------------------------------------------------===//

SearchSpace sluice::searchSpace(const KernelPlan &Kernel, const GPUModel &GPU) {
  SearchSpace Space;
  Space.Static = Kernel;
  for (auto *Knob : Knobs)
    for (Choice &C : Knob(Space.Static, GPU))
      Space.Choices.push_back(std::move(C));
  limitNoBlocks(Space.Static); // a point says it, or nobody
  return Space;
}

Point SearchSpace::planned() const {
  Point P;
  for (const Choice &C : Choices)
    P.push_back(C.Planned);
  return P;
}

uint64_t SearchSpace::size() const {
  uint64_t Product = 1;
  for (const Choice &C : Choices) {
    // With a choice that overrides it, either is at its first value.
    auto Over = find_if(Choices, [&](const Choice &Other) {
      return Other.Overrides == C.Name;
    });
    if (find_if(Choices, [&](const Choice &Other) {
          return C.Overrides == Other.Name;
        }) != Choices.end())
      continue; // counted with it
    uint64_t Values = C.Values.size();
    if (Over != Choices.end())
      Values += Over->Values.size() - 1;
    Product = SaturatingMultiply<uint64_t>(Product, Values);
  }
  return Product;
}

Point SearchSpace::canonical(Point P) const {
  for (auto [C, Index] : zip_equal(Choices, P))
    for (size_t I = 0; Index && I < P.size(); ++I)
      if (Choices[I].Name == C.Overrides)
        P[I] = 0;
  return P;
}

/// Index of the largest number in \p C up to \p Most; 0: none.
static unsigned indexUpTo(const Choice &C, unsigned Most) {
  unsigned Best = 0, BestNumber = 0;
  for (auto [Index, Value] : enumerate(C.Values)) {
    unsigned Number = 0;
    if (StringRef(Value).getAsInteger(10, Number) || Number > Most ||
        Number < BestNumber)
      continue;
    Best = Index;
    BestNumber = Number;
  }
  return Best;
}

Point SearchSpace::fixed(unsigned WarpGroups, unsigned ResidentBlocks) const {
  Point P = untuned();
  for (auto [C, Index] : zip_equal(Choices, P)) {
    if (StringRef(C.Name).starts_with(ThrottlePrefix))
      Index = indexUpTo(C, WarpGroups);
    else if (C.Name == BlocksName)
      if (auto At = find(C.Values, std::to_string(ResidentBlocks));
          At != C.Values.end())
        Index = At - C.Values.begin();
  }
  return P;
}

/// The numbers among the values of the choices whose names begin so.
static std::vector<unsigned> numbersOf(ArrayRef<Choice> Choices,
                                       StringRef Prefix) {
  std::set<unsigned> Numbers;
  for (const Choice &C : Choices)
    for (StringRef Value : C.Values) {
      unsigned Number = 0;
      if (StringRef(C.Name).starts_with(Prefix) &&
          !Value.getAsInteger(10, Number))
        Numbers.insert(Number);
    }
  return {Numbers.begin(), Numbers.end()};
}

std::vector<unsigned> SearchSpace::factors() const {
  return numbersOf(Choices, ThrottlePrefix);
}

std::vector<unsigned> SearchSpace::blockLimits() const {
  return numbersOf(Choices, BlocksName);
}

KernelPlan SearchSpace::at(const Point &P) const {
  KernelPlan Plan = Static;
  for (auto [C, Index] : zip_equal(Choices, P))
    C.Set(Plan, Index);
  return Plan;
}

std::string SearchSpace::describe(const Point &P) const {
  std::string Text;
  for (auto [C, Index] : zip_equal(Choices, P))
    if (Index)
      Text += (Text.empty() ? "" : "; ") + C.Name + "=" + C.Values[Index];
  return Text;
}

std::optional<Point> SearchSpace::parse(StringRef Text) const {
  Point P = untuned();
  while (!Text.empty()) {
    // By the names that there are: a file's name may have any character in it.
    auto C = find_if(Choices, [&](const Choice &C) {
      return Text.starts_with(C.Name + "=");
    });
    if (C == Choices.end())
      return std::nullopt;
    auto [Value, Rest] = Text.drop_front(C->Name.size() + 1).split("; ");
    auto At = find(C->Values, Value);
    if (At == C->Values.end())
      return std::nullopt;
    P[C - Choices.begin()] = At - C->Values.begin();
    Text = Rest;
  }
  return P;
}

std::vector<Point> SearchSpace::all() const {
  std::vector<Point> Points;
  Point P = untuned();
  for (;;) {
    if (P == canonical(P))
      Points.push_back(P);
    size_t I = Choices.size();
    while (I > 0 && P[I - 1] + 1 == Choices[I - 1].Values.size())
      P[--I] = 0;
    if (I == 0)
      return Points;
    ++P[I - 1];
  }
}

std::vector<Point> SearchSpace::neighbours(const Point &P) const {
  std::vector<Point> Points;
  for (size_t I = 0; I < P.size(); ++I) {
    for (unsigned Index : {P[I] - 1, P[I] + 1}) // below 0: no such value
      if (Index < Choices[I].Values.size()) {
        Point Near = P;
        Near[I] = Index;
        Points.push_back(canonical(std::move(Near)));
      }
  }
  return Points;
}
