// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps that wait for others, of their block or of any, by all that there is
// but barriers. What keeps them good: flags are read by atomics or volatile,
// with fences around what they guard; a warp waits for one that waits for none
// of those behind it, or that has signalled before it waits. So the kernel ends
// whatever the order of warps, if each goes on in the end, and all blocks are
// there. One that takes turns does not, nor one whose blocks must wait.

#include "Generator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;
using sluice::emulator::ElementType;

namespace {

/// Where warps wait: in front of a loop, in it, behind it.
struct Shape {
  StringLiteral Name;
  void (Generator::*Make)(std::vector<Statement> &To);
};

} // namespace

void Generator::addWaits() {
  const unsigned Warps = BlockThreads / 32, Blocks = unsigned(K.Grid.count());
  // Whole warps, for what they do together.
  if (BlockThreads % 32 || Warps * Blocks < 2 ||
      !(R.chance(45) || !With.Wait.empty()))
    return;
  GridWide = Blocks > 1 && (Warps == 1 || isAskedWait("grid") ||
                            isAskedWait("one-thread") || R.chance(45));
  if (Warps == 1 && !GridWide)
    return;
  OneCounts = GridWide && (isAskedWait("one-thread") || R.chance(40));
  Units = GridWide ? Warps * Blocks : Warps;
  Waits = "waits";
  addBuffer(Waits, "int *", ElementType::I32, slots() * Blocks);
}

/// A flag of each warp, what rings are filled and emptied to, two elements of
/// each ring, the lock, and the barrier.
unsigned Generator::slots() const { return 5 * Units + 3; }

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

/// Of the neighbour on either side; who has none does not wait.
void Generator::awaitNeighbour(Body &To, const std::string &Value, bool Up) {
  Statement If;
  If.HasBody = true;
  If.Head = Up ? "if (unit + 1 < units)" : "if (unit > 0)";
  await(If.Body, Up ? "unit + 1" : "unit - 1", Value);
  To.push_back(std::move(If));
}

void Generator::waitInFront(Body &To) {
  awaitNeighbour(To, "1", R.chance(60));
  To.push_back(regionLoop(fresh("j")));
  signal(To, "unit");
}

/// Harmless with turns, but not where a block is not there yet.
void Generator::waitBehind(Body &To) {
  signal(To, "unit");
  To.push_back(regionLoop(fresh("j")));
  awaitNeighbour(To, "1", R.chance(60));
}

void Generator::waitBetween(Body &To) {
  To.push_back(regionLoop(fresh("j")));
  awaitNeighbour(To, "1", R.chance(60));
  signal(To, "unit");
}

void Generator::waitInside(Body &To) {
  std::string J = fresh("j");
  Body Inner;
  signal(Inner, "unit");
  awaitNeighbour(Inner, J + " + 1", R.chance(60));
  To.push_back(regionLoop(J, std::move(Inner)));
}

/// Behind the loop, for a neighbour that is to be in the next round's.
void Generator::waitAhead(Body &To) {
  constexpr int Rounds = 3;
  std::string Round = fresh("j");
  Statement Loop;
  Loop.HasBody = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", Round, Rounds);
  Loop.Body.push_back(regionLoop(fresh("j")));
  signal(Loop.Body, "unit");
  awaitNeighbour(Loop.Body, formatv("min({0} + 2, {1})", Round, Rounds).str(),
                 R.chance(60));
  Work += (Rounds - 1) * 24;
  To.push_back(std::move(Loop));
}

void Generator::meetAround(Body &To) {
  meetByCounting(To, "0");
  To.push_back(regionLoop(fresh("j")));
  meetByCounting(To, "1");
}

void Generator::meetInside(Body &To) {
  std::string J = fresh("j");
  Body Inner;
  meetByCounting(Inner, J);
  To.push_back(regionLoop(J, std::move(Inner)));
}

/// One warp after another, in the order in which they came.
void Generator::ticket(Body &To) {
  std::string Mine = fresh("w");
  Statement Take(formatv("int {0} = 0; if ((tid & 31) == 0) {0} = "
                         "atomicAdd(&flag[next], 1); {0} = "
                         "__nvvm_shfl_sync_idx_i32(~0u, {0}, 0, 31);",
                         Mine)
                     .str());
  Take.Declares = true;
  To.push_back(std::move(Take));
  await(To, "served", Mine);
  To.push_back(regionLoop(fresh("j")));
  signal(To, "served");
}

