// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From a device compile to its plan: a scratch module, and what the AST says
/// of its kernels, for the module's planner.

#ifndef SLUICE_FRONTEND_DEVICEPLANNER_H
#define SLUICE_FRONTEND_DEVICEPLANNER_H

#include "sluice/Analysis/Profile.h"
#include "sluice/Planning/ModulePlanner.h"

namespace clang {
class CompilerInstance;
class FunctionDecl;
} // namespace clang

namespace sluice {

class RecordingConsumer;
struct GPUModel;

/// The name by which facts and plans call a kernel: mangled.
std::string kernelName(const clang::FunctionDecl &Kernel);

/// Analyses what \p Record holds, a device compile's translation unit that
/// \p CI has parsed without errors, and plans it for \p GPU, with what
/// \p Measured, the profile in Opts.ProfileFile, knows of its kernels; null:
/// there is none. Empty where no code can be generated for it (clang will say
/// so). Opts.Promote: SumPromotionPass will run in this compile, so that the
/// plan may count on it. \p HostHears: the compile of the host's code will be
/// told of M, so that it may take the place of turns.
std::optional<DevicePlan> planDevice(clang::CompilerInstance &CI,
                                     RecordingConsumer &Record,
                                     const Options &Opts, bool HostHears,
                                     const Profile *Measured,
                                     const GPUModel &GPU);

} // namespace sluice

#endif
