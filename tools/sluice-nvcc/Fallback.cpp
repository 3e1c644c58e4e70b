// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang cannot compile, nvcc does, if it is there.

#include "Build.h"
#include "ClangDiagnostics.h"
#include "ClangOptions.h"
#include "Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>

using namespace sluice;
using namespace sluice::nvcc;
using namespace llvm;

/// Options that are given anew for one input, or are none of a compile's.
static bool isOfOneCommand(const OptionRow &Row) {
  switch (Row.Id) {
  case Opt::Compile:
  case Opt::DeviceC:
  case Opt::DeviceW:
  case Opt::DeviceLink:
  case Opt::Link:
  case Opt::Lib:
  case Opt::Run:
  case Opt::RunArgs:
  case Opt::Output:
  case Opt::OutputDirectory:
  case Opt::Ptx:
  case Opt::Cubin:
  case Opt::Fatbin:
  case Opt::Preprocess:
  case Opt::M:
  case Opt::MM:
  case Opt::MD:
  case Opt::MMD:
  case Opt::MF:
  case Opt::MP:
  case Opt::MT:
    return true;
  default:
    return false;
  }
}

/// The variables' options are in the command already.
static void forgetVariables() {
  unsetenv("NVCC_PREPEND_FLAGS");
  unsetenv("NVCC_APPEND_FLAGS");
}

static void appendGiven(const Session &S, Command &C, bool Whole) {
  for (const Occurrence &O : S.Line.Options)
    if (Whole || !isOfOneCommand(*O.Row))
      llvm::append_range(C, O.Given);
  llvm::append_range(C, S.Line.ToCompiler.empty() ? S.Line.ToLinker
                                                  : S.Line.ToCompiler);
}

int sluice::nvcc::compileByNvcc(Session &S, StringRef Input,
                                const std::vector<std::string> &Last) {
  Command C = {S.Nvcc};
  appendGiven(S, C, /*Whole=*/false);
  llvm::append_range(C, Last);
  C.push_back(Input.str());
  forgetVariables();
  return S.run(C);
}

int sluice::nvcc::runNvcc(Session &S, const Twine &Why) {
  S.warn(Why);
  Command C = {S.Nvcc};
  appendGiven(S, C, /*Whole=*/true);
  llvm::append_range(C, S.Line.Inputs);
  forgetVariables();
  return S.run(C);
}

/// The first line of \p Said that tells of an error.
static std::string firstError(StringRef Said) {
  static const Regex Error("(^|: )(fatal )?error: ");
  std::string Plain = withoutColours(Said);
  SmallVector<StringRef, 64> Lines;
  StringRef(Plain).split(Lines, '\n');
  for (StringRef Line : Lines)
    if (Error.match(Line))
      return Line.str();
  return "clang ended without a message";
}

/// Runs clang with \p Arguments. \returns its exit status, with what it says in
/// \p Said.
static Expected<int> runClang(Session &S, const Command &Arguments,
                              std::string &Said) {
  std::vector<const char *> Args;
  // What clang says goes through a file.
  if (sys::Process::StandardErrHasColors())
    Args.push_back("-fcolor-diagnostics");
  for (const std::string &Argument : Arguments)
    Args.push_back(Argument.c_str());
  auto Command = clangCommand(Args, S.Argv0);
  if (!Command)
    return Command.takeError();
  return S.runQuietly(*Command, Said);
}

/// The same. A source that does not compile may be one that asks for nvcc's
/// macros where it means CUDA, so it gets a second try with them; what is said
/// is then of the try that succeeds, or of the first.
static Expected<int> tryClang(Session &S, const Command &Arguments,
                              std::string &Said) {
  auto Status = runClang(S, Arguments, Said);
  if (!Status || *Status == 0)
    return Status;
  Command Again = nvccMacros(S);
  llvm::append_range(Again, Arguments);
  std::string SaidAgain;
  auto StatusAgain = runClang(S, Again, SaidAgain);
  if (!StatusAgain || *StatusAgain != 0)
    return StatusAgain ? std::move(Status) : std::move(StatusAgain);
  Said = SaidAgain;
  return 0;
}

int sluice::nvcc::clangElseNvcc(Session &S,
                                const std::vector<std::string> &Clang,
                                StringRef Input,
                                const std::vector<std::string> &Nvcc,
                                function_ref<std::string()> WhyNot,
                                bool *ByNvcc) {
  std::string Said;
  auto Status = tryClang(S, Clang, Said);
  if (!Status) {
    errs() << "sluice-nvcc: error: " << toString(Status.takeError()) << "\n";
    return 1;
  }
  std::string Why = *Status ? "clang says: " + firstError(Said) : WhyNot();
  bool MayFallBack = !S.Line.Strict && !S.Nvcc.empty();
  if (Why.empty() || (*Status && !MayFallBack)) {
    errs() << Said;
    return *Status < 0 ? 1 : *Status;
  }
  if (!MayFallBack) {
    errs() << "sluice-nvcc: error: " << Input << ": " << Why << "\n";
    return 1;
  }
  S.warn(Input + " is compiled by nvcc, without Sluice: " + Why);
  if (ByNvcc)
    *ByNvcc = true;
  return compileByNvcc(S, Input, Nvcc);
}
