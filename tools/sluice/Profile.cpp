// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice profile`: what a program's memory accesses do in the L1.

#include "ProfileFiles.h"
#include "Subcommands.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static void printUsage(raw_ostream &OS) {
  OS << "usage: sluice profile merge A.yaml B.yaml ... -o SUM.yaml\n"
        "       sluice profile show FILE.yaml [--json | --annotate=SOURCE]\n\n"
        "What a program's memory accesses did in the L1; see --help of each.\n";
}

int sluice::profileMain(int argc, char **argv) {
  std::vector<const char *> Args(argv + 1, argv + argc);
  StringRef Name = Args.empty() ? "" : Args.front();
  ArrayRef<const char *> Rest = ArrayRef(Args).drop_front(!Args.empty());
  if (Name == "merge")
    return profileMergeMain(Rest);
  if (Name == "show")
    return profileShowMain(Rest);
  bool AskedForHelp = Name == "--help" || Name == "-help";
  printUsage(AskedForHelp ? outs() : errs());
  return AskedForHelp ? 0 : 1;
}
