// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From a device compile to its plan: nested compile, facts, planners.

#ifndef SLUICE_FRONTEND_DEVICEPLANNER_H
#define SLUICE_FRONTEND_DEVICEPLANNER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Analysis/Profile.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "sluice/Plan/Options.h"
#include "sluice/Plan/Plan.h"

namespace clang {
class ASTContext;
class CompilerInstance;
class FunctionDecl;
} // namespace clang

namespace sluice {

/// What is known and what is to be done, kernel by kernel.
struct DevicePlan {
  Plan Decisions;
  std::vector<KernelFacts> Kernels; ///< In the order of Decisions.Kernels.
  std::vector<std::string> IRNames; ///< Of the kernels, likewise.
  std::vector<PlaceRange> Off;      ///< What stands under `#pragma sluice off`.
  std::vector<std::string> Warnings;
  std::vector<Remark> Remarks; ///< At the kernels that they name.

  const KernelFacts *facts(llvm::StringRef Name) const;
};

/// The name by which facts and plans call a kernel: mangled.
std::string kernelName(const clang::FunctionDecl &Kernel);

/// Analyses the translation unit that \p CI is about to compile for the device
/// and plans it, with what \p Measured, the profile in Opts.ProfileFile, knows
/// of its kernels; null: there is none. Empty when the source does not parse
/// (clang will say so), or with \p WhyNot set when the architecture is not
/// known. Opts.Promote: SumPromotionPass will run in this compile, so that the
/// plan may count on it. \p HostHears: the compile of the host's code will be
/// told of M, so that it may take the place of turns.
std::optional<DevicePlan> planDevice(clang::CompilerInstance &CI,
                                     const Options &Opts, bool HostHears,
                                     const Profile *Measured,
                                     std::string &WhyNot);

/// Replaces the decisions by those of \p Given, the user's plan: loops that it
/// does not list are not throttled. Warns of entries that match nothing.
void takeGivenPlan(DevicePlan &Device, const Plan &Given);

} // namespace sluice

#endif
