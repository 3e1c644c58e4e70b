// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The access analysis: from the IR of a kernel to its loops and the address
/// pattern of each global load and store in them.

#ifndef SLUICE_ANALYSIS_ACCESSANALYSIS_H
#define SLUICE_ANALYSIS_ACCESSANALYSIS_H

#include "sluice/Analysis/KernelFacts.h"

namespace llvm {
class Instruction;
class Loop;
class LoopInfo;
class ScalarEvolution;
class Value;
class raw_ostream;
} // namespace llvm

namespace sluice {

/// Loop metadata with the N of `#pragma unroll N`, for a pipeline that must not
/// unroll yet.
inline constexpr const char *UnrollCountHint = "sluice.unroll.count";

/// The most terms, factors and operations of a form that is followed: what is
/// larger becomes an unknown value. A hash function of a few lines is 2,000.
constexpr unsigned MaxFormSize = 4096;

/// The most expressions in one another, likewise.
constexpr unsigned MaxFormDepth = 256;

/// Fills the loops (all but their regions), the loads outside of them and the
/// unknown values of \p Kernel, if it has a loop, from the function that \p LI
/// and \p SE are of. Wants IR after inlining and loop simplification and before
/// unrolling, so that loops are those of the source.
void analyzeAccesses(llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
                     KernelFacts &Kernel);

/// May the pointer be into global memory? Generic pointers of unknown origin
/// may, as LLVM has found no other space for them.
bool isGlobalPointer(const llvm::Value *Pointer);

/// Are all objects that \p Pointer may point into in global memory for
/// certain? What the host passes to a kernel can only point there.
bool isKnownGlobal(const llvm::Value *Pointer);

/// May \p Object, where a pointer comes from, be in global memory, by its type
/// and as it is no local variable?
bool mayBeGlobal(const llvm::Value *Object);

/// What \p I, a load or a store, touches at its address.
uint64_t bytesTouched(const llvm::Instruction &I);

/// Does \p I write memory of the thread's own, which no other load is of?
bool isPrivateStore(const llvm::Instruction &I);

/// Is \p I a plain store to an address that \p L does not change?
bool isSumInMemory(const llvm::Instruction &I, const llvm::Loop &L);

/// What `print<sluice-access-patterns>` prints.
void printAccessPatterns(const KernelFacts &Kernel, llvm::raw_ostream &OS);

} // namespace sluice

#endif
