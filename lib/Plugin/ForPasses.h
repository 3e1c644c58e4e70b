// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the clang plugin knows when LLVM's passes begin, in the same process: a
/// plugin of clang does not get the module that clang makes. At the start of
/// the pipeline the plan goes into the module, from where all passes take it.

#ifndef SLUICE_PLUGIN_FORPASSES_H
#define SLUICE_PLUGIN_FORPASSES_H

#include "sluice/Plan/HostRecord.h"
#include "sluice/Transforms/PlanMetadata.h"
#include <optional>

namespace sluice {

struct ForPasses {
  /// In the device compile: what is to be done. None: nothing.
  std::optional<PlanInModule> Plan;
  /// In the host compile: what to do at launches.
  AgreedRequests AtLaunches;
  bool Trace = false;     ///< `trace=gpu`.
  bool LosesSign = false; ///< WrongRewrite::LostSign.
};

/// Of the compile that runs.
inline ForPasses &forPasses() {
  static ForPasses All;
  return All;
}

} // namespace sluice

#endif
