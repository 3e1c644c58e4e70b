// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paper divides the code into segments that compute and segments that wait
// for memory. Here each instruction waits for those whose results it needs, so
// the segments come out by themselves, of dependent arithmetic too.

#include "sluice/Target/WarpProgram.h"
#include "sluice/Target/MemoryModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <limits>
#include <optional>
#include <set>

using namespace llvm;
using namespace sluice;

/// Rounds of an innermost loop, and of one with a loop in it.
static constexpr unsigned InnerRounds = 8, OuterRounds = 2;
static constexpr size_t MostInstructions = 6000;
/// Of loads of global memory, those that find their lines in the L1, and in the
/// L2: "we empirically measure the cache hit ratio for all the applications".
static constexpr double L1Hits = 0.5, L2Hits = 0.25;

//===- PTX to instructions ------------------------------------------------===//

namespace {

struct Line {
  StringRef Predicate, Op, Operands;
};

class ProgramBuilder {
public:
  ProgramBuilder(StringRef Body, const GPUModel &GPU)
      : Memory(memoryModel(GPU)) {
    read(Body);
  }
  std::vector<WarpInstruction> run() {
    add(0, Lines.size());
    return std::move(Program);
  }

private:
  void read(StringRef Body);
  void add(size_t Begin, size_t End);
  void addLoop(size_t Begin, size_t End);
  void addOne(size_t At);
  WarpInstruction classify(StringRef Op) const;
  std::optional<size_t> lastJumpBackTo(size_t Begin, size_t End) const;

  const MemoryModel Memory;
  std::vector<Line> Lines;
  StringMap<size_t> Labels; ///< The line behind it.
  StringMap<unsigned> Results;
  std::vector<WarpInstruction> Program;
};

} // namespace

static bool isJump(const Line &L) { return L.Op.starts_with("bra"); }

void ProgramBuilder::read(StringRef Body) {
  while (!Body.empty()) {
    StringRef Text;
    std::tie(Text, Body) = Body.split('\n');
    Text = Text.split("//").first.trim();
    if (Text.consume_back(":")) {
      Labels[Text] = Lines.size();
      continue;
    }
    if (!Text.consume_back(";") || Text.starts_with("."))
      continue;
    Line L;
    if (Text.starts_with("@"))
      std::tie(L.Predicate, Text) = Text.split(' ');
    Text = Text.trim();
    const size_t Space = Text.find_first_of(" \t");
    L.Op = Text.take_front(Space);
    L.Operands = Text.drop_front(L.Op.size()).trim();
    Lines.push_back(L);
  }
}

/// The registers in \p Text.
static SmallVector<StringRef, 4> registersIn(StringRef Text) {
  SmallVector<StringRef, 4> Names;
  while (true) {
    Text = Text.drop_until([](char C) { return C == '%'; });
    if (Text.empty())
      return Names;
    const StringRef Name = Text.take_front(
        1 + Text.drop_front()
                .take_while([](char C) { return isAlnum(C) || C == '_'; })
                .size());
    Names.push_back(Name);
    Text = Text.drop_front(Name.size());
  }
}

/// The operand that is written, and those behind it.
static std::pair<StringRef, StringRef> splitResult(StringRef Operands) {
  if (Operands.starts_with("{")) {
    const size_t End = Operands.find('}');
    return {Operands.take_front(End), Operands.drop_front(End)};
  }
  return Operands.split(',');
}

static bool writesNothing(StringRef Op) {
  const StringRef Name = Op.split('.').first;
  return Name == "st" || Name == "red" || Name == "bar" || Name == "barrier" ||
         Name == "bra" || Name == "ret" || Name == "exit" || Name == "membar" ||
         Name == "fence" || Name == "prefetch" || Name == "cp";
}

