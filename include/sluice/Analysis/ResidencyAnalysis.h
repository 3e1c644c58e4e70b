// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// May fewer thread blocks of a kernel be resident than would fit?

#ifndef SLUICE_ANALYSIS_RESIDENCYANALYSIS_H
#define SLUICE_ANALYSIS_RESIDENCYANALYSIS_H

#include <string>

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

/// Why not, as a clause: "reads how much shared memory it has". Looks into what
/// \p Kernel calls. What waits for other threads is HazardAnalysis's: blocks
/// may wait for one another only there.
std::string findFixedResidency(const llvm::Function &Kernel);

} // namespace sluice

#endif
