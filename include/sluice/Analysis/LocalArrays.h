// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A thread's arrays that stand in local memory only because loops over them
/// are not unrolled: a register has no address, so an index has to be a
/// constant.

#ifndef SLUICE_ANALYSIS_LOCALARRAYS_H
#define SLUICE_ANALYSIS_LOCALARRAYS_H

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace llvm {
class AllocaInst;
class Function;
class Instruction;
class Loop;
class LoopInfo;
class ScalarEvolution;
class TargetTransformInfo;
} // namespace llvm

namespace sluice {

/// Of the arrays of a kernel: what does not fit its 255 registers is spilled to
/// local memory again. 160 are left to the arrays.
constexpr uint64_t MostBytesInRegisters = 640;

using LoopSet = llvm::SmallSetVector<llvm::Loop *, 4>;

/// An array whose place is a constant in each access once its loops are
/// unrolled whole.
struct LocalArray {
  llvm::AllocaInst *Array = nullptr;
  uint64_t Bytes = 0;
  llvm::SmallVector<llvm::Instruction *, 8> Accesses; ///< Without markers.
  /// Whose counters decide about its addresses; the number of iterations that
  /// each has, or has at the most, is constant.
  LoopSet Loops;
};

/// Each copy of a loop that may end before its last iteration has its ends.
constexpr unsigned MostCopiesWithEnds = 32;

/// How many iterations \p L has; at the most, where something else may end it
/// before. 0: not known, or too many.
unsigned mostIterations(const llvm::Loop &L, llvm::ScalarEvolution &SE);

/// Adds to \p Accesses what reads and writes \p Array. False: its address goes
/// elsewhere, or LLVM would not take the access apart.
bool collectAccesses(llvm::AllocaInst &Array,
                     llvm::SmallVectorImpl<llvm::Instruction *> &Accesses);

/// The arrays of \p F that loops keep in memory. One that is in memory for
/// another reason (its address is passed on, an index is loaded) is not among
/// them.
std::vector<LocalArray> findLocalArrays(llvm::Function &F,
                                        const llvm::LoopInfo &LI,
                                        llvm::ScalarEvolution &SE);

/// Does \p L, of a known number of iterations, go over an array of a function
/// whose arrays fit registers, so that it may be unrolled whole?
bool goesOverSmallArray(const llvm::Loop &L, llvm::ScalarEvolution &SE);

/// Size of \p L (LLVM's, of instructions) once \p Unrolled are unrolled whole.
uint64_t sizeUnrolled(const llvm::Loop &L, const LoopSet &Unrolled,
                      llvm::ScalarEvolution &SE,
                      const llvm::TargetTransformInfo &TTI);

} // namespace sluice

#endif