WarpInstruction ProgramBuilder::classify(StringRef Op) const {
  WarpInstruction I;
  const StringRef Name = Op.split('.').first;
  I.ResultCycles = writesNothing(Op) ? 0 : Memory.ArithmeticCycles;
  const bool IsAccess =
      is_contained({"ld", "st", "atom", "red", "ldu", "cp"}, Name);
  const bool IsRound = Op.contains(".rn") || Op.contains(".full");
  if (IsAccess && !Op.contains(".param") && !Op.contains(".const")) {
    I.Unit = IssueUnit::Memory;
    I.UnitCycles = Schedulers; // all share it
    const bool IsNear = Op.contains(".shared") || Op.contains(".local");
    if (Name != "st" && Name != "red" && Name != "cp") {
      I.IsGlobal = !IsNear;
      I.ResultCycles =
          Op.contains(".shared") ? Memory.SharedCycles
          : Op.contains(".local")
              ? Memory.L1HitCycles
              : unsigned(L1Hits * Memory.L1HitCycles +
                         L2Hits * Memory.L2HitCycles +
                         (1 - L1Hits - L2Hits) * Memory.DRAMCycles);
    }
  } else if (Name == "bar" || Name == "barrier") {
    I.IsBarrier = true;
  } else if (is_contained({"ex2", "lg2", "sin", "cos", "rcp", "rsqrt", "sqrt",
                           "tanh", "div"},
                          Name)) {
    // The exact ones are a dozen instructions, one of them special.
    I.Unit = IssueUnit::Special;
    I.UnitCycles = 8;
    I.ResultCycles = IsRound ? 60 : 20;
  } else if (Op.contains(".f64")) {
    I.Unit = IssueUnit::Double;
    I.UnitCycles = 2;
    I.ResultCycles = 2 * Memory.ArithmeticCycles;
  }
  return I;
}

void ProgramBuilder::addOne(size_t At) {
  const Line &L = Lines[At];
  StringRef Written, Read = L.Operands;
  if (!writesNothing(L.Op))
    std::tie(Written, Read) = splitResult(L.Operands);
  auto Needs = registersIn(Read);
  append_range(Needs, registersIn(L.Predicate));
  // A register for another: the assembler takes it out.
  if (L.Op.starts_with("mov") && Needs.size() <= 1) {
    for (StringRef Name : registersIn(Written)) {
      auto Source = Needs.empty() ? Results.end() : Results.find(Needs[0]);
      if (Source == Results.end())
        Results.erase(Name);
      else
        Results[Name] = Source->second;
    }
    return;
  }
  WarpInstruction I = classify(L.Op);
  for (StringRef Name : Needs)
    if (auto Found = Results.find(Name); Found != Results.end())
      I.Needs.push_back(Found->second);
  I.Line = unsigned(At);
  for (StringRef Name : registersIn(Written))
    Results[Name] = unsigned(Program.size());
  Program.push_back(std::move(I));
}

/// The last line in the range that jumps to \p Begin, if there is a label.
std::optional<size_t> ProgramBuilder::lastJumpBackTo(size_t Begin,
                                                     size_t End) const {
  for (size_t At = End; At-- > Begin;)
    if (isJump(Lines[At]))
      if (auto To = Labels.find(Lines[At].Operands.trim());
          To != Labels.end() && To->second == Begin)
        return At;
  return std::nullopt;
}

void ProgramBuilder::addLoop(size_t Begin, size_t End) {
  bool HasInner = false;
  for (size_t At = Begin + 1; At < End && !HasInner; ++At)
    HasInner = lastJumpBackTo(At, End).has_value();
  for (unsigned Round = 0; Round < (HasInner ? OuterRounds : InnerRounds);
       ++Round) {
    addOne(Begin);
    add(Begin + 1, End);
    if (Program.size() >= MostInstructions)
      return;
  }
}

/// Both ways of a condition, one after the other, but for one that a jump to
/// what is behind both passes over.
void ProgramBuilder::add(size_t Begin, size_t End) {
  for (size_t At = Begin; At < End && Program.size() < MostInstructions;) {
    if (auto Back = lastJumpBackTo(At, End)) {
      addLoop(At, *Back + 1);
      At = *Back + 1;
      continue;
    }
    const Line &L = Lines[At];
    addOne(At);
    ++At;
    if (!isJump(L) || !L.Predicate.empty())
      continue;
    if (auto To = Labels.find(L.Operands.trim());
        To != Labels.end() && To->second > At && To->second <= End)
      At = To->second;
  }
}

