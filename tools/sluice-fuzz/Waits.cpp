// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps of a block that wait for others, by all that there is but barriers.
// What keeps them good: flags are read by atomics or volatile, with fences
// around what they guard; a warp waits for one that waits for none of those
// behind it, or that has signalled before it waits. So the kernel ends whatever
// the order of warps, if each goes on in the end. One that takes turns does
// not.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;
using sluice::emulator::ElementType;

// A block's slots: a flag of each warp, what rings are filled and emptied to,
// the lock, the barrier, and two elements of each warp.
static constexpr unsigned Slots = 64, Filled = 8, Emptied = 16, Next = 24,
                          Served = 25, Arrived = 26, Data = 48;

void Generator::addWaits() {
  // Whole warps, for what they do together.
  if (BlockThreads <= 32 || BlockThreads % 32 || !R.chance(35))
    return;
  Waits = "waits";
  addBuffer(Waits, "int *", ElementType::I32, Slots * K.Grid.count());
}

/// Until slot \p Slot is at least \p Value.
void Generator::await(Body &To, const std::string &Slot,
                      const std::string &Value) {
  std::string Name = fresh("w"), Flag = "&flag[" + Slot + "]";
  std::string Come =
      R.chance(70)
          ? formatv(R.pick({"atomicAdd({0}, 0) >= {1}",
                            "atomicCAS({0}, -1, -1) >= {1}",
                            "__nvvm_atom_max_gen_i({0}, 0) >= {1}"}),
                    Flag, Value)
                .str()
          : formatv("*(volatile int *)({0}) >= {1}", Flag, Value).str();
  auto Add = [&](std::string Text) {
    To.push_back({std::move(Text)});
    To.back().Declares = true;
  };
  switch (R.below(14)) {
  case 0:
  case 1:
    Add(formatv("while (!({0}));", Come));
    break;
  case 2:
    Add(formatv("do {{} while (!({0}));", Come));
    break;
  case 3:
    Add(formatv("for (;;) {{ if ({0}) break; }", Come));
    break;
  case 4: // an atomic that guards a plain store
    Add(formatv("int {0} = 0; while (!{0}) if ({1}) {0} = 1;", Name, Come));
    break;
  case 5:
    Add(formatv("int {0}[4] = {{}; while (!{0}[tid & 3]) if ({1}) "
                "{0}[tid & 3] = 1;",
                Name, Come));
    break;
  case 6:
    Add(formatv("unsigned char {0}[4] = {{}; while (!{0}[tid & 3]) if ({1}) "
                "__builtin_memset({0}, 1, 4);",
                Name, Come));
    break;
  case 7:
    Add(formatv("struct {{ int spins; bool come; } {0} = {{}; while "
                "(!{0}.come) {{ ++{0}.spins; if ({1}) {0}.come = true; }",
                Name, Come));
    break;
  case 8: // one of global memory, that no other thread knows
    Add(formatv("while (!mail[gid]) if ({0}) mail[gid] = 1; mail[gid] = 0;",
                Come));
    NeedsMail = true;
    break;
  case 9:
    Add(formatv("while (!({0})) asm volatile(\"\" ::: \"memory\");", Come));
    break;
  case 10:
    Add(formatv("awaitFlag({0}, {1});", Flag, Value));
    break;
  case 11:
    Add(formatv("awaitInline({0}, {1});", Flag, Value));
    break;
  case 12:
    Add(formatv("while (!hasCome({0}, {1}));", Flag, Value));
    break;
  default:
    Add(formatv("auto {0} = [&] {{ return {1}; }; while (!{0}());", Name,
                Come));
    break;
  }
  Add("__threadfence();");
}

/// What the warp did comes before it.
void Generator::signal(Body &To, const std::string &Slot) {
  // Several warps count at the barrier.
  const char *How =
      R.chance(50) || Slot == std::to_string(Arrived)
          ? "atomicAdd(&flag[{0}], 1);"
          : R.pick({"__nvvm_atom_xchg_gen_i(&flag[{0}], flag[{0}] + 1);",
                    "*(volatile int *)&flag[{0}] = flag[{0}] + 1;"});
  Statement S("__threadfence(); __nvvm_bar_warp_sync(~0u); if ((tid & 31) == "
              "0) " +
              formatv(How, Slot).str());
  S.Declares = true; // it is several
  To.push_back(std::move(S));
}

/// A loop with something to gain.
Statement Generator::regionLoop(const std::string &J, Body Inner) {
  Statement S;
  S.HasBody = true;
  S.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J,
                   R.chance(50) ? R.pick(Scalars).Name : "16");
  Scope Here(*this);
  Indices.push_back({J, 24, true});
  S.Body.push_back(reuse(J, 24));
  for (Statement &Part : Inner)
    S.Body.push_back(std::move(Part));
  Work += 24;
  return S;
}

/// Warps meet by counting: \p Round is the number of the meeting, from 0.
void Generator::meetByCounting(Body &To, const std::string &Round) {
  signal(To, std::to_string(Arrived));
  await(To, std::to_string(Arrived),
        formatv("{0} * ({1} + 1)", warps(), Round).str());
}

