// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The options a user gives Sluice, `-fplugin-arg-sluice-K=V` or
/// `--sluice-K=V`, and their parser.

#ifndef SLUICE_PLAN_OPTIONS_H
#define SLUICE_PLAN_OPTIONS_H

#include "sluice/Analysis/LaunchConfig.h"
#include "sluice/Plan/WrongRewrite.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// `launch=KERNEL:GRID:BLOCK[:SMEM]`; GRID and BLOCK are X, XxY or XxYxZ.
struct GivenLaunch {
  std::string Kernel; ///< Mangled, qualified or plain name.
  LaunchConfig Config;
};

struct Options {
  std::string PlanFile;     ///< `plan=`; empty: compute one.
  std::string EmitPlanFile; ///< `emit-plan=`; empty: none, "-": stdout.
  std::string ProfileFile;  ///< `profile=`; empty: none.
  bool Throttle = true;     ///< `throttle=auto|off|N[,M]`.
  std::optional<unsigned> ForcedWarpGroups;     ///< N of `throttle=N`.
  std::optional<unsigned> ForcedResidentBlocks; ///< M of `throttle=N,M`.
  bool LimitBlocks = true;           ///< `blocks=auto|prefer`; not with `off`.
  bool PreferBlocks = false;         ///< `blocks=prefer`.
  bool Carveout = true;              ///< `carveout=auto|off`.
  bool Promote = true;               ///< `promote=on|off`.
  bool PromoteIsGiven = false;       ///< Not `on` by default.
  bool Hints = true;                 ///< `hints=auto|off|profile`.
  bool HintsNeedProfile = false;     ///< `hints=profile`.
  std::optional<unsigned> L1KiB;     ///< `l1-kib=`.
  std::optional<unsigned> SMs;       ///< `sms=`.
  std::vector<GivenLaunch> Launches; ///< `launch=`, may be repeated.
  bool TraceOnGPU = false;           ///< `trace=gpu`.
  bool AllRemarks = false;           ///< `remarks=all`.
  WrongRewrite Wrong = WrongRewrite::None; ///< `test-wrong-rewrite=`.
  /// `test-hints=SEED`, not in the help: random cache hints on the loads that
  /// no plan lists, for sluice-fuzz.
  std::optional<uint64_t> RandomHints;
  /// `throttled-source=`, not in the help: what `sluice throttle` has the
  /// plugin write.
  std::string ThrottledSourceFile;
  /// Warnings: options given whose transform is not in this version.
  std::vector<std::string> Notices;
};

/// Parses "K=V" strings. The error names the option or the value that is wrong
/// and lists the valid ones.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<std::string> Args);

/// One line for each option: its values, its default, what it does. Each is
/// printed with \p Prefix before its name ("--sluice-").
void printOptionsHelp(llvm::raw_ostream &OS, llvm::StringRef Prefix);

} // namespace sluice

#endif
