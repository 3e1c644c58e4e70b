// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Promotion saves a load and a store of each iteration and costs a test of
// addresses, so only the number of iterations can speak against it.

#include "sluice/Plan/PromotionPlanner.h"
#include "sluice/Plan/PlanningContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;

static void planLoop(const LoopFacts &Loop, LoopPlan &Plan) {
  auto Trip = Loop.Measured.tripCount();
  if (Trip && *Trip < MinSumIterations) {
    Plan.Promote = false;
    Plan.PromoteWhy =
        formatv("{0} iterations in the mean are too few to pay for a test of "
                "addresses",
                *Trip);
  } else if (Loop.PromotesSums) {
    Plan.Promote = true;
    Plan.PromoteWhy = "what it adds up in memory can stay in registers, after "
                      "a test that it overlaps nothing else";
  }
}

void sluice::planPromotion(const KernelFacts &Kernel, KernelPlan &Plan) {
  auto MayPromote = [](const LoopFacts &Loop) {
    return Loop.PromotesSums || (Loop.WritesMemory && Loop.WritesOnlySums);
  };
  if (none_of(Kernel.Loops, MayPromote))
    return;
  listLoops(Kernel, Plan);
  for (auto [Loop, Decision] : zip_equal(Kernel.Loops, Plan.Loops))
    if (MayPromote(Loop))
      planLoop(Loop, Decision);
}
