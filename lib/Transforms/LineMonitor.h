// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Counts in a copy of a loop which structures' lines would be hit, and chooses
/// by that.

#ifndef SLUICE_LIB_TRANSFORMS_LINEMONITOR_H
#define SLUICE_LIB_TRANSFORMS_LINEMONITOR_H

#include "LineAccess.h"

namespace sluice {

/// Accesses of a thread that are counted, as in the paper.
inline constexpr unsigned MonitoredAccesses = 300;

/// The counters are in allocas, which are to be promoted.
class LineMonitor {
public:
  /// Until \p Accesses accesses are counted.
  LineMonitor(const LineLoop &Of, unsigned Accesses,
              llvm::Instruction *Allocas);
  /// \p Counts: i1, else the thread is over at once. Null: it counts.
  void begin(llvm::Instruction *At, llvm::Value *Counts);
  /// \p I, a copy of an access of a structure, runs.
  void count(llvm::Instruction *I, unsigned Structure);
  llvm::Value *isOver(llvm::IRBuilder<> &B) const;
  /// Of \p Lines lines the first of which has word 0 at \p Place, for each
  /// structure the one that it gets. Those of \p Threads threads lie together.
  llvm::SmallVector<KeptLine, MostStructures> choose(llvm::IRBuilder<> &B,
                                                     llvm::Value *Place,
                                                     unsigned Lines,
                                                     unsigned Threads) const;
  llvm::ArrayRef<llvm::AllocaInst *> state() const { return State; }

private:
  struct Counter {
    bool IsWritten;
    llvm::AllocaInst *Tag, *Hits, *Accesses;
  };
  const unsigned Most;
  std::vector<Counter> Counters; ///< By structure.
  llvm::AllocaInst *All;
  llvm::SmallVector<llvm::AllocaInst *, 32> State;
};

} // namespace sluice

#endif