std::vector<WarpInstruction>
sluice::warpProgram(StringRef PTX, StringRef Kernel, const GPUModel &GPU) {
  const std::string Head = (".entry " + Kernel + "(").str();
  const size_t At = PTX.find(Head);
  if (At == StringRef::npos)
    return {};
  StringRef Body = PTX.drop_front(At);
  Body = Body.drop_front(std::min(Body.find("\n{"), Body.size()));
  Body = Body.take_front(std::min(Body.find("\n}"), Body.size()));
  return ProgramBuilder(Body.drop_front(std::min<size_t>(2, Body.size())), GPU)
      .run();
}

std::vector<WarpInstruction>
sluice::withSpills(ArrayRef<WarpInstruction> Program, uint64_t Spills) {
  std::set<unsigned> Lines;
  for (const WarpInstruction &I : Program)
    Lines.insert(I.Line);
  WarpInstruction Access;
  Access.Unit = IssueUnit::Memory;
  std::vector<WarpInstruction> Result;
  std::vector<unsigned> NewNumber;
  uint64_t Due = 0; // of Lines.size() for each instruction
  for (const WarpInstruction &I : Program) {
    NewNumber.push_back(unsigned(Result.size()));
    Result.push_back(I);
    for (unsigned &Needed : Result.back().Needs)
      Needed = NewNumber[Needed];
    for (Due += Spills; Due >= Lines.size(); Due -= Lines.size())
      Result.push_back(Access);
  }
  return Result;
}

//===- Greedy, then oldest ------------------------------------------------===//

namespace {

/// A scheduler's quarter of an SM.
class Scheduler {
public:
  Scheduler(ArrayRef<WarpInstruction> Program, const GPUModel &GPU,
            unsigned WarpsPerBlock, unsigned Blocks);
  /// Issues until \p Ends blocks, or all, are at their end, each followed by
  /// the next one where \p Refills. The cycle.
  uint64_t run(unsigned Ends, bool Refills);
  /// Blocks that have issued.
  unsigned blocksBegun() const;

private:
  struct Warp {
    unsigned Block = 0;
    size_t Next = 0;
    uint64_t Issued = 0; ///< When, the last.
    std::vector<uint64_t> Done;
    bool HasBegun = false;
  };

  uint64_t readyAt(const Warp &W) const;
  bool isAtBarrier(const Warp &W) const;
  void issue(Warp &W, uint64_t Now);

  ArrayRef<WarpInstruction> Program;
  std::vector<Warp> Warps; ///< The oldest first.
  uint64_t UnitFree[NumIssueUnits] = {};
  double MemoryFree = 0;
  double LoadCycles; ///< Of memory's share, for a load of a warp.
};

} // namespace

Scheduler::Scheduler(ArrayRef<WarpInstruction> Program, const GPUModel &GPU,
                     unsigned WarpsPerBlock, unsigned Blocks)
    : Program(Program) {
  const MemoryModel Memory = memoryModel(GPU);
  LoadCycles = (1 - L1Hits - L2Hits) * GPU.LineBytes * GPU.DefaultSMs *
               Schedulers / Memory.DRAMBytesPerCycle;
  const unsigned Total = WarpsPerBlock * Blocks;
  // Those of its quarter: every fourth.
  for (unsigned W = 0; W < Total; W += Schedulers) {
    Warps.emplace_back();
    Warps.back().Block = W / WarpsPerBlock;
    Warps.back().Done.resize(Program.size());
  }
}

bool Scheduler::isAtBarrier(const Warp &W) const {
  return W.Next < Program.size() && Program[W.Next].IsBarrier &&
         any_of(
             Warps,
             [&](const Warp &Other) {
               return Other.Block == W.Block && Other.Next < W.Next;
             });
}

