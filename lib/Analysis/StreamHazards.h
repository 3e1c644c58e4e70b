// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What in a loop speaks against keeping the data of a stream, and which
/// iterations run an access.

#ifndef SLUICE_LIB_ANALYSIS_STREAMHAZARDS_H
#define SLUICE_LIB_ANALYSIS_STREAMHAZARDS_H

#include "sluice/Analysis/StreamFacts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AAResults;
class DominatorTree;
class Instruction;
class Loop;
class LoopInfo;
} // namespace llvm

namespace sluice {

/// What \p I is a hazard by; none: it is not one.
std::optional<StreamHazard::KindTy> hazardOf(const llvm::Instruction &I);

/// \p I stands in \p L itself, not in an inner loop.
StreamRuns runsOf(const llvm::Instruction &I, const llvm::Loop &L,
                  const llvm::LoopInfo &LI, const llvm::DominatorTree &DT);

/// May an iteration of \p L end otherwise than by its exits: in a call that
/// does not return?
bool mayEndInside(const llvm::Loop &L);

/// The instructions of \p L, in the order of the code, that may touch in any
/// iteration what \p Accesses do in any, and write it: with \p OfStores also
/// those that read it. Not hazards, and not \p Accesses, of one stream.
llvm::SmallVector<llvm::Instruction *, 2>
conflictsOf(llvm::ArrayRef<llvm::Instruction *> Accesses, bool OfStores,
            const llvm::Loop &L, llvm::AAResults &AA);

} // namespace sluice

#endif
