// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Assembly that only computes returns, which LLVM does not know.

#ifndef SLUICE_LIB_TRANSFORMS_RETURNINGASSEMBLY_H
#define SLUICE_LIB_TRANSFORMS_RETURNINGASSEMBLY_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class CallBase;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace sluice {

/// Without knowing that its assembly returns, scalar evolution knows no loop's
/// length. While this lives it knows it. Of loops that are not kept it is
/// forgotten again, so that LLVM does to them what it does without Sluice.
class ReturningAssembly {
public:
  ReturningAssembly(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  ~ReturningAssembly();
  ReturningAssembly(const ReturningAssembly &) = delete;
  ReturningAssembly &operator=(const ReturningAssembly &) = delete;

  void keep(const llvm::Loop &L) { Marked.erase(&L); }

private:
  llvm::ScalarEvolution &SE;
  llvm::DenseMap<const llvm::Loop *, llvm::SmallVector<llvm::CallBase *, 8>>
      Marked;
};

} // namespace sluice

#endif
