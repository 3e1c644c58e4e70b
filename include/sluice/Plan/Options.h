// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The options a user gives Sluice, `-fplugin-arg-sluice-K=V` or
/// `--sluice-K=V`, and their parser.

#ifndef SLUICE_PLAN_OPTIONS_H
#define SLUICE_PLAN_OPTIONS_H

#include "sluice/Analysis/LaunchConfig.h"
#include "sluice/Plan/TechniqueParts.h"
#include "sluice/Plan/WrongRewrite.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace sluice {

/// `launch=KERNEL:GRID:BLOCK[:SMEM]`; GRID and BLOCK are X, XxY or XxYxZ.
struct GivenLaunch {
  std::string Kernel; ///< Mangled, qualified or plain name.
  LaunchConfig Config;
};

/// With what each technique may be asked (TechniqueParts.h).
struct Options : TechniqueSettings {
  std::string PlanFile;          ///< `plan=`; empty: compute one.
  std::string EmitPlanFile;      ///< `emit-plan=`; empty: none, "-": stdout.
  std::string ProfileFile;       ///< `profile=`; empty: none.
  std::string ProfileFolder;     ///< `profile-dir=`; empty: none.
  std::optional<unsigned> L1KiB; ///< `l1-kib=`.
  std::string Chip;              ///< `chip=`: "h200"; empty: `auto`.
  std::optional<unsigned> SMs;   ///< `sms=`.
  std::vector<GivenLaunch> Launches; ///< `launch=`, may be repeated.
  /// `assembly-cache=FOLDER|off`; empty: off, none: the user's.
  std::optional<std::string> AssemblyCacheFolder;
  bool TraceOnGPU = false;                 ///< `trace=gpu`.
  bool AllRemarks = false;                 ///< `remarks=all`.
  WrongRewrite Wrong = WrongRewrite::None; ///< `test-wrong-rewrite=`.
  /// `throttled-source=`, not in the help: what `sluice throttle` has the
  /// plugin write.
  std::string ThrottledSourceFile;
};

/// Parses "K=V" strings. The error names the option or the value that is wrong
/// and lists the valid ones.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<std::string> Args);

/// One line for each option: its values, its default, what it does. Each is
/// printed with \p Prefix before its name ("--sluice-").
void printOptionsHelp(llvm::raw_ostream &OS, llvm::StringRef Prefix);

} // namespace sluice

#endif
