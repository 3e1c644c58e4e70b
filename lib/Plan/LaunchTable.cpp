// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the rows of a plan to a table that can be asked, and back. Rows that
// change nothing are left out: the kernel goes through them when it runs.

#include "sluice/Plan/LaunchTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <set>

using namespace sluice;
using llvm::ArrayRef;
using llvm::formatv;

static constexpr unsigned WarpSize = 32;

unsigned sluice::warpGroupsOf(ArrayRef<GridStep> Steps, uint64_t Blocks) {
  unsigned N = 1;
  for (const GridStep &Step : Steps)
    if (Step.MinBlocks <= Blocks)
      N = Step.WarpGroups;
  return N;
}

GridSteps sluice::simplified(ArrayRef<GridStep> Steps) {
  GridSteps Result;
  for (const GridStep &Step : Steps)
    if (Result.empty() || Result.back().WarpGroups != Step.WarpGroups)
      Result.push_back(Step);
  return Result;
}

/// The number of its warps, if it is one-dimensional and of whole ones; else 0.
static unsigned wholeWarps(const BlockShape &Block) {
  bool IsRow = Block[1] == 1 && Block[2] == 1 && Block[0] % WarpSize == 0;
  return IsRow && Block[0] / WarpSize <= LaunchTable::MaxWarps
             ? Block[0] / WarpSize
             : 0;
}

LaunchTable LaunchTable::of(const LoopPlan &Loop) {
  LaunchTable Table;
  if (Loop.ByLaunch.empty())
    Table.Otherwise = Loop.WarpGroups;
  for (const LaunchRow &Row : Loop.ByLaunch) {
    GridStep Step{Row.MinBlocks, Row.WarpGroups};
    if (Row.Block) {
      Table.Shapes[*Row.Block].push_back(Step);
      continue;
    }
    for (unsigned Threads = Row.MinThreads; Threads <= Row.MaxThreads;
         Threads += WarpSize)
      Table.OfWarps[Threads / WarpSize - 1].push_back(Step);
  }
  return Table;
}

/// The steps less those at the beginning that say what is so in any case.
static ArrayRef<GridStep> withoutOnes(ArrayRef<GridStep> Steps) {
  return Steps.drop_while([](const GridStep &S) { return S.WarpGroups == 1; });
}

std::vector<LaunchRow> LaunchTable::rows() const {
  std::vector<LaunchRow> Rows;
  auto Add = [&](LaunchRow Row, ArrayRef<GridStep> Steps) {
    for (const GridStep &Step : Steps) {
      Row.MinBlocks = Step.MinBlocks;
      Row.WarpGroups = Step.WarpGroups;
      Rows.push_back(Row);
    }
  };
  for (const auto &[Block, Steps] : Shapes) {
    LaunchRow Row;
    Row.Block = Block;
    ArrayRef<GridStep> Needed = withoutOnes(Steps);
    // A shape that stays N=1 is named only where a range would have it.
    unsigned Warps = wholeWarps(Block);
    if (Needed.empty() && Warps != 0 && !OfWarps[Warps - 1].empty())
      Add(Row, GridStep());
    Add(Row, Needed);
  }
  for (const WarpRange &Range : warpRanges()) {
    LaunchRow Row;
    Row.MinThreads = Range.First * WarpSize;
    Row.MaxThreads = Range.Last * WarpSize;
    Add(Row, withoutOnes(Range.Steps));
  }
  return Rows;
}

const GridSteps *LaunchTable::stepsOf(const BlockShape &Block) const {
  auto Shape = Shapes.find(Block);
  if (Shape != Shapes.end())
    return &Shape->second;
  unsigned Warps = wholeWarps(Block);
  return Warps != 0 && !OfWarps[Warps - 1].empty() ? &OfWarps[Warps - 1]
                                                   : nullptr;
}

unsigned LaunchTable::warpGroups(const BlockShape &Block,
                                 uint64_t Blocks) const {
  const GridSteps *Steps = stepsOf(Block);
  return Steps ? warpGroupsOf(*Steps, Blocks) : Otherwise;
}

unsigned LaunchTable::most() const {
  unsigned Most = Otherwise;
  auto Consider = [&](const GridSteps &Steps) {
    for (const GridStep &Step : Steps)
      Most = std::max(Most, Step.WarpGroups);
  };
  for (const auto &[Block, Steps] : Shapes)
    Consider(Steps);
  for (const GridSteps &Steps : OfWarps)
    Consider(Steps);
  return Most;
}

std::vector<LaunchTable::WarpRange> LaunchTable::warpRanges() const {
  std::vector<WarpRange> Ranges;
  for (unsigned Warps = 1; Warps <= MaxWarps; ++Warps) {
    const GridSteps &Steps = OfWarps[Warps - 1];
    if (Ranges.empty() || Ranges.back().Steps != Steps)
      Ranges.push_back({Warps, Warps, Steps});
    Ranges.back().Last = Warps;
  }
  return Ranges;
}

static std::string describe(ArrayRef<GridStep> Steps) {
  std::string Text;
  for (const GridStep &Step : Steps) {
    Text += formatv("{0}N={1}", Text.empty() ? "" : ", ", Step.WarpGroups);
    if (Step.MinBlocks > 1)
      Text += formatv(" from {0} blocks", Step.MinBlocks);
  }
  return Text;
}

