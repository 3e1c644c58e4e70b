// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang++ 22 with the plugin's flags and the toolkit's path filled in; with
// --sluice-emulate, for the emulator.

#include "CacheNote.h"
#include "Driver.h"
#include "EmulatorBuild.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

int main(int argc, char **argv) {
  auto Report = [](Error E) {
    errs() << "sluice-clang++: error: " << toString(std::move(E)) << "\n";
    return 1;
  };
  std::vector<std::string> Args(argv + 1, argv + argc);
  auto Emulates = sluice::takeEmulate(Args);
  if (!Emulates)
    return Report(Emulates.takeError());
  if (*Emulates)
    return sluice::emulatorBuild(Args, argv[0], "sluice-clang++");
  auto Command =
      sluice::clangCommand(ArrayRef<const char *>(argv + 1, argc - 1), argv[0]);
  if (!Command)
    return Report(Command.takeError());
  if (Command->empty())
    return 0;
  if (int Status = sluice::runCommand(*Command))
    return Status;
  if (Error E = sluice::addCacheNote(*Command))
    return Report(std::move(E));
  return 0;
}
