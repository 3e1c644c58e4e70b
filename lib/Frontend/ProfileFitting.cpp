// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lib/Analysis compares texts (updateProfile); here they are found: clang has
// files by their paths, a profile by their names.

#include "sluice/Frontend/ProfileFitting.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace sluice;
using llvm::StringRef;

/// The texts of the files that \p Name is the last component of.
static std::vector<StringRef> textsOf(StringRef Name,
                                      clang::SourceManager &SM) {
  std::vector<StringRef> Texts;
  for (auto It = SM.fileinfo_begin(), E = SM.fileinfo_end(); It != E; ++It)
    if (llvm::sys::path::filename(It->first.getName()) == Name)
      if (auto Buffer = SM.getMemoryBufferForFileOrNone(It->first))
        Texts.push_back(Buffer->getBuffer());
  return Texts;
}

/// updateProfile with each text until one fits.
static ProfileState fitToFile(KernelProfile &K, StringRef File,
                              clang::SourceManager &SM) {
  ProfileState State = ProfileState::Unknown;
  for (StringRef Text : textsOf(File, SM)) {
    State = updateProfile(K, File, Text);
    if (State != ProfileState::Stale)
      break;
  }
  return State;
}

ProfileState sluice::fitToSource(KernelProfile &K, clang::SourceManager &SM) {
  llvm::StringSet<> Files; // each once: a second time would move again
  Files.insert(K.File);
  for (const FunctionText &Text : K.Inlined)
    Files.insert(Text.File);

  KernelProfile Fitted = K;
  ProfileState State = fitToFile(Fitted, K.File, SM);
  for (const auto &File : Files) {
    if (File.getKey() == K.File || State == ProfileState::Stale)
      continue;
    ProfileState Other = fitToFile(Fitted, File.getKey(), SM);
    if (Other == ProfileState::Stale ||
        (Other == ProfileState::Moved && State == ProfileState::Current))
      State = Other;
  }
  if (State != ProfileState::Stale)
    K = std::move(Fitted);
  return State;
}
