// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AsSimulated.h"
#include "sluice/Analysis/Profile.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;

/// Were sums that will be in registers in memory when the profile was made?
static bool hasSumsInMemory(const KernelFacts &Facts, const KernelProfile &K) {
  auto IsStoredEachTime = [&](const LoopFacts &Loop, const LoopProfile &L) {
    return any_of(K.Accesses, [&](const AccessProfile &A) {
      return A.Kind == "store" && A.Counts.Requests >= L.Iterations &&
             any_of(Loop.Accesses, [&](const AccessPattern &P) {
               return P.IsStore && P.Id.ofAllCopies() == A.Id;
             });
    });
  };
  return any_of(Facts.Loops, [&](const LoopFacts &Loop) {
    return Loop.PromotesSums &&
           any_of(K.Loops, [&](const LoopProfile &L) {
             return L.Id == Loop.Id && L.Iterations > L.Entries &&
                    IsStoredEachTime(Loop, L);
           });
  });
}

bool sluice::runsAsSimulated(const KernelToPlan &Work) {
  return !isThrottled(Work.Plan) &&
         !hasSumsInMemory(Work.Facts, *Work.Measured);
}
