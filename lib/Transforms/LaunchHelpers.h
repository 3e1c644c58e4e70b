// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What CarveoutPass puts into a program for its launch stubs to call.

#ifndef SLUICE_LIB_TRANSFORMS_LAUNCHHELPERS_H
#define SLUICE_LIB_TRANSFORMS_LAUNCHHELPERS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class GlobalVariable;
class Module;
class Type;
} // namespace llvm

namespace sluice {

/// cudaFuncAttributePreferredSharedMemoryCarveout.
constexpr unsigned CarveoutAttribute = 9;

/// void __sluice_set_carveout(ptr kernel, ptr done, i32 percent): `done` has a
/// bit for each of the first 64 devices. One for the whole program.
llvm::Function *carveoutHelper(llvm::Module &M);

/// i64 __sluice_claim_shared(i64 shared, i64 most, i64 claim): what to launch
/// with. An error of the program's must not be taken for one of the launch, so
/// while there is one nothing is claimed.
llvm::Function *claimHelper(llvm::Module &M);

/// i32 __sluice_merged_layers(i64 grid, i32 gridz, i64 block, i32 blockz,
/// i64 shared, ptr stream, i64 mostthreads, i64 together): the layers of
/// mergedLaunch() of MergedBlocks.h, where two dimensions are in 64 bits; 0 if
/// the launch stays, and while \p stream, whose default is one for each thread
/// or for all, is captured. Another name than that of older versions, whose
/// files may be in the same program.
llvm::Function *mergedBlocksHelper(llvm::Module &M, bool OfThread);

/// A variable that is one for all files that share the stub of a template. Zero
/// at first.
llvm::GlobalVariable *newSharedByStub(llvm::Function &Stub,
                                      llvm::StringRef Name, llvm::Type *Ty);

} // namespace sluice

#endif