/// One warp after another, in the order in which they came.
void Generator::ticket(Body &To) {
  std::string Mine = fresh("w");
  Statement Take(
      formatv("int {0} = 0; if ((tid & 31) == 0) {0} = atomicAdd(&flag[{1}], "
              "1); {0} = __nvvm_shfl_sync_idx_i32(~0u, {0}, 0, 31);",
              Mine, Next)
          .str());
  Take.Declares = true;
  To.push_back(std::move(Take));
  await(To, std::to_string(Served), Mine);
  To.push_back(regionLoop(fresh("j")));
  signal(To, std::to_string(Served));
}

/// Each warp hands elements on to the next one through a ring of two.
void Generator::ring(Body &To) {
  std::string J = fresh("j"), Held = fresh("w");
  Statement Loop;
  Loop.HasBody = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < 5; ++{0})", J);
  Loop.Body.push_back({formatv("int {0} = {1} + tid / 32;", Held, J)});
  Loop.Body.back().Declares = true;
  Statement Take, Put;
  Take.HasBody = Put.HasBody = true;
  Take.Head = "if (tid >= 32)";
  await(Take.Body, formatv("{0} + tid / 32 - 1", Filled), J + " + 1");
  Take.Body.push_back({formatv("{0} += *(volatile int *)&flag[{1} + 2 * (tid / "
                               "32 - 1) + ({2} & 1)];",
                               Held, Data, J)});
  signal(Take.Body, formatv("{0} + tid / 32 - 1", Emptied));
  Put.Head = formatv("if (tid / 32 < {0} - 1)", warps());
  await(Put.Body, formatv("{0} + tid / 32", Emptied), J + " - 1");
  Put.Body.push_back({formatv("if ((tid & 31) == 0) *(volatile int *)&flag[{0} "
                              "+ 2 * (tid / 32) + ({1} & 1)] = {2};",
                              Data, J, Held)});
  signal(Put.Body, formatv("{0} + tid / 32", Filled));
  {
    Scope Here(*this);
    Indices.push_back({J, 5, true});
    Loop.Body.push_back(reuse(J, 5));
  }
  Loop.Body.push_back(std::move(Take));
  Loop.Body.push_back(std::move(Put));
  Loop.Body.push_back(
      {formatv("{0} += float({1});", variable('f')->Name, Held)});
  Work += 5 * 8;
  To.push_back(std::move(Loop));
}

std::string Generator::warps() const {
  return std::to_string((BlockThreads + 31) / 32);
}

void Generator::waits(Body &All) {
  if (MayHaveReturned)
    return;
  HasWaited = true;
  Statement Around;
  Around.HasBody = true;
  Body &To = Around.Body;
  auto Add = [&](std::string Text) {
    To.push_back({std::move(Text)});
    To.back().Declares = true;
  };
  if (R.chance(30)) {
    Add(formatv("__shared__ int flag[{0}];", Slots));
    Add(formatv("for (int i = tid; i < {0}; i += {1}) flag[i] = 0;", Slots,
                BlockThreads));
    Add("__syncthreads();");
  } else {
    Add(formatv("int *flag = waits + (blockIdx.x + gridDim.x * blockIdx.y) * "
                "{0};",
                Slots));
  }
  // Of the neighbour on either side; who has none does not wait.
  const bool Up = R.chance(60);
  const std::string Neighbour = Up ? "tid / 32 + 1" : "tid / 32 - 1";
  auto AwaitNeighbour = [&](Body &Where, const std::string &Value) {
    Statement If;
    If.HasBody = true;
    If.Head = Up ? formatv("if (tid / 32 + 1 < {0})", warps()).str()
                 : std::string("if (tid >= 32)");
    await(If.Body, Neighbour, Value);
    Where.push_back(std::move(If));
  };
  switch (R.below(8)) {
  case 0: // in front
    AwaitNeighbour(To, "1");
    To.push_back(regionLoop(fresh("j")));
    signal(To, "tid / 32");
    break;
  case 1: // behind
    signal(To, "tid / 32");
    To.push_back(regionLoop(fresh("j")));
    AwaitNeighbour(To, "1");
    break;
  case 2:
    To.push_back(regionLoop(fresh("j")));
    AwaitNeighbour(To, "1");
    signal(To, "tid / 32");
    break;
  case 3: { // inside
    std::string J = fresh("j");
    Body Inner;
    signal(Inner, "tid / 32");
    AwaitNeighbour(Inner, J + " + 1");
    To.push_back(regionLoop(J, std::move(Inner)));
    break;
  }
  case 4: {
    meetByCounting(To, "0");
    To.push_back(regionLoop(fresh("j")));
    meetByCounting(To, "1");
    break;
  }
  case 5: {
    std::string J = fresh("j");
    Body Inner;
    meetByCounting(Inner, J);
    To.push_back(regionLoop(J, std::move(Inner)));
    break;
  }
  case 6:
    ticket(To);
    break;
  default:
    ring(To);
    break;
  }
  if (NeedsMail && K.Parameters.back().Name != "mail")
    addBuffer("mail", "int *", ElementType::I32, Threads);
  All.push_back(std::move(Around));
}
