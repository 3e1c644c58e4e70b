// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of plans: compiles that run in parallel may all put their plans into
// one, so it is locked, and replaced in one step.

#include "sluice/Analysis/FileReplacement.h"
#include "sluice/Plan/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include <chrono>
#include <mutex>
#include <system_error>

using namespace llvm;

namespace sluice {

static Error cannot(StringRef Verb, StringRef Path, const Twine &Why) {
  return createStringError("cannot " + Verb + " plan file '" + Path +
                           "': " + Why);
}

Expected<std::vector<Plan>> readPlanFile(StringRef Path) {
  auto Buffer = MemoryBuffer::getFileOrSTDIN(Path, /*IsText=*/true);
  if (!Buffer)
    return cannot("read", Path, Buffer.getError().message());
  return parsePlans((*Buffer)->getBuffer(), Path == "-" ? "<stdin>" : Path);
}

static std::string textOf(ArrayRef<Plan> Plans) {
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(Plans, OS);
  return Text;
}

Error writePlanFile(StringRef Path, const Plan &P) {
  if (Error E = writeWholeFile(Path, textOf(P)))
    return cannot("write", Path, toString(std::move(E)));
  return Error::success();
}

/// updatePlanFile while nobody else updates the file. \p FD is the locked file;
/// it is read through FD, as closing another descriptor would end the lock.
static Error updateLockedFile(StringRef Path, sys::fs::file_t FD,
                              const Plan &New, unsigned Mode) {
  std::vector<Plan> Plans;
  auto Buffer = MemoryBuffer::getOpenFile(FD, Path, /*FileSize=*/-1,
                                          /*RequiresNullTerminator=*/true,
                                          /*IsVolatile=*/true);
  if (!Buffer)
    return cannot("read", Path, Buffer.getError().message());
  std::string OldText = (*Buffer)->getBuffer().str();

  if (!StringRef(OldText).trim().empty()) {
    auto Old = parsePlans(OldText, Path);
    if (!Old)
      return joinErrors(
          cannot("write", Path,
                 "the file exists and is not a plan; remove it or give "
                 "another name"),
          Old.takeError());
    Plans = std::move(*Old);
  }

  auto Same =
      find_if(Plans, [&](const Plan &P) { return P.isForSameCompile(New); });
  if (Same != Plans.end())
    *Same = New;
  else
    Plans.push_back(New);

  std::string Text = textOf(Plans);
  if (Text == OldText) // leave its time alone: build systems look at it
    return Error::success();
  if (Error E = replaceFile(Path, Text, Mode))
    return cannot("write", Path, toString(std::move(E)));
  return Error::success();
}

Error updatePlanFile(StringRef Path, const Plan &New) {
  auto D = findDestination(Path);
  if (!D)
    return cannot("write", Path, toString(D.takeError()));
  if (D->InPlace)
    return writePlanFile(Path, New);

  static std::mutex InThisProcess; // file locks are between processes
  std::lock_guard<std::mutex> Guard(InThisProcess);
  // Compiles that run in parallel may all put their plans into one file. The
  // lock is on the file; who waited for it holds the one that was replaced
  // meanwhile, and tries again.
  for (unsigned Try = 0; Try < 1000; ++Try) {
    int FD;
    if (std::error_code EC = sys::fs::openFileForReadWrite(
            D->Path, FD, sys::fs::CD_OpenAlways, sys::fs::OF_None, D->Mode))
      return cannot("write", Path, EC.message());
    // The data goes in through a temporary file: nothing is written here whose
    // loss a failing close could tell.
    llvm::scope_exit Close([&] {
      std::error_code Ignored = sys::Process::SafelyCloseFileDescriptor(FD);
      (void)Ignored;
    });
    if (std::error_code EC = sys::fs::tryLockFile(FD, std::chrono::seconds(30)))
      return cannot("lock", Path, EC.message());
    sys::fs::file_status Locked, Current;
    if (!sys::fs::status(FD, Locked) && !sys::fs::status(D->Path, Current) &&
        Locked.getUniqueID() == Current.getUniqueID())
      return updateLockedFile(D->Path, sys::fs::convertFDToNativeFile(FD), New,
                              D->Mode);
  }
  return cannot("write", Path, "others keep replacing it");
}

} // namespace sluice
