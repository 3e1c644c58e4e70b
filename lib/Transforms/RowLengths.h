// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A second kernel, for launches with short rows, beside one whose rows are
/// staged or widened.

#ifndef SLUICE_LIB_TRANSFORMS_ROWLENGTHS_H
#define SLUICE_LIB_TRANSFORMS_ROWLENGTHS_H

#include "sluice/Analysis/StreamAnalysis.h"
#include "sluice/Target/ShortRows.h"

namespace sluice {

struct KernelPlan;

/// What a kernel's parameters say of the lengths of its rows.
class RowLengths {
public:
  /// Rows of \p Loop are short with fewer iterations than \p LeastTrips.
  void note(const LoopStreams &Loop, uint64_t LeastTrips,
            llvm::ScalarEvolution &SE);
  /// Rows of which no parameter says how long they are.
  void noteUnknown() { AreKnown = false; }
  /// Of the rows noted; empty: not all of them are known.
  llvm::ArrayRef<RowLength> lengths() const {
    return AreKnown ? llvm::ArrayRef(Lengths) : llvm::ArrayRef<RowLength>();
  }

private:
  bool AreKnown = true;
  std::vector<RowLength> Lengths;
};

/// The parameter by which \p Loop has fewer iterations than \p LeastTrips below
/// some value, and not from it on; none: there is no such parameter.
std::optional<RowLength> lengthOfRows(const LoopStreams &Loop,
                                      uint64_t LeastTrips,
                                      llvm::ScalarEvolution &SE);

/// Makes \p Copy, a copy of \p F as it was, the kernel for short rows, with
/// what
/// \p Plan has for other loops.
void makeKernelForShortRows(llvm::Function &Copy, const llvm::Function &F,
                            llvm::ArrayRef<RowLength> Lengths,
                            const KernelPlan &Plan);

} // namespace sluice

#endif
