// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What CarveoutPass puts into a program for its launch stubs to call.

#ifndef SLUICE_LIB_TRANSFORMS_LAUNCHHELPERS_H
#define SLUICE_LIB_TRANSFORMS_LAUNCHHELPERS_H

namespace llvm {
class Function;
class Module;
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

} // namespace sluice

#endif
