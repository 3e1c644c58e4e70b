// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy is a function of the runs so far, as in Strategy.cpp, and so a
// search goes on from whatever was measured before.

#include "sluice/Tuning/LambdaSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace sluice;

namespace {

struct NamedStrategy {
  StringLiteral Name;
  LambdaStrategy How;
};

constexpr NamedStrategy Strategies[] = {
    {"heu", LambdaStrategy::Heuristic},
    {"smp", LambdaStrategy::Simple},
    {"exhaustive", LambdaStrategy::Exhaustive},
};

/// A chord's end.
struct End {
  unsigned Lambda;
  double Error;
};

/// Where E crosses the bound: the left end keeps it, the right one does not.
class Chord {
public:
  Chord(End Left, End Right, double Bound)
      : Left(Left), Right(Right), Bound(Bound) {}

  void take(const LambdaRun &R) {
    if (R.Lambda <= Left.Lambda || R.Lambda >= Right.Lambda)
      return; // of a search by another strategy
    const bool IsLeft = R.Error <= Bound;
    (IsLeft ? Left : Right) = {R.Lambda, R.Error};
    SameEnd = IsLeft == MovedLeft ? SameEnd + 1 : 1;
    MovedLeft = IsLeft;
  }

  std::optional<unsigned> next() const {
    const unsigned Between = Right.Lambda - Left.Lambda;
    // No error at all says nothing of where it begins.
    if (Between < 2 || (Left.Error == Bound && Bound != 0))
      return std::nullopt;
    if (SameEnd >= 2 || !std::isfinite(Right.Error))
      return Left.Lambda + Between / 2;
    const double Share = (Bound - Left.Error) / (Right.Error - Left.Error);
    const unsigned Steps =
        std::clamp(unsigned(Share * Between), 1U, Between - 1);
    return Left.Lambda + Steps;
  }

private:
  End Left, Right;
  const double Bound;
  bool MovedLeft = false;
  unsigned SameEnd = 0; ///< Runs in a row that have moved it.
};

} // namespace

Expected<LambdaStrategy> sluice::parseLambdaStrategy(StringRef Name) {
  const auto *Found = find_if(
      Strategies, [&](const NamedStrategy &S) { return S.Name == Name; });
  if (Found != std::end(Strategies))
    return Found->How;
  return createStringError("there is no strategy '" + Name +
                           "' for a quality (heu, smp, exhaustive)");
}

StringRef sluice::nameOf(LambdaStrategy How) {
  return find_if(Strategies,
                 [&](const NamedStrategy &S) { return S.How == How; })
      ->Name;
}

static const LambdaRun *findRun(ArrayRef<LambdaRun> So, unsigned Lambda) {
  const auto *Found =
      find_if(So, [&](const LambdaRun &R) { return R.Lambda == Lambda; });
  return Found == So.end() ? nullptr : Found;
}

double sluice::errorBound(const LambdaGoal &Goal, unsigned Most,
                          ArrayRef<LambdaRun> So) {
  if (!Goal.IsShare)
    return Goal.Bound;
  const double All = findRun(So, Most)->Error;
  return std::isfinite(All) ? Goal.Bound * All : 0;
}

static std::optional<unsigned> nextBelow(unsigned Most, ArrayRef<LambdaRun> So,
                                         double Bound) {
  for (unsigned Lambda = Most; Lambda != 0; --Lambda) {
    const LambdaRun *R = findRun(So, Lambda);
    if (!R)
      return Lambda;
    if (R->Error <= Bound)
      break;
  }
  return std::nullopt;
}

static std::optional<unsigned> nextAtAll(unsigned Most,
                                         ArrayRef<LambdaRun> So) {
  for (unsigned Lambda = 0; Lambda <= Most; ++Lambda)
    if (!findRun(So, Lambda))
      return Lambda;
  return std::nullopt;
}

std::optional<unsigned> sluice::nextLambda(LambdaStrategy How, unsigned Most,
                                           const LambdaGoal &Goal,
                                           ArrayRef<LambdaRun> So) {
  const LambdaRun *None = findRun(So, 0), *All = findRun(So, Most);
  if (!None)
    return 0;
  if (!All)
    return Most;
  if (How == LambdaStrategy::Exhaustive)
    return nextAtAll(Most, So);
  const double Bound = errorBound(Goal, Most, So);
  if (All->Error <= Bound || None->Error > Bound)
    return std::nullopt;
  if (How == LambdaStrategy::Simple)
    return nextBelow(Most, So, Bound);
  Chord C({0, None->Error}, {Most, All->Error}, Bound);
  for (const LambdaRun &R : So)
    C.take(R);
  return C.next();
}

const LambdaRun *sluice::bestRun(ArrayRef<LambdaRun> So, double Bound) {
  const LambdaRun *Best = nullptr;
  for (const LambdaRun &R : So)
    if (R.Error <= Bound && (!Best || R.Ms < Best->Ms ||
                             (R.Ms == Best->Ms && R.Lambda > Best->Lambda)))
      Best = &R;
  return Best;
}

const LambdaRun *sluice::lastRun(ArrayRef<LambdaRun> So, double Bound) {
  const LambdaRun *Last = nullptr;
  for (const LambdaRun &R : So)
    if (R.Error <= Bound && (!Last || R.Lambda > Last->Lambda))
      Last = &R;
  return Last;
}
