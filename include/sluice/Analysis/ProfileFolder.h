// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A folder with profiles of any number of programs, in which compiles find
/// those of their kernels. Each file NAME.yaml in it is a profile; the file
/// `contents` lists them, so that a build sees when one comes or goes.

#ifndef SLUICE_ANALYSIS_PROFILEFOLDER_H
#define SLUICE_ANALYSIS_PROFILEFOLDER_H

#include "sluice/Analysis/Profile.h"
#include "llvm/ADT/ArrayRef.h"

namespace sluice {

/// The folder's files, `contents` among them if it is there, in the order of
/// their names. An error if there is no such folder.
llvm::Expected<std::vector<std::string>>
filesOfProfileFolder(llvm::StringRef Folder);

/// Puts \p P into \p Folder, which is made if it is not there, as \p Name.yaml
/// in place of one that has the name, and writes `contents` anew.
llvm::Error writeToProfileFolder(llvm::StringRef Folder, llvm::StringRef Name,
                                 const Profile &P);

/// What a folder has of one kernel.
struct KernelInFolder {
  Profile Sum;       ///< Of this kernel alone.
  std::string Files; ///< Where it is from, "DIR/a.yaml, DIR/b.yaml".
};

struct ProfilesInFolder {
  /// Of each kernel those for \p GPU first. Profiles of one kernel with one
  /// text and GPU are added up (mergeProfile); with another they stay apart,
  /// and who knows the text takes the first that fits.
  std::vector<KernelInFolder> Kernels;
  /// Files that are no profiles, each with what is wrong.
  std::vector<std::string> Problems;
};

/// Reads what the folder has of the kernels with the mangled names \p Names.
/// Files without any of them are not parsed.
llvm::Expected<ProfilesInFolder>
readProfileFolder(llvm::StringRef Folder, llvm::ArrayRef<std::string> Names,
                  llvm::StringRef GPU);

} // namespace sluice

#endif
