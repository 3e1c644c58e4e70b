// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sluice/Tuning/SearchSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;
using namespace sluice;

//===- The knobs ----------------------------------------------------------===//

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
    C.Name = "throttle " + Loop.Id.str();
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
  C.IsInCode = false;
  C.Values.push_back("default");
  std::vector<unsigned> Percents;
  for (unsigned KiB : GPU.CarveoutKiB) {
    if (Kernel.CarveoutPercent &&
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

/// Every transform's choices: a new one adds its function here.
static constexpr std::vector<Choice> (*Knobs[])(const KernelPlan &,
                                                const GPUModel &) = {
    throttlingFactors,
    carveouts,
};

//===- The space ----------------------------------------------------------===//

SearchSpace sluice::searchSpace(const KernelPlan &Kernel, const GPUModel &GPU) {
  SearchSpace Space;
  Space.Static = Kernel;
  // A replayed launch asks for the shared memory that the program asked for, so
  // a limit of the blocks cannot be timed, and its carveout is for nothing
  // else.
  if (Kernel.ResidentBlocks || Kernel.ClaimedSharedBytes != 0) {
    Space.Static.ResidentBlocks.reset();
    Space.Static.ClaimedSharedBytes = 0;
    Space.Static.BlocksWhy.clear();
    Space.Static.CarveoutPercent.reset();
  }
  for (auto *Knob : Knobs)
    for (Choice &C : Knob(Space.Static, GPU))
      Space.Choices.push_back(std::move(C));
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
  for (const Choice &C : Choices)
    Product = SaturatingMultiply<uint64_t>(Product, C.Values.size());
  return Product;
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
    if (P[I] > 0) {
      Points.push_back(P);
      --Points.back()[I];
    }
    if (P[I] + 1 < Choices[I].Values.size()) {
      Points.push_back(P);
      ++Points.back()[I];
    }
  }
  return Points;
}
