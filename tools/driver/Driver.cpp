// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver.h"
#include "Toolkit.h"
#include "sluice/Plan/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace sluice;
using namespace llvm;

static bool isVersion22(const std::string &Clang) {
  return StringRef(outputOf({Clang, "--version"}))
      .contains("clang version 22.");
}

Expected<std::string> sluice::findClang() {
  if (auto Given = sys::Process::GetEnv("SLUICE_CLANG");
      Given && !Given->empty()) {
    if (sys::fs::can_execute(*Given))
      return *Given;
    return createStringError("SLUICE_CLANG names '%s', which cannot be run",
                             Given->c_str());
  }
  if (auto Found = sys::findProgramByName("clang++-22"))
    return *Found;
  if (sys::fs::can_execute(SLUICE_CLANG))
    return std::string(SLUICE_CLANG);
  if (auto Found = sys::findProgramByName("clang++"))
    if (isVersion22(*Found))
      return *Found;
  return createStringError(
      "no clang 22 found (looked for SLUICE_CLANG, clang++-22, %s and a "
      "clang++ of version 22); install clang-22 or set SLUICE_CLANG",
      SLUICE_CLANG);
}

Expected<std::string> sluice::findLibraryFolder(const char *Argv0) {
  std::string Self = sys::fs::getMainExecutable(
      Argv0, reinterpret_cast<void *>(&sluice::findClang));
  StringRef Root = sys::path::parent_path(sys::path::parent_path(Self));
  for (StringRef Folder : {"lib", SLUICE_LIBDIR}) {
    SmallString<128> Path(Root);
    sys::path::append(Path, Folder);
    if (sys::fs::exists(Path + "/Sluice.so"))
      return std::string(Path);
  }
  return createStringError("no Sluice.so in %s/lib; build the target Sluice",
                           Root.str().c_str());
}

/// Device functions that clang lacks; empty if there is no such header here.
static std::string findFunctionsHeader(const char *Argv0) {
  SmallString<128> Path(sys::fs::getMainExecutable(
      Argv0, reinterpret_cast<void *>(&sluice::findClang)));
  sys::path::remove_filename(Path);
  sys::path::remove_filename(Path);
  sys::path::append(Path, "include", "sluice", "functions.h");
  return sys::fs::exists(Path) ? Path.str().str() : "";
}

namespace {

/// What the user's arguments ask clang for.
struct Request {
  std::vector<std::string> Rest;       ///< Without Sluice's own.
  std::vector<std::string> SluiceArgs; ///< "K=V".
  bool HasCudaPath = false;
  bool HasCudaInput = false;         ///< Some input is compiled as CUDA.
  bool HasPreprocessedInput = false; ///< Of CUDA: no header is looked up.
  bool Compiles = false;             ///< There is something to compile.
  bool Links = true;
  bool LinkMakesCode = false; ///< Of kernels: -foffload-lto.
  bool Help = false;
};

} // namespace

static Request readRequest(ArrayRef<std::string> Args) {
  Request R;
  bool LanguageIsCuda = false, LanguageIsPreprocessed = false;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg.consume_front("--sluice-")) {
      if (Arg == "help")
        R.Help = true;
      else
        R.SluiceArgs.push_back(Arg.str());
      continue;
    }
    R.Rest.push_back(Arg.str());
    if (Arg.starts_with("--cuda-path="))
      R.HasCudaPath = true;
    if (StringSwitch<bool>(Arg)
            .Cases({"-c", "-S", "-E", "-fsyntax-only", "-M", "-MM"}, true)
            .Cases({"--analyze", "-emit-ast"}, true)
            .Default(false))
      R.Links = false;
    if (Arg == "-foffload-lto" || Arg.starts_with("-foffload-lto="))
      R.LinkMakesCode = true;
    if (Arg == "-fno-offload-lto")
      R.LinkMakesCode = false;
    StringRef Language;
    if (Arg == "-x" && I + 1 < Args.size())
      Language = Args[I + 1];
    else if (Arg.starts_with("-x"))
      Language = Arg.drop_front(2);
    if (!Language.empty()) {
      LanguageIsCuda = Language.starts_with("cuda");
      LanguageIsPreprocessed = Language == "cuda-cpp-output";
    }
    bool IsInput = Arg == "-" || !Arg.starts_with("-");
    StringRef Extension = sys::path::extension(Arg);
    if (!IsInput)
      continue;
    R.HasCudaInput |=
        (LanguageIsCuda && !LanguageIsPreprocessed) || Extension == ".cu";
    R.HasPreprocessedInput |= LanguageIsPreprocessed || Extension == ".cui";
    R.Compiles |= LanguageIsCuda || Arg == "-" ||
                  StringSwitch<bool>(Extension)
                      .Cases({".cu", ".cui", ".cpp", ".cc", ".cxx", ".C"}, true)
                      .Cases({".c", ".ii", ".i"}, true)
                      .Default(false);
  }
  return R;
}

