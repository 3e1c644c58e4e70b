// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice SUBCOMMAND; one file for each subcommand.

#include "Subcommands.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

using namespace llvm;

namespace {

struct Subcommand {
  const char *Name;
  int (*Main)(int, char **);
  const char *Description;
};

constexpr Subcommand Subcommands[] = {
    {"plan", sluice::planMain, "print what would be done to a .cu file"},
    {"throttle", sluice::throttleMain, "write a .cu file with the turns in it"},
    {"emulate", sluice::emulateMain, "run a CUDA program without a GPU"},
    {"profile", sluice::profileMain, "what memory accesses did in the L1"},
    {"hints", sluice::hintsMain, "which loads of a profile to cache"},
    {"registers", sluice::registersMain,
     "register counts worth a try, with spills and occupancy"},
    {"xmodel", sluice::xmodelMain,
     "what binds each kernel, and what would change that"},
    {"report", sluice::reportMain, "a page about all kernels of a .cu file"},
    {"optimize", sluice::optimizeMain,
     "build a program by what a run on the CPU measures"},
    {"tune", sluice::tuneMain, "find the best plan by measuring"},
    {"compare", sluice::compareMain,
     "times of kernels by clang, nvcc and Sluice, side by side"},
    {"occupancy", sluice::occupancyMain,
     "resident blocks and the L1 that they leave"},
    {"doctor", sluice::doctorMain, "what is installed and what is missing"},
};

} // namespace

static void printUsage(raw_ostream &OS) {
  OS << "usage: sluice SUBCOMMAND ...; sluice SUBCOMMAND --help\n\n";
  for (const Subcommand &S : Subcommands)
    OS << "  " << llvm::left_justify(S.Name, 12) << S.Description << "\n";
}

int main(int argc, char **argv) {
  StringRef Name = argc > 1 ? argv[1] : "";
  for (const Subcommand &S : Subcommands)
    if (Name == S.Name) {
      std::string FullName = "sluice " + Name.str();
      argv[1] = FullName.data(); // what usage and errors call it
      return S.Main(argc - 1, argv + 1);
    }
  bool AskedForHelp = Name == "--help" || Name == "-help" || Name == "help";
  if (!Name.empty() && !AskedForHelp)
    errs() << "sluice: error: there is no subcommand '" << Name << "'\n";
  printUsage(AskedForHelp ? outs() : errs());
  return AskedForHelp ? 0 : 1;
}