uint64_t Scheduler::readyAt(const Warp &W) const {
  if (W.Next >= Program.size() || isAtBarrier(W))
    return std::numeric_limits<uint64_t>::max();
  const WarpInstruction &I = Program[W.Next];
  uint64_t At =
      std::max(W.Issued + (W.HasBegun ? 1 : 0), UnitFree[unsigned(I.Unit)]);
  for (unsigned N : I.Needs)
    At = std::max(At, W.Done[N]);
  return At;
}

void Scheduler::issue(Warp &W, uint64_t Now) {
  const WarpInstruction &I = Program[W.Next];
  UnitFree[unsigned(I.Unit)] = Now + I.UnitCycles;
  uint64_t From = Now;
  if (I.IsGlobal) {
    MemoryFree = std::max(MemoryFree, double(Now)) + LoadCycles;
    From = uint64_t(MemoryFree - LoadCycles);
  }
  W.Done[W.Next++] = From + I.ResultCycles;
  W.Issued = Now;
  W.HasBegun = true;
}

uint64_t Scheduler::run(unsigned Ends, bool Refills) {
  uint64_t Now = 0;
  size_t Last = 0;
  unsigned NextBlock = Warps.empty() ? 0 : Warps.back().Block + 1;
  while (true) {
    size_t Best = Warps.size();
    uint64_t BestAt = std::numeric_limits<uint64_t>::max();
    if (Last < Warps.size() && readyAt(Warps[Last]) <= Now) {
      Best = Last;
      BestAt = Now;
    }
    for (size_t W = 0; W < Warps.size() && BestAt > Now; ++W)
      if (const uint64_t At = std::max(Now, readyAt(Warps[W])); At < BestAt) {
        Best = W;
        BestAt = At;
      }
    if (Best == Warps.size())
      return Now;
    Now = BestAt;
    issue(Warps[Best], Now);
    ++Now;
    Last = Best;
    if (Warps[Best].Next < Program.size())
      continue;
    const bool IsLastOfBlock = none_of(Warps, [&](const Warp &W) {
      return W.Block == Warps[Best].Block && W.Next < Program.size();
    });
    if (!IsLastOfBlock)
      continue;
    if (--Ends == 0)
      return Now;
    if (!Refills)
      continue;
    const unsigned Old = Warps[Best].Block;
    for (size_t W = 0, E = Warps.size(); W < E; ++W)
      if (Warps[W].Block == Old) {
        Warp New = std::move(Warps[W]);
        New.Block = NextBlock;
        New.Next = 0;
        New.Issued = Now;
        New.HasBegun = false;
        Warps.push_back(std::move(New));
      }
    erase_if(Warps, [&](const Warp &W) { return W.Done.empty(); });
    ++NextBlock;
    Last = 0;
  }
}

unsigned Scheduler::blocksBegun() const {
  SmallVector<unsigned, 16> Begun;
  for (const Warp &W : Warps)
    if (W.HasBegun && !is_contained(Begun, W.Block))
      Begun.push_back(W.Block);
  return unsigned(Begun.size());
}

unsigned sluice::blocksInvolved(ArrayRef<WarpInstruction> Program,
                                const GPUModel &GPU, unsigned WarpsPerBlock,
                                unsigned Blocks) {
  Scheduler S(Program, GPU, WarpsPerBlock, Blocks);
  S.run(1, /*Refills=*/false);
  return S.blocksBegun();
}

double sluice::cyclesPerBlock(ArrayRef<WarpInstruction> Program,
                              const GPUModel &GPU, unsigned WarpsPerBlock,
                              unsigned Blocks) {
  // Of blocks with fewer warps than schedulers several are one here.
  const unsigned Seen = unsigned(
      std::max<uint64_t>(1, uint64_t(WarpsPerBlock) * Blocks / Schedulers));
  const unsigned Ends = 3 * std::min(Blocks, Seen);
  const double Share = double(Blocks) / std::min(Blocks, Seen);
  Scheduler S(Program, GPU, WarpsPerBlock, Blocks);
  return double(S.run(Ends, /*Refills=*/true)) / (Ends * Share);
}
