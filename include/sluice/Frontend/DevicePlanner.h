// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From a device compile to its plan: nested compile, facts, planners.

#ifndef SLUICE_FRONTEND_DEVICEPLANNER_H
#define SLUICE_FRONTEND_DEVICEPLANNER_H

#include "sluice/Analysis/Profile.h"
#include "sluice/Frontend/DevicePlan.h"
#include "sluice/Plan/Options.h"

namespace clang {
class CompilerInstance;
class FunctionDecl;
} // namespace clang

namespace sluice {

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

} // namespace sluice

#endif
