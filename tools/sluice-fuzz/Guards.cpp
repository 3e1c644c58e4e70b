// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over what neighbours have in shared memory, whose result is stored
// where a thread is below a bound that is passed.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// Threads beyond the bound, if any, have their place in the array too: a store
/// of theirs is a difference and no error.
void Generator::guardedStores(Body &To) {
  if (MayHaveReturned || InHelper)
    return;
  static constexpr unsigned MostSteps = 4, Margin = 8;
  const std::string Tile = fresh("tile"), Into = fresh("w"), X = fresh("x"),
                    End = fresh("x"), J = fresh("j"), F = variable('f')->Name;
  addRandomBuffer(Into, "float *__restrict__ ", emulator::ElementType::F32,
                  uint64_t(Threads) * MostSteps);
  To.push_back(declared(
      formatv("__shared__ float {0}[{1}];", Tile, BlockThreads + 2 * Margin)));
  To.push_back(
      {formatv("for (int {0} = int(tid); {0} < {1}; {0} += {2}) {3}[{0}] = "
               "float({0} & 7);",
               J, BlockThreads + 2 * Margin, BlockThreads, Tile)});
  To.push_back(declared(formatv("const int {0} = int(gid), {1} = n0 * {2};", X,
                                End, R.between(1, int(BlockThreads) / 2))));
  Statement Loop;
  Loop.HasBody = true;
  Loop.Braces = true;
  Loop.Head =
      formatv("for (int {0} = 0; {0} <= (n0 & {1}); ++{0})", J, MostSteps - 1);
  Loop.Body.push_back({"__syncthreads();"});
  Loop.Body.push_back(
      {formatv("{0}[tid + {1}] = bound({2} + {3});", Tile, Margin, F, J)});
  if (R.chance(30)) // a product that may come to a sum behind the condition
    Loop.Body.push_back({formatv("{0} = bound({0}) * 0.75f;", F)});
  Loop.Body.push_back({"__syncthreads();"});
  if (R.chance(15)) // written between the barriers, where nobody reads
    Loop.Body.push_back(
        {formatv("if (tid == 0) {0}[0] = float({1});", Tile, J)});
  std::string Sum = R.chance(50) ? F : "1.0f";
  for (int I = 0, N = R.between(4, 9); I < N; ++I)
    Sum += formatv(R.pick({" + {0}[tid + {1}] * {2}.5f", " - {0}[tid + {1}]",
                           " + {0}[tid + {1}] * {3}"}),
                   Tile, R.between(1, 2 * int(Margin)), R.between(0, 3), F);
  Loop.Body.push_back(
      {formatv("if ({0}) {1}[{2}] = {3};",
               formatv(R.pick({"{0} < {1}", "{0} < {1} && {0} > 2",
                               "{0} <= {1} && {0} < 999 + n0"}),
                       X, End),
               Into, formatv("{0} * {1} + {2}", J, Threads, X), Sum)});
  To.push_back(std::move(Loop));
  if (R.chance(60))
    To.push_back(barrier());
}
