// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which of the lines that a traced SM touches do other SMs touch too? Of one
/// line in 16, as a few of the other SMs touch them.

#ifndef SLUICE_SIMULATOR_LINESHARING_H
#define SLUICE_SIMULATOR_LINESHARING_H

#include "sluice/Simulator/Trace.h"
#include "llvm/ADT/DenseSet.h"

namespace sluice {

class LineSharing {
public:
  /// Forgets everything. \p StandsFor: for each other SM that is looked at, the
  /// number of SMs that are taken to share as it does.
  void start(llvm::ArrayRef<unsigned> StandsFor);
  /// An access of an SM, each lane of \p Bytes.
  void touch(unsigned OtherSM, uint32_t Lanes, const uint64_t *Addresses,
             unsigned Bytes);
  /// LaunchTrace::SharedByOtherSM.
  std::vector<float> shareOf(const LaunchTrace &T);

private:
  struct Other {
    unsigned StandsFor;
    llvm::DenseSet<uint64_t> Lines;
  };
  std::vector<Other> Others;
  LineAccess Lines;
  std::vector<uint32_t> Scratch;
};

} // namespace sluice

#endif
