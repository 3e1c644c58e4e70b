// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Optimises kernels as far as the loops of their source stay recognisable.

#ifndef SLUICE_ANALYSIS_SOURCELOOPPIPELINE_H
#define SLUICE_ANALYSIS_SOURCELOOPPIPELINE_H

#include "sluice/Analysis/AnalysisManagers.h"
#include "sluice/Analysis/Reachability.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"

namespace sluice {

/// -O1 without what makes several loops of one or several iterations into one.
class SourceLoopPipeline {
public:
  /// Optimises what \p Kernels reach in \p M. The rest stays there, as callers
  /// that the inliner counts.
  SourceLoopPipeline(llvm::Module &M, llvm::TargetMachine *TM,
                     llvm::ArrayRef<const llvm::Function *> Kernels);

  llvm::FunctionAnalysisManager &analyses() { return Managers.OfFunctions; }

private:
  ReachedGlobals Reached;
  llvm::PassInstrumentationCallbacks Callbacks;
  llvm::TimeProfilingPassesHandler Times; ///< For -ftime-trace.
  AnalysisManagers Managers;
  llvm::PassBuilder Builder;
};

} // namespace sluice

#endif
