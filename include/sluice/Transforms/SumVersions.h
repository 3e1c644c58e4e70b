// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A version of a loop for accesses that do not overlap, where LLVM's own pass
/// would need too many tests: sums in the fields of a struct.

#ifndef SLUICE_TRANSFORMS_SUMVERSIONS_H
#define SLUICE_TRANSFORMS_SUMVERSIONS_H

namespace llvm {
class AAResults;
class DominatorTree;
class Loop;
class LoopAccessInfo;
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace sluice {

/// LoopVersioningLICM tests each field of `dest[i]` against the same field of
/// `src[i]`, and leaves loops alone that need more than eight tests. This tests
/// accesses a constant distance apart as one range: all of `dest[i]` against
/// all of `src[i]`. Is for loops that need too many tests otherwise, with
/// limits as LLVM's for all else.
///
/// \returns the version for accesses that do overlap, or null if there is only
/// \p L still. \p L becomes the one for those that do not.
llvm::Loop *versionByRanges(llvm::Loop &L, const llvm::LoopAccessInfo &Accesses,
                            llvm::AAResults &AA, llvm::LoopInfo &LI,
                            llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

} // namespace sluice

#endif
