// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// N by the shape of a launch, which the kernel looks up when it runs: where
/// launches want different N, or their sizes are not known at compile time.

#ifndef SLUICE_PLAN_LAUNCHTABLE_H
#define SLUICE_PLAN_LAUNCHTABLE_H

#include "sluice/Plan/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <map>

namespace sluice {

/// From so many blocks of the grid on, N.
struct GridStep {
  uint64_t MinBlocks = 1;
  unsigned WarpGroups = 1;
  friend bool operator==(const GridStep &A, const GridStep &B) {
    return A.MinBlocks == B.MinBlocks && A.WarpGroups == B.WarpGroups;
  }
};

/// By rising MinBlocks; N=1 for grids smaller than the first. Empty: says
/// nothing of the block.
using GridSteps = std::vector<GridStep>;

/// The N that \p Steps have for a grid of \p Blocks blocks.
unsigned warpGroupsOf(llvm::ArrayRef<GridStep> Steps, uint64_t Blocks);

/// Leaves out steps that change nothing.
GridSteps simplified(llvm::ArrayRef<GridStep> Steps);

struct LaunchTable {
  static constexpr unsigned MaxWarps = 32; ///< Of a block.

  std::map<BlockShape, GridSteps> Shapes; ///< Blocks of just this shape.
  /// One-dimensional blocks of 1, 2, ... whole warps that are not in Shapes.
  std::array<GridSteps, MaxWarps> OfWarps;
  unsigned Otherwise = 1; ///< N of all other blocks.

  /// What \p Loop says, whether by one N or by a table.
  static LaunchTable of(const LoopPlan &Loop);
  /// Empty where one N is all there is.
  std::vector<LaunchRow> rows() const;

  /// Null: the table does not cover it.
  const GridSteps *stepsOf(const BlockShape &Block) const;
  unsigned warpGroups(const BlockShape &Block, uint64_t Blocks) const;
  unsigned most() const;

  /// Blocks of First to Last warps that have the same steps, also none.
  struct WarpRange {
    unsigned First = 1, Last = 1;
    GridSteps Steps;
  };
  std::vector<WarpRange> warpRanges() const;

  /// "256 threads: N=2 from 265 blocks, N=4 from 529 blocks; 16x16 threads:
  /// N=2". Of long tables a part.
  std::string str() const;

  friend bool operator==(const LaunchTable &A, const LaunchTable &B) {
    return A.Shapes == B.Shapes && A.OfWarps == B.OfWarps &&
           A.Otherwise == B.Otherwise;
  }
};

/// For each launch the larger N of \p A and \p B.
LaunchTable largerOf(const LaunchTable &A, const LaunchTable &B);

/// What is wrong with a row by itself, or with how rows follow one another;
/// empty when nothing is.
std::string faultOf(const LaunchRow &Row);
std::string faultOf(llvm::ArrayRef<LaunchRow> Rows);

} // namespace sluice

#endif
