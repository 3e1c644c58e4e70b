// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How a subcommand of `sluice profile` shows a profile.

#ifndef SLUICE_TOOLS_SLUICE_PROFILEVIEW_H
#define SLUICE_TOOLS_SLUICE_PROFILEVIEW_H

#include "Arguments.h"
#include "sluice/Analysis/ProfileReport.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace sluice {

struct ProfileView {
  bool JSON = false;
  /// Sources to be shown with the numbers in their margins, in place of the
  /// table.
  std::vector<std::string> Annotate;
  TableOptions Table;
};

/// Takes --json, --annotate=SOURCE and --most=N; none if \p S is another.
std::optional<llvm::Error> takeViewSetting(ProfileView &View, const Setting &S);

/// What takeViewSetting cannot see of one setting alone.
llvm::Error checkView(const ProfileView &View);

/// Prints \p P, from the file \p Path or another place of that name, on
/// standard output.
llvm::Error showProfile(const Profile &P, const ProfileView &View,
                        llvm::StringRef Path);

} // namespace sluice

#endif
