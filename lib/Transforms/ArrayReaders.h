// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops that read an array of their thread, have few iterations and may end
/// early, in a loop that does not write the array:
///
///   for (int row = 0; row < rows; ++row) {
///     bool same = true;
///     for (int k = 0; k < keys && same; ++k)        // keys is at most 4
///       same = data[row * pitch + column[k]] == key[k];
///     count += same;
///   }
///
/// Unrolled whole, each iteration with its end, key[0] to key[3] are read once,
/// before the outer loop.

#ifndef SLUICE_LIB_TRANSFORMS_ARRAYREADERS_H
#define SLUICE_LIB_TRANSFORMS_ARRAYREADERS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class AllocaInst;
class Loop;
} // namespace llvm

namespace sluice {

/// The array that \p L reads so, or null.
const llvm::AllocaInst *arrayReadAgain(llvm::Loop &L,
                                       llvm::FunctionAnalysisManager &FAM);

} // namespace sluice

#endif
