// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice plan FILE.cu [clang options]`: the device compile without code, its
// plan on standard output.

#include "Arguments.h"
#include "Driver.h"
#include "Subcommands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

int sluice::planMain(int argc, char **argv) {
  std::vector<const char *> Args(argv + 1, argv + argc);
  if (Args.empty() || StringRef(Args.front()) == "--help") {
    raw_ostream &OS = Args.empty() ? errs() : outs();
    OS << "usage: sluice plan FILE.cu [clang options] [--sluice-K=V ...]\n\n"
          "Prints the plan for each --cuda-gpu-arch as YAML; compiles "
          "nothing.\nEdit it and hand it back with sluice-clang++ "
          "--sluice-plan=PLAN.yaml.\n";
    return Args.empty() ? 1 : 0;
  }
  if (llvm::none_of(Args,
                    [](StringRef A) { return isSluiceOption(A, "emit-plan"); }))
    Args.push_back("--sluice-emit-plan=-");
  Args.insert(Args.end(), {"--cuda-device-only", "-fsyntax-only"});
  if (llvm::none_of(Args, namesGPU)) {
    errs() << "sluice plan: note: planning for sm_90; say --cuda-gpu-arch= for "
              "another GPU\n";
    Args.insert(Args.begin(), "--cuda-gpu-arch=sm_90");
  }
  // An -O level decides what the registers are counted at; -O3 if not given.
  Args.insert(Args.begin(), "-O3");
  auto Command = clangCommand(Args, argv[0]);
  if (!Command) {
    errs() << "sluice plan: error: " << toString(Command.takeError()) << "\n";
    return 1;
  }
  return Command->empty() ? 0 : runCommand(*Command);
}
