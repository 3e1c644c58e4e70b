// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Sets of cache lines as ordered vectors.

#ifndef SLUICE_LIB_ANALYSIS_LINESET_H
#define SLUICE_LIB_ANALYSIS_LINESET_H

#include "sluice/Analysis/LoopFootprint.h"
#include "llvm/ADT/ArrayRef.h"

namespace sluice {

/// Distinct lines or sectors, in order.
using LineSet = std::vector<LoopFootprint::Line>;

/// \p Lines, of which the first \p Ordered are a set already.
void makeSet(LineSet &Lines, size_t Ordered = 0);

/// Neighbouring lanes mostly share what they touch.
inline void add(LoopFootprint::Line Line, LineSet &Lines) {
  if (Lines.empty() || Lines.back() != Line)
    Lines.push_back(Line);
}

/// Adds \p New, moved by \p Distance, to \p Sets. How many there were.
uint64_t addMoved(llvm::ArrayRef<LineSet> New, int64_t Distance,
                  std::vector<LineSet> &Sets);

/// The first of \p Lines, so many as \p Share of them are, rounded up.
void keepFirst(LineSet &Lines, double Share);

} // namespace sluice

#endif
