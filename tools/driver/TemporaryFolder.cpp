// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <mutex>
#include <unistd.h>
#include <vector>

using namespace sluice;
using namespace llvm;

static std::vector<std::string> &temporaryFolders() {
  static std::vector<std::string> Folders;
  return Folders;
}

/// Two compiles at one time have a folder each. A signal handler cannot wait
/// for it, and looks without.
static std::mutex FoldersLock;

/// In a signal handler. What a child still writes into a folder stays.
static void removeFoldersAndExit() {
  for (const std::string &Folder : temporaryFolders())
    if (sys::fs::remove_directories(Folder))
      continue;
  _exit(128 + SIGINT);
}

Error TemporaryFolder::create() {
  SmallString<128> Unique;
  if (auto EC = sys::fs::createUniqueDirectory("sluice", Unique))
    return createStringError(EC, "cannot make a temporary folder");
  Path = Unique.str().str();
  std::lock_guard<std::mutex> Held(FoldersLock);
  temporaryFolders().push_back(Path);
  sys::SetInterruptFunction(removeFoldersAndExit);
  return Error::success();
}

TemporaryFolder::~TemporaryFolder() {
  if (Path.empty())
    return;
  if (auto EC = sys::fs::remove_directories(Path))
    errs() << "warning: cannot remove '" << Path << "': " << EC.message()
           << "\n";
  std::lock_guard<std::mutex> Held(FoldersLock);
  llvm::erase(temporaryFolders(), Path);
}

std::string TemporaryFolder::file(const Twine &Name) const {
  SmallString<128> Result(Path);
  sys::path::append(Result, Name);
  return Result.str().str();
}
