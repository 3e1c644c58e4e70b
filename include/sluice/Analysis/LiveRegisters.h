// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How many registers a thread's values need, from the IR.

#ifndef SLUICE_ANALYSIS_LIVEREGISTERS_H
#define SLUICE_ANALYSIS_LIVEREGISTERS_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace sluice {

/// 32-bit registers of a thread that are taken where control goes from one
/// block of kernel \p F to the next, at the fullest such place. Within a block
/// the assembler orders the instructions as it likes. Counted are only values
/// that it can hardly do without, so this is mostly far below its answer and
/// seldom above. \p IsUniform: is a value the same in all threads of a warp? 0
/// for a function that is too large.
unsigned
liveRegisters(const llvm::Function &F,
              llvm::function_ref<bool(const llvm::Value &)> IsUniform);

} // namespace sluice

#endif
