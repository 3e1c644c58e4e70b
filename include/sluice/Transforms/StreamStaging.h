// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The software L1's way `staged`: chunks of each thread's rows in shared
/// memory, which the lanes of a warp copy together.

#ifndef SLUICE_TRANSFORMS_STREAMSTAGING_H
#define SLUICE_TRANSFORMS_STREAMSTAGING_H

#include "sluice/Analysis/StreamAnalysis.h"
#include "sluice/Plan/TechniqueParts.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sluice {

/// The streams of a loop that can be staged, by their numbers.
struct Stageable {
  std::vector<unsigned> Streams;
  /// Those of them that read what another writes in the same iteration.
  std::vector<unsigned> Within;
  unsigned Tests = 0;  ///< Of addresses, before the loop; at most.
  std::string Refusal; ///< Why there are none; empty: there are some.
};

/// Brings the loops of \p F into loop-simplify form and LCSSA.
void simplifyLoops(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// The streams of \p F, whose loops are brought into the form that staging
/// wants; \p Facts gets what analyzeAccesses says of it now.
std::vector<LoopStreams> findStreamsToStage(llvm::Function &F,
                                            llvm::FunctionAnalysisManager &FAM,
                                            KernelFacts &Facts);

/// Why several iterations of \p Loop cannot be taken together, whatever its
/// streams are; empty: they can.
std::string whyNotCut(const LoopStreams &Loop, llvm::ScalarEvolution &SE);
/// May \p S of \p Loop, of which that is true, be read before what it was read
/// behind? An atomic operation between orders what is written.
bool mayCross(const StreamFacts &S, const LoopStreams &Loop);

/// Is the stream a row of the thread's own, of which each iteration has bytes
/// of its own, by plain accesses that run each time?
bool isOwnRow(const StreamFacts &Facts, const Stream &S);

/// Does \p I, which is in \p Conflict with \p Facts' stream, touch only bytes
/// that are the stream's in the same iteration?
bool isWithinIteration(const StreamConflict &Conflict,
                       const llvm::Instruction &I, const StreamFacts &Facts);

/// Is the stream one of those that a plan names?
bool isNamedBy(llvm::ArrayRef<StagedStream> Planned, const StreamFacts &Facts);

/// Which of \p Loop's streams can be staged? Asks only what the code must be
/// like, and not whether it would pay.
Stageable findStageable(const LoopStreams &Loop, llvm::ScalarEvolution &SE);

/// Takes from \p Streams those that overlap, or may overlap without a test,
/// what else the loop touches. \returns the tests that the others need.
unsigned keepApart(const LoopStreams &Loop, std::vector<unsigned> &Streams);

/// The layout of one lane's buffer, its slot.
struct StagingSlot {
  /// The bytes of one row.
  struct Part {
    struct Member {
      unsigned Stream = 0;
      unsigned Offset = 0; ///< From where the first begins, in bytes.
    };
    /// The first says where the row begins and how it moves. Of a row that is
    /// written the others are loads, of the bytes that the iteration writes.
    llvm::SmallVector<Member, 2> Members;
    bool IsRead = false, IsWritten = false;
    unsigned Offset = 0;    ///< In the slot, bytes; a multiple of 16.
    unsigned UsedBytes = 0; ///< Of a whole chunk: read or written.
    bool IsAligned = false; ///< Each chunk begins at a multiple of 16 bytes.
  };
  unsigned Iterations = 0; ///< That a chunk serves.
  uint64_t LeastTrips = 0; ///< Iterations from which on it is used.
  /// Iterations in which the slowest row moves by 16 bytes; 1: it does in each.
  unsigned ServedByUnit = 1;
  /// Of Parts: a row that begins anywhere, and whose chunks but for the first
  /// can begin where a multiple of their length does.
  std::optional<size_t> Aligner;
  std::vector<Part> Parts;
  bool ThroughL1 = false; ///< Rows are copied through the L1.
  /// By cp.async; else, before sm_80, through registers.
  bool HasAsyncCopies = true;
  /// An odd multiple of 16: then no two of eight neighbouring lanes' 16-byte
  /// reads meet in a bank.
  unsigned Bytes = 0;
};

/// For chunks of at most \p ChunkBytes bytes of each row. No iterations: a
/// chunk would serve none.
StagingSlot layOutSlot(const LoopStreams &Loop,
                       llvm::ArrayRef<unsigned> Streams, unsigned ChunkBytes);

/// In the loops of kernels that the plan in the module stages, those that can
/// be:
///
///   for (j = 0; j < n; ++j)        for (c = 0; c < n; c += 32) {
///     s += A[i * n + j] * x[j];      the warp copies, from A[i * n + c] on,
///                           -->        128 bytes of each lane's row into
///                                      shared memory
///                                    for (j = c; j < min(c + 32, n); ++j)
///                                      s += staged[j - c] * x[j];
///                                  }
///
/// Fewer iterations than two chunks' take the loop as it was. Warps that find
/// no buffer wait for one.
class StreamStagingPass : public llvm::PassInfoMixin<StreamStagingPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }
};

/// The name `sluice-software-l1`.
void registerStreamStagingPass(llvm::PassBuilder &PB);

} // namespace sluice

#endif
