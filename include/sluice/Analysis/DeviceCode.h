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
class Module;
class TargetMachine;
} // namespace llvm

namespace sluice {

/// For the target of \p M; null: it is not in this process.
std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(const llvm::Module &M, llvm::StringRef CPU,
                  llvm::StringRef Features);

/// The PTX of \p M, which is spent then.
llvm::Expected<std::string> emitPTX(llvm::Module &M, llvm::TargetMachine &TM);

} // namespace sluice

#endif