/// A thread of each warp adds to a sum of the block, which a lock in shared
/// memory guards.
void Generator::lockedSum(Body &To) {
  const std::string Lock = fresh("w"), Sum = fresh("w");
  const char *Fence =
      R.chance(80) ? "__threadfence();" : "__nvvm_membar_cta();";
  const char *Unlock = R.chance(80)
                           ? "__nvvm_atom_xchg_gen_i(&{0}, 0);"
                           : "if (__nvvm_atom_xchg_gen_i(&{0}, 0) != 1) {1} += "
                             "1000;";
  auto Add = [&](std::string Text) {
    To.push_back({std::move(Text)});
    To.back().Declares = true;
  };
  Add(formatv("__shared__ int {0}, {1}; if (tid == 0) {{ {0} = 0; {1} = 0; }",
              Lock, Sum));
  To.push_back({"__syncthreads();"});
  To.push_back(regionLoop(fresh("j")));
  Add(formatv("if ((tid & 31) == {0}) {{ while (atomicCAS(&{1}, 0, 1) != 0); "
              "{2} {3} += unit + {4}; {2} ",
              R.between(0, 31), Lock, Fence, Sum, R.between(1, 9))
          .str() +
      formatv(Unlock, Lock, Sum).str() + " }");
  To.push_back({"__syncthreads();"});
  Add(formatv("{0} += float({1});", variable('f')->Name, Sum));
}

/// Each warp hands elements on to the next one through a ring of two.
void Generator::ring(Body &To) {
  std::string J = fresh("j"), Held = fresh("w");
  Statement Loop;
  Loop.HasBody = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < 5; ++{0})", J);
  Loop.Body.push_back({formatv("int {0} = {1} + unit;", Held, J)});
  Loop.Body.back().Declares = true;
  Statement Take, Put;
  Take.HasBody = Put.HasBody = true;
  Take.Head = "if (unit > 0)";
  await(Take.Body, "filled + unit - 1", J + " + 1");
  Take.Body.push_back({formatv("{0} += *(volatile int *)&flag[data + 2 * (unit "
                               "- 1) + ({1} & 1)];",
                               Held, J)});
  signal(Take.Body, "emptied + unit - 1", /*Guards=*/true);
  Put.Head = "if (unit + 1 < units)";
  await(Put.Body, "emptied + unit", J + " - 1");
  Put.Body.push_back({formatv("if ((tid & 31) == 0) *(volatile int *)&flag["
                              "data + 2 * unit + ({0} & 1)] = {1};",
                              J, Held)});
  signal(Put.Body, "filled + unit", /*Guards=*/true);
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

/// The flags, and whose is which.
void Generator::declareFlags(Body &To) {
  auto Add = [&](std::string Text) {
    To.push_back({std::move(Text)});
    To.back().Declares = true;
  };
  const char *Block = "(blockIdx.x + gridDim.x * blockIdx.y)";
  const bool InShared =
      !GridWide && (isAskedWait("shared-flags") || R.chance(30));
  if (InShared) {
    noteWait("shared-flags");
    Add(formatv("__shared__ int flag[{0}];", slots()));
    Add(formatv("for (int i = tid; i < {0}; i += {1}) flag[i] = 0;", slots(),
                BlockThreads));
    Add("__syncthreads();");
  } else if (GridWide) {
    noteWait("grid");
    Add("int *flag = waits;");
  } else {
    Add(formatv("int *flag = waits + {0} * {1};", Block, slots()));
  }
  std::string Unit = "tid / 32";
  if (GridWide)
    Unit += formatv(" + {0} * {1}", BlockThreads / 32, Block);
  Add(formatv("const int units = {0}, unit = {1};", Units, Unit));
  Add("const int filled = units, emptied = 2 * units, data = 3 * units, next = "
      "5 * units, served = next + 1, arrived = next + 2;");
}

void Generator::waits(Body &All) {
  if (MayHaveReturned)
    return;
  static constexpr Shape MeetsAround = {"barrier-around",
                                        &Generator::meetAround},
                         MeetsInside = {"barrier-inside",
                                        &Generator::meetInside};
  static constexpr Shape Locks = {"lock", &Generator::lockedSum};
  static constexpr Shape Shapes[] = {
      {"in-front", &Generator::waitInFront},
      {"behind", &Generator::waitBehind},
      {"between", &Generator::waitBetween},
      {"inside", &Generator::waitInside},
      {"ahead", &Generator::waitAhead},
      MeetsAround,
      MeetsInside,
      {"ticket", &Generator::ticket},
      {"ring", &Generator::ring},
  };
  HasWaited = true;
  Statement Around;
  Around.HasBody = true;
  declareFlags(Around.Body);
  const Shape *Asked =
      find_if(Shapes, [&](const Shape &S) { return isAskedWait(S.Name); });
  // Not one of the others, whose kernels stay what they were.
  const bool Meets = isAskedWait("one-thread");
  const Shape &How = Asked != std::end(Shapes) ? *Asked
                     : Meets ? R.pick({MeetsAround, MeetsInside})
                     : isAskedWait(Locks.Name) || (With.Small && R.chance(50))
                         ? Locks
                         : R.pick(Shapes);
  noteWait(How.Name);
  (this->*How.Make)(Around.Body);
  if (NeedsMail)
    addBuffer("mail", "int *", ElementType::I32, Threads);
  if (NeedsSeen) {
    Statement Seen(
        formatv("__shared__ int seen[{0}]; seen[tid] = 0;", BlockThreads)
            .str());
    Seen.Declares = true;
    Around.Body.insert(Around.Body.begin(), std::move(Seen));
  }
  All.push_back(std::move(Around));
}
