// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Keeps in registers what a loop adds up in memory.

#ifndef SLUICE_TRANSFORMS_SUMPROMOTION_H
#define SLUICE_TRANSFORMS_SUMPROMOTION_H

#include "sluice/Analysis/SourcePlace.h"
#include "llvm/IR/PassManager.h"
#include <functional>

namespace sluice {

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
  /// \p IsOff: for places that must stay as they are.
  explicit SumPromotionPass(std::function<bool(const CodeId &)> IsOff)
      : IsOff(std::move(IsOff)) {}

  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }

private:
  std::function<bool(const CodeId &)> IsOff;
};

} // namespace sluice

#endif