Expected<std::vector<std::string>>
sluice::expandArguments(ArrayRef<const char *> Args) {
  SmallVector<const char *, 64> Expanded(Args.begin(), Args.end());
  BumpPtrAllocator Storage;
  cl::ExpansionContext Expansion(Storage, cl::TokenizeGNUCommandLine);
  if (Error E = Expansion.expandResponseFiles(Expanded))
    return E;
  return std::vector<std::string>(Expanded.begin(), Expanded.end());
}

Expected<std::vector<std::string>>
sluice::clangCommand(ArrayRef<const char *> UserArgs, const char *Argv0) {
  // clang would expand @file itself, but then it is not seen here.
  auto Args = expandArguments(UserArgs);
  if (!Args)
    return Args.takeError();
  Request R = readRequest(*Args);
  if (R.Help) {
    outs() << "sluice-clang++ is clang++ 22 with the Sluice plugin. It takes "
              "clang's options and\n\n";
    printOptionsHelp(outs(), "--sluice-");
    outs() << "  --sluice-emulate  compile and link for the emulator: the "
              "program needs no GPU (docs/emulator.md)\n";
    outs() << "\nSet SLUICE_CLANG to choose the clang++, CUDA_PATH or "
              "--cuda-path= to choose the toolkit.\n";
    return std::vector<std::string>();
  }
  if (auto Parsed = parseOptions(R.SluiceArgs); !Parsed)
    return Parsed.takeError();
  auto Clang = findClang();
  if (!Clang)
    return Clang.takeError();

  std::vector<std::string> Command = {*Clang};
  const bool LinksKernels = R.Links && R.LinkMakesCode;
  std::string Folder;
  if (R.Compiles || LinksKernels) {
    auto Found = findLibraryFolder(Argv0);
    if (!Found)
      return Found.takeError();
    Folder = std::move(*Found);
  }
  if (R.Compiles) {
    Command.push_back("-fplugin=" + Folder + "/Sluice.so");
    Command.push_back("-fpass-plugin=" + Folder + "/Sluice.so");
    for (const std::string &Arg : R.SluiceArgs)
      Command.push_back("-fplugin-arg-sluice-" + Arg);
  }
  // The hints that the compiles have left in the code.
  if (LinksKernels)
    Command.insert(Command.end(),
                   {"--start-no-unused-arguments",
                    "-Xoffload-linker-nvptx64-nvidia-cuda",
                    "-mllvm=-load-pass-plugin=" + Folder + "/SluicePasses.so",
                    "--end-no-unused-arguments"});
  std::string Toolkit = R.HasCudaPath ? "" : findToolkit();
  if (R.HasCudaInput || R.HasPreprocessedInput) {
    // clang 22 knows CUDA up to 12.x and says so of each newer one.
    Command.push_back("-Wno-unknown-cuda-version");
    if (!Toolkit.empty()) {
      Command.push_back("--cuda-path=" + Toolkit);
      if (R.HasCudaInput && sys::fs::exists(Toolkit + "/include/cccl"))
        Command.push_back("-isystem" + Toolkit + "/include/cccl");
    }
  }
  if (std::string Header = findFunctionsHeader(Argv0);
      R.HasCudaInput && !Header.empty())
    Command.insert(Command.end(), {"-include", Header});
  // The toolkit's libraries come after the user's, but what follows "--" is
  // input files only.
  auto Options = find(R.Rest, "--");
  Command.insert(Command.end(), R.Rest.begin(), Options);
  if (R.Links && !Toolkit.empty())
    for (StringRef Folder : {"/lib64", "/lib"})
      if (sys::fs::exists(Toolkit + Folder)) {
        Command.push_back("-L" + Toolkit + Folder.str());
        break;
      }
  Command.insert(Command.end(), Options, R.Rest.end());
  return Command;
}

int sluice::runCommand(ArrayRef<std::string> Command) {
  SmallVector<StringRef, 32> Args(Command.begin(), Command.end());
  std::string Problem;
  int Status = sys::ExecuteAndWait(Command.front(), Args, std::nullopt, {}, 0,
                                   0, &Problem);
  if (!Problem.empty())
    errs() << "sluice: error: " << Command.front() << ": " << Problem << "\n";
  return Status < 0 ? 1 : Status;
}

int sluice::runQuietly(ArrayRef<std::string> Command, std::string &Said) {
  SmallString<128> Output;
  if (auto EC = sys::fs::createTemporaryFile("sluice-said", "txt", Output)) {
    Said = "cannot make a temporary file: " + EC.message();
    return -1;
  }
  FileRemover Remove(Output);
  SmallVector<StringRef, 64> Args(Command.begin(), Command.end());
  std::optional<StringRef> Redirects[] = {std::nullopt, std::nullopt,
                                          StringRef(Output)};
  std::string Problem;
  int Status = sys::ExecuteAndWait(Command.front(), Args, std::nullopt,
                                   Redirects, 0, 0, &Problem);
  if (auto Text = MemoryBuffer::getFile(Output))
    Said = (*Text)->getBuffer().str();
  Said += Problem;
  return Status;
}
