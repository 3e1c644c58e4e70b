// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice xmodel FILE.cu [clang options] [--profile=FILE]`: each kernel's
// X-graph, with what Sluice decides as moves in it.

#include "Arguments.h"
#include "Subcommands.h"
#include "XKernels.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;

static constexpr ToolOption Options[] = {
    {"profile", "FILE", "what the kernels did, by `sluice profile --output`"},
    {"kernel", "NAME", "of this kernel alone"},
    {"plot", "FILE.svg", "draw the graphs"},
    {"json", "", "for programs"},
};

namespace {

struct Arguments {
  std::string Profile, Kernel, Plot;
  bool JSON = false;
  std::vector<std::string> ForClang;
  bool Help = false;
};

} // namespace

static Expected<Arguments> readArguments(ArrayRef<const char *> Args) {
  auto Split = splitArguments(Args, Options);
  if (!Split)
    return Split.takeError();
  Arguments A;
  A.Help = Split->Help;
  A.ForClang = std::move(Split->ForClang);
  for (const Setting &S : Split->Settings) {
    if (S.Name == "json") {
      A.JSON = true;
      continue;
    }
    if (S.Value.empty())
      return createStringError("--" + S.Name + "= has no value");
    if (S.Name == "plot" && !S.Value.ends_with(".svg"))
      return createStringError("--plot=" + S.Value +
                               ": the name of an SVG file (FILE.svg) is "
                               "expected");
    (S.Name == "profile" ? A.Profile
     : S.Name == "plot"  ? A.Plot
                         : A.Kernel) = S.Value.str();
  }
  return A;
}

static void printJSON(raw_ostream &OS, const Plan &P, const XKernels &All) {
  json::OStream J(OS, 2);
  J.object([&] {
    J.attribute("source", json::fixUTF8(P.Source));
    J.attribute("gpu", P.GPU);
    J.attributeArray("kernels", [&] {
      for (const XKernel &K : All.Kernels)
        writeXKernel(J, K);
    });
    J.attributeArray("without", [&] {
      for (const std::string &Why : All.Without)
        J.value(json::fixUTF8(Why));
    });
  });
  OS << "\n";
}

static Error run(const Arguments &A, const char *Argv0) {
  auto Options = deviceOptions(A.ForClang, "sluice xmodel");
  if (!Options)
    return Options.takeError();
  auto Code = compileBoth(*Options, A.Profile, RemarksWanted::No, Argv0);
  if (!Code)
    return Code.takeError();
  std::optional<Profile> Read;
  if (!A.Profile.empty()) {
    auto P = profileFor(Code->Sluice, sourceOf(*Options), A.Profile,
                        "sluice xmodel");
    if (!P)
      return P.takeError();
    Read = std::move(*P);
  }
  auto All = xKernels(*Code, Read ? &*Read : nullptr, A.Kernel);
  if (!All)
    return All.takeError();
  if (A.JSON)
    printJSON(outs(), Code->Sluice.Decided, *All);
  else
    for (const XKernel &K : All->Kernels)
      printXKernel(outs(), K);
  outs().flush();
  for (const std::string &Why : All->Without)
    errs() << "sluice xmodel: note: " << Why << "\n";
  if (A.Plot.empty())
    return Error::success();
  std::string Text;
  raw_string_ostream OS(Text);
  writeSVG(OS, to_vector(map_range(All->Kernels, drawXGraph)));
  return writeOutput(A.Plot, Text);
}

int sluice::xmodelMain(int argc, char **argv) {
  return runSubcommand(
      argc, argv, "xmodel",
      "FILE.cu [clang options] [--sluice-K=V ...]\n\n"
      "Shows where each kernel's warps are, waiting for memory or computing, "
      "what binds\nit, and what would change that.",
      Options, readArguments, run);
}
