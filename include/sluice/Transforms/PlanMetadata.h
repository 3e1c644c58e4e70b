// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A plan inside the module that it is for, with what else the transforms must
/// know:
///
///   !sluice.plan = !{!0}                          ; as in plan files
///   !sluice.options = !{!1}                       ; that it was made with
///   !sluice.off = !{!2}                           ; what must stay as it is
///   !0 = !{!"--- sluice-plan: 4 ..."}
///   !1 = !{!"promote=off", !"sms=66"}
///   !2 = !{!"f.cu:3:1", !"f.cu:9:2"}              ; from the first to the last
///
/// Kernels have their names in the module. A plan names loops and accesses by
/// their places (CodeId), which debug locations carry through inlining,
/// unrolling and all other passes.

#ifndef SLUICE_TRANSFORMS_PLANMETADATA_H
#define SLUICE_TRANSFORMS_PLANMETADATA_H

#include "sluice/Plan/Options.h"
#include "sluice/Plan/Plan.h"

namespace llvm {
class DILocation;
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace sluice {

/// What sluice-plan and the clang plugin leave in a module.
struct PlanInModule {
  Plan Decisions;
  std::vector<std::string> Args; ///< Sluice's options, "K=V".
  std::vector<PlaceRange> Off;   ///< What stands under `#pragma sluice off`.
  bool IsWhole = false; ///< No other device code is linked to the module's.
};

/// The same for who carries it out.
struct AttachedPlan {
  Plan Decisions;
  Options Opts;
  std::vector<PlaceRange> Off;
  bool IsWhole = false;

  /// Of \p Kernel; null: the plan has none, or is for another GPU.
  const KernelPlan *kernel(const llvm::Function &Kernel) const;
};

/// In place of the plan that \p M has.
void attachPlan(llvm::Module &M, const PlanInModule &P);

/// Adds \p Kernel to the plan that \p M has.
void addKernelPlan(llvm::Module &M, KernelPlan Kernel);

/// None: \p M has no plan. The error says what is wrong with it.
llvm::Expected<std::optional<AttachedPlan>> attachedPlan(const llvm::Module &M);

/// The same; a wrong plan is a warning, which begins with \p Effect, and none.
std::optional<AttachedPlan> attachedPlanOrWarning(llvm::Module &M,
                                                  llvm::StringRef Effect);

/// Does the plan keep something from \p F, as \p IsKept says of a kernel? A
/// function that is not inlined may be any kernel's.
bool isKeptFrom(const llvm::Function &F, const AttachedPlan &Attached,
                llvm::function_ref<bool(const KernelPlan &)> IsKept);

/// Does \p At stand in one of \p Ranges, or is it called from there, through
/// whatever functions?
bool isReachedFrom(const std::vector<PlaceRange> &Ranges,
                   const llvm::DILocation *At);

/// Does the source keep Sluice away from where \p I stands, or does its
/// function call itself? Of what LLVM took the location, as it moved it out of
/// a loop, that of what comes next counts.
bool isSwitchedOff(const llvm::Instruction &I, const AttachedPlan &Attached);

/// Takes it out of \p M.
void detachPlan(llvm::Module &M);

} // namespace sluice

#endif
