// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that goes on by what is known when the kernel runs only, and accesses
// global memory behind conditions, at several places from where it is.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// A step is as many elements as there are threads, or a multiple, so that each
/// thread writes its own.
void Generator::movedAddresses(Body &To) {
  static constexpr unsigned MostSteps = 5, MostFactor = 2, Margin = 16;
  const std::string From = fresh("w"), Into = fresh("w"), At = fresh("x"),
                    Step = fresh("d"), J = fresh("j"), F = variable('f')->Name;
  for (const auto &[Name, Type] :
       {std::pair(From, "const float *__restrict__ "),
        {Into, "float *__restrict__ "}}) {
    addRandomBuffer(Name, Type, emulator::ElementType::F32,
                    uint64_t(Threads) * (1 + MostSteps * MostFactor) +
                        2 * Margin);
  }
  To.push_back(declared(formatv("const int {0} = {1} * {2};", Step, Threads,
                                length(MostFactor))));
  To.push_back(declared(formatv("int {0} = int(gid) + {1};", At, Margin)));
  Statement Loop;
  Loop.HasBody = true;
  Loop.Braces = true;
  Loop.Head =
      formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(MostSteps));
  const std::string Next = formatv("{0} += {1};", At, Step);
  const bool IsFirst = R.chance(50);
  if (IsFirst)
    Loop.Body.push_back({Next});
  const auto Guard = [&] {
    return formatv(R.pick({"(tid & {1}) != 1", "{0} != {1}", "tid > {1}",
                           "(({0} + tid) & 1) == 0"}),
                   J, R.between(1, 3))
        .str();
  };
  for (int I = 0, N = R.between(2, 4); I < N; ++I) {
    const std::string Near = formatv(
        R.pick({"{0} - {1}", "{0} + {1}", "{0}", "{0} - {2}", "{0} + {2} - 3"}),
        At, R.between(1, 8), length(8));
    if (R.chance(30))
      Loop.Body.push_back(
          {formatv("if ({0}) {1}[{2}] = bound({3});", Guard(), Into, At, F)});
    else
      Loop.Body.push_back({formatv("if ({0}) {1} = {1} * 0.5f + {2}[{3}];",
                                   Guard(), F, From, Near)});
  }
  if (!IsFirst)
    Loop.Body.push_back({Next});
  To.push_back(std::move(Loop));
}
