// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a warp looks whether what it waits for has come, and how it tells others.

#include "Generator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

namespace {

/// {0} is a name of its own, {1} whether it has come, {2} the flag's address,
/// {3} the value that the flag is to have, {4} a sum of floats.
struct Look {
  StringLiteral Name;
  const char *Text;
};

} // namespace

static constexpr Look Looks[] = {
    {"while", "while (!({1}));"},
    {"do", "do {{} while (!({1}));"},
    {"break", "for (;;) {{ if ({1}) break; }"},
    {"asm", "while (!({1})) asm volatile(\"\" ::: \"memory\");"},
    // An atomic that guards a plain store.
    {"local", "int {0} = 0; while (!{0}) if ({1}) {0} = 1;"},
    {"array",
     "int {0}[4] = {{}; while (!{0}[tid & 3]) if ({1}) {0}[tid & 3] = 1;"},
    {"memset", "unsigned char {0}[4] = {{}; while (!{0}[tid & 3]) if ({1}) "
               "__builtin_memset({0}, 1, 4);"},
    {"struct", "struct {{ int spins; bool come; } {0} = {{}; while "
               "(!{0}.come) {{ ++{0}.spins; if ({1}) {0}.come = true; }"},
    // In memory that others could see, but no other thread knows.
    {"global", "while (!mail[gid]) if ({1}) mail[gid] = 1; mail[gid] = 0;"},
    {"shared", "while (!seen[tid]) if ({1}) seen[tid] = 1; seen[tid] = 0;"},
    {"call", "awaitFlag({2}, {3});"},
    {"inline", "awaitInline({2}, {3});"},
    {"predicate", "while (!hasCome({2}, {3}));"},
    {"reference", "bool {0} = false; while (!{0}) lookAt({2}, {3}, {0});"},
    {"method", "Gate{{{2}, {3}}.pass();"},
    {"lambda", "auto {0} = [&] {{ return {1}; }; while (!{0}());"},
    {"recursion", "awaitAgain({2}, {3});"},
    {"deep-recursion",
     "{4} += float(awaitDeep({2}, {3}, tid & 7) - (tid & 7));"},
    {"mutual-recursion", "awaitEven({2}, {3});"},
};

/// Until slot \p Slot is at least \p Value.
void Generator::await(Body &To, const std::string &Slot,
                      const std::string &Value) {
  const Look *Asked =
      find_if(Looks, [&](const Look &L) { return L.Name == With.Wait; });
  const Look &How = Asked == std::end(Looks) ? R.pick(Looks) : *Asked;
  noteWait(How.Name);
  std::string Flag = "&flag[" + Slot + "]";
  if (isAskedWait("field") || R.chance(15)) {
    noteWait("field");
    Flag = "&((Flag *)flag)[" + Slot + "].come";
  }
  std::string Come =
      R.chance(70)
          ? formatv(R.pick({"atomicAdd({0}, 0) >= {1}",
                            "atomicCAS({0}, -1, -1) >= {1}",
                            "__nvvm_atom_max_gen_i({0}, 0) >= {1}"}),
                    Flag, Value)
                .str()
          : formatv("*(volatile int *)({0}) >= {1}", Flag, Value).str();
  NeedsMail |= How.Name == "global";
  NeedsSeen |= How.Name == "shared";
  for (std::string Text : {formatv(/*Validate=*/false, How.Text, fresh("w"),
                                   Come, Flag, Value, variable('f')->Name)
                               .str(),
                           std::string("__threadfence();")}) {
    To.push_back({std::move(Text)});
    To.back().Declares = true;
  }
}

/// What the warp did comes before it. \p Guards: also what its other lanes did.
void Generator::signal(Body &To, const std::string &Slot, bool Guards) {
  // Several warps count at the barrier.
  const char *How =
      R.chance(50) || Slot == "arrived"
          ? "atomicAdd(&flag[{0}], 1);"
          : R.pick({"__nvvm_atom_xchg_gen_i(&flag[{0}], flag[{0}] + 1);",
                    "*(volatile int *)&flag[{0}] = flag[{0}] + 1;"});
  Statement S(
      formatv("__threadfence(); {0}if ((tid & 31) == 0) ",
              Guards || R.chance(75) ? "__nvvm_bar_warp_sync(~0u); " : "")
          .str() +
      formatv(How, Slot).str());
  S.Declares = true; // it is several
  To.push_back(std::move(S));
}

/// Warps meet by counting: \p Round is the number of the meeting, from 0.
void Generator::meetByCounting(Body &To, const std::string &Round) {
  // As grids do: one thread of each block, between barriers of the block.
  if (OneCounts) {
    noteWait("one-thread");
    Statement If;
    If.HasBody = true;
    If.Head = "if (tid == 0)";
    If.Body.push_back({"__threadfence();"});
    If.Body.push_back({"atomicAdd(&flag[arrived], 1);"});
    await(If.Body, "arrived",
          formatv("{0} * ({1} + 1)", K.Grid.count(), Round).str());
    To.push_back({"__syncthreads();"});
    To.push_back(std::move(If));
    To.push_back({"__syncthreads();"});
    return;
  }
  signal(To, "arrived");
  await(To, "arrived", formatv("units * ({0} + 1)", Round).str());
}

void Generator::noteWait(StringRef Kind) {
  if (!is_contained(K.Waits, Kind))
    K.Waits.push_back(Kind.str());
}

bool Generator::isAskedWait(StringRef Kind) const { return With.Wait == Kind; }
