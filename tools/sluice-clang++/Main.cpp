// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang++ 22 with the plugin's flags and the toolkit's path filled in.

#include "Driver.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  auto Command = sluice::clangCommand(
      llvm::ArrayRef<const char *>(argv + 1, argc - 1), argv[0]);
  if (!Command) {
    llvm::errs() << "sluice-clang++: error: "
                 << llvm::toString(Command.takeError()) << "\n";
    return 1;
  }
  return Command->empty() ? 0 : sluice::runCommand(*Command);
}
