// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Instruments device code to record what its warps do, on any GPU.

#ifndef SLUICE_TRANSFORMS_TRACEPASS_H
#define SLUICE_TRANSFORMS_TRACEPASS_H

#include "llvm/IR/PassManager.h"

namespace sluice {

/// Behind each part of a basic block (up to a call or barrier) that accesses
/// memory, begins an iteration of a loop or ends in a barrier:
///
///   %v = load float, ptr addrspace(1) %p
///   br i1 %sampled, label %record, label %go          ; added
/// record:                        ; one lane of those that run takes room for
///   ...                          ; all, and writes part, block, warp and mask;
///   br label %go                 ; each of them writes its %p
/// go:
///
/// %sampled is computed once in each function: whether the block is one of
/// those that the device variable __sluice_trace_control names. The program's
/// host does not know of that; a preloaded library sets it (TraceControl.h),
/// and without one no block is sampled. What the records' numbers mean is in
/// the device variable __sluice_trace_table (TraceTable.h).
///
/// Runs last, since it describes the code as it is compiled. So that this
/// holds, address spaces are inferred and adjacent accesses made vectors here,
/// as NVPTX would do. Addresses that differ from another in the part by a
/// constant are not recorded.
class TracePass : public llvm::PassInfoMixin<TracePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }
};

} // namespace sluice

#endif
