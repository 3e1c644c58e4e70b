// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A point is an index into each choice. The choices are those of the techniques
// (Technique.h); nothing here knows one by name but fixed().

#include "sluice/Tuning/SearchSpace.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;
using namespace sluice;

// The knobs that fixed() asks for by name.
static constexpr char ThrottlePrefix[] = "throttle ";
static constexpr char BlocksName[] = "blocks";

//===- The space ----------------------------------------------------------===//

SearchSpace sluice::searchSpace(const KernelPlan &Kernel, const GPUModel &GPU) {
  SearchSpace Space;
  Space.Static = Kernel;
  for (const Technique *T : techniques()) {
    std::vector<Choice> OfThis = T->knobs(Space.Static, GPU);
    std::move(OfThis.begin(), OfThis.end(), std::back_inserter(Space.Choices));
  }
  blocksTechnique().forget(Space.Static); // a point says it, or nobody
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
