// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in which each thread has elements of its own and knows of no other
// one, as of a sum of two arrays: with many blocks in a row, which may do their
// work in step.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::fuzz;

/// What decides whether a block's threads go on: mostly no number that they
/// load, as blocks part where it is one.
std::string Generator::elementCondition() {
  const std::string &I = R.pick(Indices).Name;
  switch (R.below(5)) {
  case 0:
    return formatv("{0} % {1} != {2}", I, R.between(2, 40), R.between(0, 3));
  case 1:
    return formatv("{0} > {1} && gid < {2}", I, R.between(0, 40),
                   R.between(1, int(Threads)));
  case 2:
    return formatv("{0} < {1}", I, R.pick(Scalars).Name);
  case 3:
    return condition(/*Uniform=*/false);
  default:
    return condition(/*Uniform=*/true);
  }
}

Statement Generator::elementStatement(unsigned Depth) {
  if (Depth > 0 && R.chance(45)) {
    Scope Inner(*this);
    Statement S;
    S.HasBody = true;
    S.Braces = true;
    if (R.chance(50)) {
      S.Head = "if (" + elementCondition() + ")";
    } else {
      const std::string J = fresh("j");
      const Scalar &Count = R.pick(Scalars);
      S.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, Count.Name);
      Indices.push_back({J, Count.Value, true});
    }
    for (int I = 0, N = R.between(1, 3); I < N; ++I)
      S.Body.push_back(elementStatement(Depth - 1));
    return S;
  }
  return R.chance(80) ? accumulate() : assignment();
}

/// What threads of a block do together.
void Generator::together(Body &To) {
  const Variable *Sum = variable('i');
  if (!Sum || R.chance(70))
    return exchange(To, Place());
  const unsigned Number = R.below(20);
  switch (R.below(4)) {
  case 0:
    return To.push_back(
        {formatv("{0} ^= __nvvm_bar0_popc({0} > {1});", Sum->Name, Number)});
  case 1:
    return To.push_back({formatv(
        "if (tid < 32) {0} ^= __nvvm_shfl_sync_bfly_i32(~0u, {0}, {1}, 31);",
        Sum->Name, R.pick({1, 2, 4}))});
  case 2:
    return To.push_back({formatv(
        "{0} ^= __nvvm_vote_ballot_sync(~0u, {0} > {1});", Sum->Name, Number)});
  default:
    return To.push_back({formatv("if (__nvvm_bar0_or({0} > {1})) {0} ^= 3;",
                                 Sum->Name, Number)});
  }
}

void Generator::elements(Body &To) {
  // Who waits for all threads has them all.
  if (Shared.empty() && R.chance(60)) {
    Statement If;
    If.HasBody = true;
    If.Head = R.chance(70) ? formatv("if (gid >= {0})",
                                     Threads - R.below(BlockThreads * 2))
                                 .str()
                           : "if (!(" + elementCondition() + "))";
    If.Body.push_back({"return;"});
    To.push_back(If);
  }
  for (int I = 0, N = R.between(1, 4); I < N; ++I) {
    To.push_back(elementStatement(2));
    if (!Shared.empty())
      together(To);
  }
  // Where something was written blocks may part no more.
  for (int I = 0, N = R.between(0, 3); I < N; ++I)
    To.push_back(R.chance(20) ? elementStatement(1) : outputStatement());
  // For each block once, at a place that all of them have.
  if (!Counters.empty() && R.chance(70))
    To.push_back({formatv("atomicAdd(&{0}[tid & 15], {1});", Counters,
                          R.between(1, 9))});
  // The next block may not write before all have read.
  if (Shared.empty() || R.chance(30))
    return;
  To.push_back({formatv("{0}[tid] = {1};", Shared, expression(SharedType))});
  To.push_back(barrier());
  To.push_back(
      {formatv("{0} += 0.5f * bound(float({1}[(tid + {2}) % {3}]));",
               variable('f')->Name, Shared, R.between(1, 40), BlockThreads)});
}
