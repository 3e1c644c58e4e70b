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

/// Is all there that a compile needs? A Python environment may hold some of
/// NVIDIA's wheels, of which other packages need no more.
static bool isToolkit(const Twine &Folder) {
  for (StringRef File :
       {"include/cuda_runtime.h", "include/curand_mtgp32_kernel.h", "bin/ptxas",
        "nvvm/libdevice/libdevice.10.bc"})
    if (!sys::fs::exists(Folder + "/" + File))
      return false;
  return true;
}

/// What NVIDIA's wheels of CUDA 13 make in the Python environment \p Prefix;
/// empty if it is no toolkit.
static std::string toolkitOfWheels(StringRef Prefix) {
  std::error_code EC;
  for (sys::fs::directory_iterator I(Prefix + "/lib", EC), End; I != End && !EC;
       I.increment(EC))
    if (sys::path::filename(I->path()).starts_with("python3"))
      for (StringRef Packages : {"/site-packages", "/dist-packages"}) {
        std::string Folder = (I->path() + Packages + "/nvidia/cu13").str();
        if (isToolkit(Folder))
          return Folder;
      }
  return "";
}

/// The environment that the running tool is installed in: by Sluice's own wheel
/// in PREFIX/lib/sluice/bin, else in PREFIX/bin.
static std::string ownPrefix() {
  std::string Self =
      sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&ownPrefix));
  StringRef Root = sys::path::parent_path(sys::path::parent_path(Self));
  if (Root.ends_with("/lib/sluice"))
    Root = sys::path::parent_path(sys::path::parent_path(Root));
  return Root.str();
}

/// The toolkit of the nvcc on PATH. That may also be a script, or lead to
/// sluice-nvcc; then there is no toolkit around it.
static std::string toolkitOfNvcc() {
  auto Nvcc = sys::findProgramByName("nvcc");
  SmallString<128> Real;
  if (!Nvcc || sys::fs::real_path(*Nvcc, Real))
    return "";
  StringRef Root = sys::path::parent_path(sys::path::parent_path(Real));
  return isToolkit(Root) ? Root.str() : "";
}

std::string sluice::findToolkit() {
  if (auto Given = sys::Process::GetEnv("CUDA_PATH"))
    if (sys::fs::exists(*Given + "/include/cuda_runtime.h"))
      return *Given;
  if (std::string Found = toolkitOfWheels(ownPrefix()); !Found.empty())
    return Found;
  if (isToolkit(SLUICE_CUDA_PATH))
    return SLUICE_CUDA_PATH;
  if (std::string Found = toolkitOfNvcc(); !Found.empty())
    return Found;
  static constexpr StringLiteral Usual = "/usr/local/cuda";
  if (isToolkit(Usual))
    return Usual.str();
  if (auto Environment = sys::Process::GetEnv("VIRTUAL_ENV"))
    if (std::string Found = toolkitOfWheels(*Environment); !Found.empty())
      return Found;
  return sys::fs::exists(SLUICE_CUDA_PATH) ? SLUICE_CUDA_PATH : Usual.str();
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
  // A link named nvcc that leads to sluice-nvcc would call itself. In a Python
  // environment it leads to a script of that name, which starts Self.
  SmallString<128> Real;
  if (!sys::fs::real_path(Found, Real) &&
      (Real == Self || sys::path::filename(Real) == "sluice-nvcc"))
    return "";
  return Found;
}
