// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Makes a warp's trace of what it did, as it is told part after part.
///
/// Accesses are told in the order of the IR; the trace has them in the GPU's
/// (CodePart::Steps). So they are kept until the next part begins, and are
/// written then.

#ifndef SLUICE_SIMULATOR_WARPBUILDER_H
#define SLUICE_SIMULATOR_WARPBUILDER_H

#include "sluice/Simulator/CodePart.h"
#include "sluice/Simulator/Trace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace sluice {

class WarpBuilder {
public:
  /// The warp begins \p Part, which lives until the next one or the end.
  void enter(const CodePart &Part, const CodeSites &Code);
  /// One of that part's accesses. \p Addresses: of each of 32 lanes.
  void access(uint32_t Site, uint32_t Lanes, const uint64_t *Addresses,
              bool GivesValue);
  /// The block's lanes have met.
  void barrier();
  /// The warp has ended.
  WarpTrace take(const CodeSites &Code);

private:
  struct Kept {
    uint32_t Site, Begin, End;
    bool GivesValue, Written;
  };
  void write(Kept &K);
  void flush();
  /// Leaves loops that \p To is not in, and enters those around it.
  void moveTo(int To, const CodeSites &Code);

  WarpTrace Trace;
  const CodePart *Pending = nullptr;
  llvm::SmallVector<Kept, 16> Accesses;        ///< Of the part under way.
  std::vector<uint32_t> Words;                 ///< Theirs.
  llvm::DenseMap<uint32_t, uint32_t> LastLoad; ///< By site, not yet waited for.
  uint32_t Loads = 0;
  int Loop = -1;
};

} // namespace sluice

#endif
