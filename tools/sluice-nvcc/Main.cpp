// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's command line, carried out by clang 22 with Sluice (docs/nvcc.md).

#include "Build.h"
#include "Driver.h"
#include "Toolkit.h"
#include "sluice/Plan/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace sluice;
using namespace sluice::nvcc;
using namespace llvm;

static int report(Error E) {
  errs() << "sluice-nvcc: error: " << toString(std::move(E)) << "\n";
  return 1;
}

static void printHelp() {
  outs() << "sluice-nvcc takes nvcc's command line and compiles with clang 22 "
            "and Sluice. What it\ndoes with each option of nvcc:\n\n";
  printOptionTable(outs());
  outs()
      << "\nIts own options:\n\n"
         "  --sluice-strict  stop where clang cannot compile a file or has "
         "no such option,\n                   in place of running nvcc\n"
         "  --sluice-identity  print what caches of compiles must know: "
         "clang, Sluice and the toolkit\n"
         "  --sluice-libomp  OpenMP is run by clang's library, not by g++'s; "
         "links need its library\n"
         "  --sluice-strict-aliasing  device code, too, reads nothing that was "
         "written as another\n                   type; nvcc does not ask for "
         "that\n"
         "  -Rpass=sluice    what Sluice did; also -Rpass-missed=sluice, "
         "-Rpass-analysis=sluice\n";
  printOptionsHelp(outs(), "--sluice-");
}

/// In the form that build systems look for: nvcc's name, and the toolkit's
/// version behind a "V" in the last lines.
static int printVersion(StringRef Toolkit) {
  std::string Clang = "no clang 22 found";
  if (auto Found = findClang())
    Clang = StringRef(outputOf({*Found, "--version"})).split('\n').first.str();
  else
    consumeError(Found.takeError());
  outs() << "sluice-nvcc: Sluice " SLUICE_VERSION ", " << Clang
         << "\nIt takes the command line of\n"
            "nvcc: NVIDIA (R) Cuda compiler driver\n";
  // ptxas prints the toolkit's version in the same lines as nvcc.
  std::string Ptxas = findToolkitProgram(Toolkit, "ptxas");
  std::string Said = Ptxas.empty() ? "" : outputOf({Ptxas, "--version"});
  StringRef Rest = Said;
  size_t At = Rest.find("Cuda compilation tools");
  if (At != StringRef::npos) {
    outs() << Rest.drop_front(At);
    return 0;
  }
  unsigned Cuda = toolkitVersion(Toolkit);
  std::string Number =
      std::to_string(Cuda / 1000) + "." + std::to_string(Cuda % 1000 / 10);
  outs() << "Cuda compilation tools, release " << Number << ", V" << Number
         << ".0\n";
  return 0;
}

/// What a compile depends on beside its command line and its files, for caches
/// of compiles.
static int printIdentity(const char *Argv0) {
  auto Clang = findClang();
  if (!Clang)
    return report(Clang.takeError());
  auto Folder = findLibraryFolder(Argv0);
  if (!Folder)
    return report(Folder.takeError());
  auto Plugin = MemoryBuffer::getFile(*Folder + "/Sluice.so", /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Plugin)
    return report(createStringError(
        Plugin.getError(), "cannot read '%s/Sluice.so'", Folder->c_str()));
  outs() << outputOf({*Clang, "--version"}) << "Sluice.so "
         << toHex(MD5::hash(arrayRefFromStringRef((*Plugin)->getBuffer())),
                  /*LowerCase=*/true)
         << "\nCUDA " << findToolkit() << " " << toolkitVersion(findToolkit())
         << "\n";
  return 0;
}

static void listKnown(const CommandLine &Line, unsigned Cuda) {
  for (const std::string &Number : knownArchitectures(Cuda)) {
    if (Line.has(Opt::ListCode) && Line.has(Opt::ListArch))
      outs() << "arch=compute_" << Number << ",code=[sm_" << Number
             << ",compute_" << Number << "]\n";
    else
      outs() << (Line.has(Opt::ListCode) ? "sm_" : "compute_") << Number
             << "\n";
  }
}

/// What is answered without a compile; false if that was not asked for.
static bool answers(const CommandLine &Line, const char *Argv0) {
  if (is_contained(Line.SluiceOptions, "--sluice-option-table"))
    printOptionTable(outs());
  else if (is_contained(Line.SluiceOptions, "--sluice-identity"))
    printIdentity(Argv0);
  else if (Line.has(Opt::Help) ||
           is_contained(Line.SluiceOptions, "--sluice-help"))
    printHelp();
  else if (Line.has(Opt::Version))
    printVersion(findToolkit());
  else if (Line.has(Opt::ListCode) || Line.has(Opt::ListArch))
    listKnown(Line, toolkitVersion(findToolkit()));
  else
    return false;
  return true;
}

/// Sluice's options are read by the plugin, but a link has none.
static Error checkSluiceOptions(const CommandLine &Line) {
  std::vector<std::string> Options;
  for (StringRef Option : Line.SluiceOptions) {
    Option.consume_front("--sluice-");
    if (Option == "emulate")
      return createStringError(
          "--sluice-emulate is an option of sluice-clang++, which takes "
          "clang's options");
    Options.push_back(Option.str());
  }
  if (auto Parsed = parseOptions(Options); !Parsed)
    return Parsed.takeError();
  return Error::success();
}

/// sccache asks by --dryrun how nvcc runs cicc and ptxas, and then runs them
/// itself. The steps here are others: it would make no object, and say nothing.
static Error refuseSccache(const CommandLine &Line) {
  if (Line.has(Opt::DryRun) &&
      sys::path::filename(Line.last(Opt::KeepDir)).starts_with("sccache_"))
    return createStringError(
        "sccache takes the steps of nvcc apart, and cannot do so with those of "
        "sluice-nvcc; use ccache, or sccache with sluice-clang++ "
        "(docs/nvcc.md)");
  return Error::success();
}

int main(int argc, char **argv) {
  auto Line = readCommandLine(std::vector<std::string>(argv + 1, argv + argc));
  if (!Line)
    return report(Line.takeError());
  if (answers(*Line, argv[0]))
    return 0;
  if (Error E = checkSluiceOptions(*Line))
    return report(std::move(E));
  if (Error E = refuseSccache(*Line))
    return report(std::move(E));
  auto Made = Session::create(std::move(*Line), argv[0]);
  if (!Made)
    return report(Made.takeError());
  Session &S = **Made;
  auto Archs = chooseArchitectures(S.Line, S.Cuda);
  if (!Archs)
    return report(Archs.takeError());
  S.Archs = std::move(*Archs);
  if (S.lists())
    listVariables(S);
  for (const Occurrence &O : S.Line.Options)
    if (O.Row->What == Handling::Refused) {
      std::string Reason = "'" + O.Given.front() + "' is not for clang (" +
                           O.Row->Text.str() + ")";
      if (S.Line.Strict || S.Nvcc.empty())
        return report(createStringError(Reason));
      return runNvcc(S, Twine(Reason) +
                            ": nvcc runs this command, without Sluice");
    }
  return build(S);
}
