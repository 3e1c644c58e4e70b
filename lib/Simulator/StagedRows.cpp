// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks are lines. Of a row that begins anywhere the passes copy a shorter
// first chunk, so that this is so there too.

#include "StagedRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace sluice;

static constexpr uint64_t NoLine = ~uint64_t(0);
static constexpr unsigned LineShift = 7;

StagedRows::StagedRows(const std::vector<int> &RowOf, const CodeSites &Sites,
                       size_t Warps)
    : RowOf(RowOf) {
  for (auto [Site, Row] : llvm::enumerate(RowOf))
    if (Row >= 0) {
      IsRead.resize(std::max<size_t>(IsRead.size(), size_t(Row) + 1));
      IsRead[size_t(Row)] = Sites.Accesses[Site].Kind == AccessSite::Load;
    }
  Held.resize(Warps * IsRead.size());
  for (LinesOfLanes &Lines : Held)
    Lines.fill(NoLine);
}

void StagedRows::restart(size_t Warp) {
  for (size_t Row = 0; Row < IsRead.size(); ++Row)
    Held[Warp * IsRead.size() + Row].fill(NoLine);
}

void StagedRows::access(size_t Warp, const uint32_t *P, LineAccess &Missing) {
  const auto Row = size_t(RowOf[WarpTrace::argument(*P)]);
  const size_t Rows = IsRead.size();
  Missing.Count = 0;
  forEachLane(P, [&](unsigned Lane, uint64_t Address) {
    const uint64_t Line = Address >> LineShift;
    // The fields of a struct are one row and several accesses.
    for (size_t Other = 0; Other < Rows; ++Other)
      if (IsRead[Other] == IsRead[Row] &&
          Held[Warp * Rows + Other][Lane] == Line)
        return;
    Held[Warp * Rows + Row][Lane] = Line;
    Missing.Line[Missing.Count] = Line;
    Missing.Sectors[Missing.Count++] = 0xF;
  });
  Missing.NumSectors = 4 * Missing.Count;
}
