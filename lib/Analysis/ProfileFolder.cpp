// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/ProfileFolder.h"
#include "sluice/Analysis/FileReplacement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral ContentsName = "contents";

static bool isContents(StringRef Path) {
  return sys::path::filename(Path) == ContentsName;
}

Expected<std::vector<std::string>>
sluice::filesOfProfileFolder(StringRef Folder) {
  std::vector<std::string> Files;
  std::error_code EC;
  for (sys::fs::directory_iterator At(Folder, EC), End; At != End && !EC;
       At.increment(EC))
    if (sys::path::extension(At->path()) == ".yaml" || isContents(At->path()))
      Files.push_back(At->path());
  if (EC)
    return createStringError(EC, "cannot read the folder of profiles '" +
                                     Folder + "': " + EC.message());
  llvm::sort(Files);
  return Files;
}

/// Names of the profiles, and hashes of what they are.
static Expected<std::string> describe(StringRef Folder) {
  auto Files = filesOfProfileFolder(Folder);
  if (!Files)
    return Files.takeError();
  std::string Text;
  for (const std::string &File : *Files) {
    auto Buffer = MemoryBuffer::getFile(File);
    if (!Buffer || isContents(File))
      continue; // it has gone meanwhile
    auto Hash = SHA256::hash(arrayRefFromStringRef((*Buffer)->getBuffer()));
    Text += toHex(Hash, /*LowerCase=*/true) + " " +
            sys::path::filename(File).str() + "\n";
  }
  return Text;
}

Error sluice::writeToProfileFolder(StringRef Folder, StringRef Name,
                                   const Profile &P) {
  auto InFolder = [&](StringRef File) {
    SmallString<128> Path(Folder);
    sys::path::append(Path, File);
    return Path;
  };
  if (std::error_code EC = sys::fs::create_directories(Folder))
    return createStringError(EC, "cannot make the folder of profiles '" +
                                     Folder + "': " + EC.message());
  if (Error E = writeProfileFile(InFolder((Name + ".yaml").str()), P))
    return E;
  // Others may write too: the last of them has seen all files.
  std::string Written;
  while (true) {
    auto Text = describe(Folder);
    if (!Text)
      return Text.takeError();
    if (*Text == Written)
      return Error::success();
    if (Error E = writeWholeFile(InFolder(ContentsName), *Text))
      return E;
    Written = std::move(*Text);
  }
}

/// Adds \p New where there is one of its kernel, text and GPU.
static void addTo(std::vector<KernelInFolder> &Kernels, KernelInFolder New) {
  for (KernelInFolder &Known : Kernels) {
    const KernelProfile &A = Known.Sum.Kernels.front();
    const KernelProfile &B = New.Sum.Kernels.front();
    if (A.Name != B.Name || A.File != B.File)
      continue;
    if (Error E = mergeProfile(Known.Sum, New.Sum)) {
      consumeError(std::move(E)); // another text or GPU
      continue;
    }
    Known.Files += ", " + New.Files;
    return;
  }
  Kernels.push_back(std::move(New));
}

Expected<ProfilesInFolder>
sluice::readProfileFolder(StringRef Folder, ArrayRef<std::string> Names,
                          StringRef GPU) {
  auto Files = filesOfProfileFolder(Folder);
  if (!Files)
    return Files.takeError();
  ProfilesInFolder Result;
  std::vector<KernelInFolder> OfOtherGPUs;
  for (const std::string &File : *Files) {
    auto Buffer = MemoryBuffer::getFile(File, /*IsText=*/true);
    if (!Buffer || isContents(File))
      continue;
    StringRef Text = (*Buffer)->getBuffer();
    if (none_of(Names, [&](StringRef Name) { return Text.contains(Name); }))
      continue;
    auto P = parseProfile(Text, File);
    if (!P) {
      Result.Problems.push_back(toString(P.takeError()));
      continue;
    }
    for (KernelProfile &Kernel : P->Kernels) {
      if (!is_contained(Names, Kernel.Name))
        continue;
      // The main file of who includes the kernel does not matter.
      Profile Alone;
      Alone.GPU = P->GPU;
      Alone.Origin = P->Origin;
      Alone.Runs = P->Runs;
      Alone.Kernels = {std::move(Kernel)};
      addTo(P->GPU == GPU ? Result.Kernels : OfOtherGPUs,
            {std::move(Alone), File});
    }
  }
  append_range(Result.Kernels, OfOtherGPUs);
  return Result;
}