std::string LaunchTable::str() const {
  constexpr unsigned MaxParts = 4;
  std::vector<std::string> Parts, Usual;
  for (const auto &[Block, Steps] : Shapes) {
    if (withoutOnes(Steps).empty())
      continue;
    std::string Shape = std::to_string(Block[0]);
    if (Block[1] != 1 || Block[2] != 1)
      Shape += formatv("x{0}", Block[1]);
    if (Block[2] != 1)
      Shape += formatv("x{0}", Block[2]);
    Parts.push_back(
        formatv("{0} threads: {1}", Shape, describe(withoutOnes(Steps))));
  }
  for (const WarpRange &Range : warpRanges()) {
    if (withoutOnes(Range.Steps).empty())
      continue;
    std::string Steps = describe(withoutOnes(Range.Steps));
    for (unsigned Warps : {4, 8, 16, 32}) // blocks are mostly of these
      if (Range.First <= Warps && Warps <= Range.Last)
        Usual.push_back(formatv("{0} threads: {1}", Warps * WarpSize, Steps));
    std::string Threads = std::to_string(Range.First * WarpSize);
    if (Range.Last != Range.First)
      Threads += formatv(" to {0}", Range.Last * WarpSize);
    Parts.push_back(formatv("{0} threads: {1}", Threads, Steps));
  }
  bool IsPart = Parts.size() > MaxParts;
  if (IsPart && !Usual.empty())
    Parts = std::move(Usual);
  if (Parts.size() > MaxParts)
    Parts.resize(MaxParts);
  return llvm::join(Parts, "; ") + (IsPart ? "; more in the plan" : "");
}

LaunchTable sluice::largerOf(const LaunchTable &A, const LaunchTable &B) {
  /// Null: \p Otherwise for all grids.
  auto Larger = [&](const GridSteps *OfA, const GridSteps *OfB) {
    std::set<uint64_t> Starts;
    for (auto [Steps, Otherwise] :
         {std::pair(OfA, A.Otherwise), std::pair(OfB, B.Otherwise)}) {
      if (!Steps && Otherwise != 1)
        Starts.insert(1);
      if (Steps)
        for (const GridStep &Step : *Steps)
          Starts.insert(Step.MinBlocks);
    }
    GridSteps Result;
    for (uint64_t Start : Starts)
      Result.push_back(
          {Start, std::max(OfA ? warpGroupsOf(*OfA, Start) : A.Otherwise,
                           OfB ? warpGroupsOf(*OfB, Start) : B.Otherwise)});
    return simplified(Result);
  };
  LaunchTable Result;
  Result.Otherwise = std::max(A.Otherwise, B.Otherwise);
  for (const LaunchTable *Table : {&A, &B})
    for (const auto &[Block, Steps] : Table->Shapes)
      Result.Shapes[Block] = Larger(A.stepsOf(Block), B.stepsOf(Block));
  for (unsigned I = 0; I < LaunchTable::MaxWarps; ++I) {
    const GridSteps *OfA = A.OfWarps[I].empty() ? nullptr : &A.OfWarps[I];
    const GridSteps *OfB = B.OfWarps[I].empty() ? nullptr : &B.OfWarps[I];
    if (OfA || OfB)
      Result.OfWarps[I] = Larger(OfA, OfB);
  }
  return Result;
}

std::string sluice::faultOf(const LaunchRow &Row) {
  constexpr unsigned MaxThreads = LaunchTable::MaxWarps * WarpSize;
  if (Row.Block) {
    if (Row.MinThreads || Row.MaxThreads)
      return "a row of by-launch has either block, or threads-min and "
             "threads-max";
    uint64_t Threads = 1;
    for (unsigned Size : *Row.Block)
      Threads = llvm::SaturatingMultiply<uint64_t>(Threads, Size);
    if (Threads == 0 || Threads > MaxThreads)
      return formatv("block must be [x, y, z] of 1 to {0} threads", MaxThreads);
  } else if (Row.MinThreads == 0 || Row.MinThreads % WarpSize != 0 ||
             Row.MaxThreads % WarpSize != 0 ||
             Row.MinThreads > Row.MaxThreads || Row.MaxThreads > MaxThreads) {
    return formatv("a row of by-launch needs block, or threads-min and "
                   "threads-max: multiples of {0} up to {1}, the first not "
                   "above the second",
                   WarpSize, MaxThreads);
  }
  if (Row.MinBlocks == 0)
    return "blocks-min must be at least 1";
  return "";
}

std::string sluice::faultOf(ArrayRef<LaunchRow> Rows) {
  std::set<BlockShape> Seen;
  for (size_t I = 0; I < Rows.size(); ++I) {
    const LaunchRow &Row = Rows[I];
    const LaunchRow *Before = I ? &Rows[I - 1] : nullptr;
    bool IsSame = Before && Before->Block == Row.Block &&
                  Before->MinThreads == Row.MinThreads &&
                  Before->MaxThreads == Row.MaxThreads;
    if (IsSame && Before->MinBlocks >= Row.MinBlocks)
      return formatv("rows of one block in by-launch must have rising "
                     "blocks-min, not {0} after {1}",
                     Row.MinBlocks, Before->MinBlocks);
    if (IsSame)
      continue;
    if (Row.Block && Before && !Before->Block)
      return "rows with block must stand before those with threads-min in "
             "by-launch";
    if (Row.Block && !Seen.insert(*Row.Block).second)
      return "rows of one block must stand together in by-launch";
    if (!Row.Block && Before && !Before->Block &&
        Before->MaxThreads >= Row.MinThreads)
      return formatv("rows in by-launch must be by rising threads and not "
                     "overlap: {0} to {1} after {2} to {3}",
                     Row.MinThreads, Row.MaxThreads, Before->MinThreads,
                     Before->MaxThreads);
  }
  return "";
}
