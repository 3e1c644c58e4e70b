// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From IR to PTX, as clang goes it for CUDA.

#ifndef SLUICE_ANALYSIS_DEVICECODE_H
#define SLUICE_ANALYSIS_DEVICECODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace sluice {

/// For the target of \p M; null: it is not in this process.
std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(const llvm::Module &M, llvm::StringRef CPU,
                  llvm::StringRef Features);

/// What clang does with \p M from where loops are not unrolled yet to where
/// code is generated, at \p Level, 2 or 3 of -O. Without Sluice.
void optimizeFurther(llvm::Module &M, llvm::TargetMachine &TM, unsigned Level);

/// While it lives no remark of its context is said, as none is wanted from code
/// that is generated to be looked at alone. Errors and warnings are.
class WithoutRemarks {
public:
  explicit WithoutRemarks(llvm::LLVMContext &C);
  ~WithoutRemarks();
  WithoutRemarks(const WithoutRemarks &) = delete;
  WithoutRemarks &operator=(const WithoutRemarks &) = delete;

private:
  llvm::LLVMContext &C;
};

/// The PTX of \p M, which is spent then. No remark is said.
llvm::Expected<std::string> emitPTX(llvm::Module &M, llvm::TargetMachine &TM);

} // namespace sluice

#endif
