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

void Generator::elements(Body &To) {
  if (R.chance(60)) {
    Statement If;
    If.HasBody = true;
    If.Head = R.chance(70) ? formatv("if (gid >= {0})",
                                     Threads - R.below(BlockThreads * 2))
                                 .str()
                           : "if (!(" + elementCondition() + "))";
    If.Body.push_back({"return;"});
    To.push_back(If);
  }
  for (int I = 0, N = R.between(1, 4); I < N; ++I)
    To.push_back(elementStatement(2));
  // Where something was written blocks may part no more.
  for (int I = 0, N = R.between(0, 3); I < N; ++I)
    To.push_back(R.chance(20) ? elementStatement(1) : outputStatement());
}
