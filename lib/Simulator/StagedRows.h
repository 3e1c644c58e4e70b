// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Rows that go through shared memory (docs/passes/software-l1.md), on a trace
/// of code in which they do not: which access of a warp is the one for which
/// the lanes' next chunks are copied.

#ifndef SLUICE_LIB_SIMULATOR_STAGEDROWS_H
#define SLUICE_LIB_SIMULATOR_STAGEDROWS_H

#include "sluice/Simulator/Simulator.h"
#include <array>

namespace sluice {

class StagedRows {
public:
  /// \p RowOf as SimulationOptions::RowOf, \p Sites as the trace has them, for
  /// \p Warps warps that are resident.
  StagedRows(const std::vector<int> &RowOf, const CodeSites &Sites,
             size_t Warps);

  bool has(unsigned Site) const { return !RowOf.empty() && RowOf[Site] >= 0; }
  /// Warp \p Warp makes the access at \p P, of a site that is staged. \p
  /// Missing becomes the lines of those lanes that do not have theirs in shared
  /// memory, for each lane one, whole; then they have.
  void access(size_t Warp, const uint32_t *P, LineAccess &Missing);
  /// \p Warp begins with other threads.
  void restart(size_t Warp);

private:
  using LinesOfLanes = std::array<uint64_t, 32>;

  const std::vector<int> &RowOf;
  /// Lines that are read and lines that are written are not the same.
  std::vector<bool> IsRead;       ///< By row.
  std::vector<LinesOfLanes> Held; ///< By warp and row.
};

} // namespace sluice

#endif
