// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What clang writes for a launch, and how another kernel is registered beside
/// the program's. By the address of a byte, its handle, the CUDA runtime knows
/// it then.

#ifndef SLUICE_LIB_TRANSFORMS_STUBLAUNCHES_H
#define SLUICE_LIB_TRANSFORMS_STUBLAUNCHES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class AllocaInst;
class CallInst;
class Function;
class GlobalVariable;
} // namespace llvm

namespace sluice {

/// The operands of cudaLaunchKernel.
enum LaunchOperand {
  Kernel,
  GridXY,
  GridZ,
  BlockXY,
  BlockZ,
  Args,
  Shared,
  Stream
};

/// The array of where \p Parameters parameters are, of \p Launch in a stub;
/// null if the call is another than clang's for this host.
llvm::AllocaInst *argumentsOf(const llvm::CallInst &Launch,
                              unsigned Parameters);

/// Registers the kernel \p Name wherever \p Stub's is. \returns its handle,
/// whose own name begins with \p Prefix; null, and nothing is changed, if
/// nothing registers \p Stub's.
llvm::GlobalVariable *registerBeside(llvm::Function &Stub,
                                     llvm::StringRef Prefix,
                                     llvm::StringRef Name);

} // namespace sluice

#endif
