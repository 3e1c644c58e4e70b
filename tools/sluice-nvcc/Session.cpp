// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session.h"
#include "Driver.h"
#include "Toolkit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace sluice;
using namespace sluice::nvcc;
using namespace llvm;

std::string sluice::nvcc::shellText(const Command &C) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const std::string &Word : C) {
    if (&Word != &C.front())
      OS << ' ';
    sys::printArg(OS, Word, /*Quote=*/false);
  }
  return Text;
}

/// -ccbin names a compiler or its folder; nvcc asks $NVCC_CCBIN next.
static std::string chooseHostCompiler(const CommandLine &Line) {
  std::string Given = Line.last(Opt::CCBin).str();
  if (Given.empty())
    Given = sys::Process::GetEnv("NVCC_CCBIN").value_or("");
  if (!Given.empty())
    return sys::fs::is_directory(Given) ? Given + "/g++" : Given;
  if (sys::findProgramByName("g++"))
    return "g++";
  auto Clang = findClang();
  if (Clang)
    return *Clang;
  consumeError(Clang.takeError());
  return "g++";
}

Expected<std::unique_ptr<Session>> Session::create(CommandLine Line,
                                                   const char *Argv0) {
  std::unique_ptr<Session> S(new Session(std::move(Line), Argv0));
  S->Toolkit = findToolkit();
  S->Cuda = toolkitVersion(S->Toolkit);
  if (!S->Cuda)
    return createStringError("no CUDA toolkit in '%s' (there is no "
                             "include/cuda.h); set CUDA_PATH to one",
                             S->Toolkit.c_str());
  S->HostCompiler = chooseHostCompiler(S->Line);
  std::string Self = sys::fs::getMainExecutable(
      Argv0, reinterpret_cast<void *>(&Session::create));
  S->Nvcc = findNvcc(S->Toolkit, Self);
  SmallString<128> Header(sys::path::parent_path(sys::path::parent_path(Self)));
  sys::path::append(Header, "include", "sluice", "nvcc.h");
  if (!sys::fs::exists(Header))
    return createStringError("'%s' is not there; install Sluice anew",
                             Header.c_str());
  S->Header = Header.str().str();
  if (Error E = S->Temporary.create())
    return E;
  return S;
}

void Session::warn(const Twine &Text) const {
  errs() << "sluice-nvcc: warning: " << Text << "\n";
}

void Session::list(const Command &C) const {
  if (lists())
    errs() << "#$ " << shellText(C) << "\n";
}

int Session::run(const Command &C) const {
  list(C);
  if (dryRun())
    return 0;
  Command Found = C;
  if (auto Program = sys::findProgramByName(C.front()))
    Found.front() = *Program;
  return runCommand(Found);
}

int Session::runQuietly(const Command &C, std::string &Said) {
  list(C);
  if (dryRun())
    return 0;
  return sluice::runQuietly(C, Said);
}

std::vector<std::string> Session::libraryFolders() const {
  std::vector<std::string> Folders;
  for (StringRef Lib : {"/lib64", "/lib"})
    if (sys::fs::exists(Toolkit + Lib)) {
      for (StringRef Stubs : {"/stubs", ""})
        Folders.push_back("-L" + Toolkit + (Lib + Stubs).str());
      break;
    }
  return Folders;
}

std::string Session::intermediate(StringRef Input, StringRef Ending) {
  std::string Stem = sys::path::stem(Input).str();
  std::string Name = Stem + Ending.str();
  for (unsigned I = 2; is_contained(Intermediates, Name); ++I)
    Name = Stem + "-" + std::to_string(I) + Ending.str();
  Intermediates.push_back(Name);
  if (!Line.has(Opt::Keep))
    return Temporary.file(Name);
  StringRef Folder = Line.last(Opt::KeepDir);
  SmallString<128> Path(Folder.empty() ? "." : Folder);
  if (!dryRun())
    sys::fs::create_directories(Path);
  sys::path::append(Path, Name);
  return Path.str().str();
}

void sluice::nvcc::listVariables(const Session &S) {
  auto Print = [](StringRef Name, const Twine &Value) {
    errs() << "#$ " << Name << "=" << Value << "\n";
  };
  auto FirstMachine = S.Archs.Machine.empty() ? "" : S.Archs.Machine.front();
  Print("_NVVM_BRANCH_", "nvvm");
  Print("_SPACE_", " ");
  Print("_CUDART_", "cudart");
  Print("TOP", S.Toolkit);
  Print("NVVMIR_LIBRARY_DIR", S.Toolkit + "/nvvm/libdevice");
  Print("PATH",
        S.Toolkit + "/bin:" + sys::Process::GetEnv("PATH").value_or(""));
  Print("INCLUDES", shellText({"-I" + S.Toolkit + "/include"}));
  Print("LIBRARIES", shellText(S.libraryFolders()));
  // Where CMake reads the default architecture.
  if (StringRef(FirstMachine).starts_with("sm_"))
    Print("ARCHITECTURE", "-arch compute_" + FirstMachine.substr(3));
}
