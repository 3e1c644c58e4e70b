// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A version of a loop for accesses that do not overlap, where LLVM's own pass
/// makes none.

#ifndef SLUICE_TRANSFORMS_SUMVERSIONS_H
#define SLUICE_TRANSFORMS_SUMVERSIONS_H

namespace llvm {
class AAResults;
class DominatorTree;
class Loop;
class LoopAccessInfo;
class LoopInfo;
class ScalarEvolution;
class StoreInst;
} // namespace llvm

namespace sluice {

/// Is each access in \p L at the place of \p Sum, a store to one place, or
/// known to be away from it, or will a test before the loop tell? LLVM asks
/// this of stores only, and would make a second version with nothing gained.
bool canTestAll(const llvm::StoreInst &Sum, const llvm::Loop &L,
                const llvm::LoopAccessInfo &Accesses, llvm::AAResults &AA);

/// Tells alias analysis of each access in \p L that is certain to be of shared
/// memory, and of each that is certain to be of global memory, that they are
/// apart: LLVM sees two pointers, of which a kernel's argument may be any. With
/// \p SaysAllAreApart also global ones from one another, which is wrong.
void markSharedApart(llvm::Loop &L, bool SaysAllAreApart = false);

/// Is each access in \p L at the place of \p Sum, a store to one place, or
/// known to be away from it, so that no test is needed?
bool needsNoTest(const llvm::StoreInst &Sum, const llvm::Loop &L,
                 llvm::AAResults &AA);

/// A second version of a loop that LoopVersioningLICM left alone. That tests
/// each field of `dest[i]` against the same field of `src[i]`, and gives up
/// where more than eight tests are needed; this tests accesses a constant
/// distance apart as one range: all of `dest[i]` against all of `src[i]`. And
/// where three loops or more are around one another, or sums are less than a
/// quarter of the loads and stores: limits for CPUs, as each entry pays for the
/// tests. Here they cost what they cost in two loops, and the loads of all
/// iterations wait for one store as they do for four.
///
/// \returns the version for accesses that do overlap, or null if there is only
/// \p L still. \p L becomes the one for those that do not.
llvm::Loop *versionByRanges(llvm::Loop &L, const llvm::LoopAccessInfo &Accesses,
                            llvm::AAResults &AA, llvm::LoopInfo &LI,
                            llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

} // namespace sluice

#endif
