// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short switches, of which several cases go one way.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// Two cases that are no neighbours, a third way, and the rest.
void Generator::joinedCases(Body &To) {
  const Input &A = R.pick(Inputs);
  const std::string N = fresh("c"), F = variable('f')->Name;
  To.push_back(declared(formatv(
      "const unsigned {0} = unsigned(int(({1})[unsigned({2}) % {3}u])) & 7;", N,
      rowAddress(A), expression('i', 1), std::max<unsigned>(1, A.Pitch))));
  const int First = R.between(0, 7), Second = (First + R.between(2, 6)) % 8,
            Third = (First + 1) % 8;
  Statement Switch;
  Switch.HasBody = true;
  Switch.Braces = true;
  Switch.Head = formatv("switch ({0})", N);
  Switch.Body.push_back(
      {formatv("case {0}: case {1}: {2} = bound({2}) + {3}; break;", First,
               Second, F, load('f'))});
  if (Third != Second)
    Switch.Body.push_back(
        {formatv("case {0}: {1} = bound({1}) * 0.5f - {2}; break;", Third, F,
                 load('f'))});
  Switch.Body.push_back({formatv("default: {0} -= 1.0f;", F)});
  To.push_back(std::move(Switch));
}
