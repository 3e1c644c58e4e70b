// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that begin with what the code behind them begins with too: a place in
// memory that iterations move on, and what is there.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// Each thread has its own place and its own elements. The fence keeps LLVM
/// from holding the place in a register.
void Generator::nextLoads(Body &To) {
  const unsigned Pitch = 8;
  const std::string At = fresh("w"), Of = fresh("w"), More = fresh("w"),
                    P = fresh("p"), V = fresh("v"), J = fresh("j"),
                    F = variable('f')->Name;
  for (const auto &[Name, Type, Element, Count] :
       {std::tuple(At, "unsigned *", emulator::ElementType::I32, 1u),
        {Of, "const float *", emulator::ElementType::F32, Pitch},
        {More, "const float *", emulator::ElementType::F32, 1u}}) {
    addRandomBuffer(Name, Type, Element, uint64_t(Threads) * Count, 0, 7);
  }
  const std::string Place = formatv("{0}[gid]", At),
                    Value = formatv("{0}[gid * {1} + ({2} & {3})]", Of, Pitch,
                                    P, Pitch - 1);
  const std::string Limit = std::to_string(R.between(1, 7));
  const bool HasMore = R.chance(60), IsSame = R.chance(85);
  Statement Loop;
  Loop.HasBody = true;
  Loop.Braces = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J,
                      R.chance(80) ? std::string("(n0 & 7)") : length(9));
  Loop.Body.push_back(declared(formatv("const unsigned {0} = {1};", P, Place)));
  Loop.Body.push_back(declared(formatv("const float {0} = {1};", V, Value)));
  Loop.Body.push_back({formatv("{0} = bound({0} * 0.5f + {1} {2});", F, V,
                               HasMore ? "- " + More + "[gid]" : "")});
  Loop.Body.push_back({formatv(
      R.pick({"if ({0} < {1}) {2} = {3} + 3u;",
              "if ({0} >= {1}) {2} = {3} * 5u + 1u; else {2} = {3} + 1u;",
              "{2} = {3} + unsigned({0} > {1}) + 1u;"}),
      V, Limit, Place, P)});
  if (R.chance(90))
    Loop.Body.push_back({"__threadfence();"});
  To.push_back(std::move(Loop));
  To.push_back({formatv("{0} += {1}[gid * {2} + ({3} & {4})];", F, Of, Pitch,
                        IsSame ? Place : formatv("({0} + 1u)", Place).str(),
                        Pitch - 1)});
  if (HasMore)
    To.push_back({formatv("{0} -= {1}[gid];", F, More)});
}
