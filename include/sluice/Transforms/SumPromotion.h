// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Keeps in registers what a loop adds up in memory.

#ifndef SLUICE_TRANSFORMS_SUMPROMOTION_H
#define SLUICE_TRANSFORMS_SUMPROMOTION_H

#include "sluice/Analysis/SourcePlace.h"
#include "sluice/Plan/WrongRewrite.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/PassManager.h"
#include <functional>
#include <optional>

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sluice {

/// What is said of loops by their places. Empty functions: nothing.
struct SumLimits {
  std::function<bool(const CodeId &)> IsOff; ///< Must stay as it is.
  /// Why the plan keeps its sums in memory; empty: it does not.
  std::function<std::string(const CodeId &)> WhyKept;
  WrongRewrite Wrong = WrongRewrite::None; ///< For tests of the tests.
};

enum class SumOutcome {
  Promoted,
  Conditional,   ///< Not written in each iteration.
  FewIterations, ///< The test would cost more than they gain.
  Kept,          ///< The plan says so.
  Barrier,       ///< Or what else must not get a second version.
  Unordered,     ///< Results depend on how the loop is unrolled.
  Untestable,    ///< No test before the loop tells whether anything overlaps.
};

/// A loop that adds up in memory.
struct SumLoop {
  CodeId Id;
  llvm::DebugLoc Start;
  SumOutcome Outcome = SumOutcome::Untestable;
  std::string Why = ""; ///< Where it is Kept.
  /// In global memory. Else it stores to one place in all iterations, which
  /// leaves the loop as a sum does, but is none: nothing is said if it stays.
  bool AddsUp = false;
};

/// Moves what the innermost loops of \p F, a kernel, add up in memory into
/// registers, as SumPromotionPass says, and tells what came of each loop.
llvm::SmallVector<SumLoop> promoteSums(llvm::Function &F,
                                       llvm::FunctionAnalysisManager &FAM,
                                       const SumLimits &Limits);

/// In the kernels' innermost loops:
///
///   for (j = 0; j < n; ++j)          if (y[i] overlaps none of A[..], x[..]) {
///     y[i] += A[..] * x[j];    -->     s = y[i];
///                                      for (...) s += A[..] * x[j];
///                                      y[i] = s;
///                                    } else the loop as it was
///
/// The load and the store of each iteration leave the L1, and the other loads
/// no longer wait for the store, so that several iterations' go out together.
/// LLVM's loop versioning and LICM do the work; this says where, and what came
/// of it.
class SumPromotionPass : public llvm::PassInfoMixin<SumPromotionPass> {
public:
  /// Everywhere but where \p Limits say no. None: as the plan in the module
  /// says (PlanMetadata.h); without one everywhere, or with \p OnlyPlanned
  /// nowhere.
  explicit SumPromotionPass(std::optional<SumLimits> Limits,
                            bool OnlyPlanned = false)
      : Limits(std::move(Limits)), OnlyPlanned(OnlyPlanned) {}

  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }

private:
  std::optional<SumLimits> Limits;
  bool OnlyPlanned;
};

/// The name `sluice-promote`, or `sluice-promote<planned>` where a module
/// without a plan is to stay as it is. In a pipeline it stands where loops are
/// simple and memory that needs none is in registers, before they are unrolled:
/// as in
/// `-passes='function(sroa,early-cse,loop-simplify),sluice-promote'`.
void registerSumPromotionPass(llvm::PassBuilder &PB);

} // namespace sluice

#endif
