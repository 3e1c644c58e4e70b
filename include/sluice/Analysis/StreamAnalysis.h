// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The streams of a kernel, with the IR that a transform needs of them.

#ifndef SLUICE_ANALYSIS_STREAMANALYSIS_H
#define SLUICE_ANALYSIS_STREAMANALYSIS_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Analysis/StreamFacts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
class Loop;
class LoopInfo;
class SCEV;
class ScalarEvolution;
class SCEVPredicate;
class Value;
class raw_ostream;
} // namespace llvm

namespace sluice {

/// The IR of a stream; its facts stand at the same number.
struct Stream {
  /// As StreamFacts::Accesses.
  llvm::SmallVector<llvm::Instruction *, 4> Accesses;
  /// The address of the byte at offset 0 in the first iteration.
  const llvm::SCEV *Start = nullptr;
  llvm::Value *Base = nullptr; ///< The pointer that it lies behind, if any.
  /// That the index does not wrap around; empty: it is known not to.
  llvm::SmallVector<const llvm::SCEVPredicate *, 2> NoWrap;
  /// As StreamFacts::Conflicts.
  llvm::SmallVector<llvm::Instruction *, 2> Conflicts;
};

struct LoopStreams {
  llvm::Loop *L = nullptr;
  StreamLoopFacts Facts;
  std::vector<Stream> Streams; ///< As Facts.Streams.
  /// As Facts.Hazards.
  llvm::SmallVector<llvm::Instruction *, 2> Hazards;
  /// Iterations but for the first, as Facts.Trip says; null: unknown. It can be
  /// computed in a preheader, and so can where streams start.
  const llvm::SCEV *Taken = nullptr;
  /// Where it is cut its sums from zero are to be fused first, as
  /// they are where clang keeps the loop (findStreamsToStage says so).
  bool FusesSumsFromZero = false;
};

/// Where \p I, a load or a store, has its first byte. Scalar evolution knows
/// nothing of casts between address spaces, as `__ldg` makes them: it is the
/// pointer before them.
const llvm::SCEV *scevOfAddress(const llvm::Instruction &I,
                                llvm::ScalarEvolution &SE);

/// The stream of \p Loop that \p I, a load or a store, is of, and its number
/// there; none: it is in no stream.
std::optional<std::pair<unsigned, unsigned>>
findAccess(const LoopStreams &Loop, const llvm::Instruction &I);

/// How plans name the accesses of \p Kernel's loops, which analyzeAccesses has
/// filled from the same code.
llvm::DenseMap<const llvm::Instruction *, CodeId>
idsOfAccesses(const llvm::LoopInfo &LI, const KernelFacts &Kernel);

/// The streams of the loops of \p F, in the order of \p Kernel.Loops, which
/// analyzeAccesses has filled from the same function. Wants, as that does, IR
/// before unrolling and vectorising. Pointers into the IR and its analyses are
/// valid as long as those are.
std::vector<LoopStreams> findStreams(llvm::Function &F,
                                     llvm::FunctionAnalysisManager &FAM,
                                     const KernelFacts &Kernel);

/// What `print<sluice-streams>` prints.
void printStreams(const KernelFacts &Kernel,
                  llvm::ArrayRef<LoopStreams> Streams, llvm::raw_ostream &OS);

} // namespace sluice

#endif
