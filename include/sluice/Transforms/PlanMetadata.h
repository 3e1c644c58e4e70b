// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A plan inside the module that it is for:
///
///   !sluice.plan = !{!0}
///   !0 = !{!"--- sluice-plan: 4 ..."}
///
/// in the form of plan files (docs/plan-format.md).

#ifndef SLUICE_TRANSFORMS_PLANMETADATA_H
#define SLUICE_TRANSFORMS_PLANMETADATA_H

#include "sluice/Plan/Plan.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// In place of the plan that \p M has.
void attachPlan(llvm::Module &M, const Plan &P);

/// None: it has no plan. The error says what is wrong with the text.
llvm::Expected<std::optional<Plan>> attachedPlan(const llvm::Module &M);

} // namespace sluice

#endif
