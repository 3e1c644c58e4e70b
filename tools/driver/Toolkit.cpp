// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Toolkit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace sluice;
using namespace llvm;

std::string sluice::findToolkit() {
  if (auto Given = sys::Process::GetEnv("CUDA_PATH"))
    if (sys::fs::exists(*Given + "/include/cuda_runtime.h"))
      return *Given;
  return SLUICE_CUDA_PATH;
}

std::string sluice::findToolkitProgram(StringRef Toolkit, StringRef Name) {
  SmallString<128> Path(Toolkit);
  sys::path::append(Path, "bin", Name);
  if (sys::fs::can_execute(Path))
    return std::string(Path);
  auto Found = sys::findProgramByName(Name);
  return Found ? *Found : "";
}

unsigned sluice::toolkitVersion(StringRef Toolkit) {
  auto Header = MemoryBuffer::getFile(Toolkit + "/include/cuda.h");
  if (!Header)
    return 0;
  auto [Before, After] = (*Header)->getBuffer().split("#define CUDA_VERSION ");
  unsigned Version = 0;
  return After.consumeInteger(10, Version) ? 0 : Version;
}

std::string sluice::outputOf(const std::vector<std::string> &Command) {
  SmallString<128> Output;
  if (sys::fs::createTemporaryFile("sluice-output", "txt", Output))
    return "";
  FileRemover Remove(Output);
  SmallVector<StringRef, 16> Args(Command.begin(), Command.end());
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(Output),
                                          StringRef("")};
  if (sys::ExecuteAndWait(Command.front(), Args, std::nullopt, Redirects) != 0)
    return "";
  auto Text = MemoryBuffer::getFile(Output);
  return Text ? (*Text)->getBuffer().str() : "";
}

std::string sluice::findNvcc(StringRef Toolkit, StringRef Self) {
  std::string Found = findToolkitProgram(Toolkit, "nvcc");
  if (Found.empty())
    return "";
  // A link named nvcc that leads to sluice-nvcc would call itself.
  SmallString<128> Real;
  if (!sys::fs::real_path(Found, Real) && Real == Self)
    return "";
  return Found;
}
