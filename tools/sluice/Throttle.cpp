// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice throttle FILE.cu -o OUT.cu [clang options]`: the device compile
// without code, which leaves the source with the turns and the rows in it.

#include "Arguments.h"
#include "Driver.h"
#include "Subcommands.h"
#include "TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;

/// Where sluice/rows.h is: beside the folder of the program, built and
/// installed.
static std::string includeFolder(const char *Program) {
  std::string Path = sys::fs::getMainExecutable(
      Program, reinterpret_cast<void *>(&includeFolder));
  SmallString<256> Folder(sys::path::parent_path(sys::path::parent_path(Path)));
  sys::path::append(Folder, "include");
  return Folder.str().str();
}

static void printHelp(const char *Program, raw_ostream &OS) {
  OS << "usage: sluice throttle FILE.cu -o OUT.cu [clang options] "
        "[--sluice-K=V ...]\n\n"
        "Writes FILE.cu with warps taking turns, and rows in shared memory or "
        "in registers,\nwhere sluice-clang++ would do so: text to read, or to "
        "compile with nvcc or clang\nwithout the plugin. All else stays as it "
        "is. --sluice-software-l1=off: turns alone.\n-o - is standard output. "
        "OUT.cu belongs into the folder of FILE.cu, for its includes.\nThat "
        "of rows is <sluice/rows.h>, in " +
            includeFolder(Program) + ".\n";
}

static int fail(const Twine &Message) {
  errs() << "sluice throttle: error: " << Message << "\n";
  return 1;
}

/// Is it the text of one of the files that the arguments name?
static bool isUnchanged(StringRef Text, ArrayRef<const char *> Args) {
  return any_of(Args, [&](StringRef Arg) {
    if (!sys::fs::is_regular_file(Arg))
      return false;
    auto Source = MemoryBuffer::getFile(Arg);
    return Source && (*Source)->getBuffer() == Text;
  });
}

int sluice::throttleMain(int argc, char **argv) {
  std::vector<const char *> Args(argv + 1, argv + argc);
  if (Args.empty() || StringRef(Args.front()) == "--help") {
    printHelp(argv[0], Args.empty() ? errs() : outs());
    return Args.empty() ? 1 : 0;
  }
  auto Output = takeOutput(Args);
  if (!Output)
    return fail(toString(Output.takeError()));
  if (Output->empty())
    return fail("say where the text goes: -o OUT.cu, or -o - for standard "
                "output");
  for (const char *Arg : Args)
    if (sys::fs::equivalent(Arg, *Output))
      return fail("the output '" + *Output +
                  "' is the input; it would be lost");
  std::vector<const char *> Given = Args;

  TemporaryFolder Folder;
  if (Error E = Folder.create())
    return fail(toString(std::move(E)));
  std::string Path = Folder.file("throttled.cu");
  std::string Option = "--sluice-throttled-source=" + Path;
  // No code is made: what would stop a compile with -Werror is said, no more.
  for (const char *Arg :
       {Option.c_str(), "--cuda-device-only", "-fsyntax-only", "-Wno-error"})
    Args.push_back(Arg);
  if (none_of(Args, [](StringRef A) { return A.starts_with("-Rpass"); }))
    Args.insert(Args.end(), {"-Rpass=sluice", "-Rpass-missed=sluice"});
  if (none_of(Args, namesGPU)) {
    errs() << "sluice throttle: note: planning for sm_90; say "
              "--cuda-gpu-arch= for another GPU\n";
    Args.insert(Args.begin(), "--cuda-gpu-arch=sm_90");
  }
  // As a compile has it; a level that the user gives comes later.
  Args.insert(Args.begin(), "-O3");
  auto Command = clangCommand(Args, argv[0]);
  if (!Command)
    return fail(toString(Command.takeError()));
  if (Command->empty())
    return 0;
  if (int Status = runCommand(*Command))
    return Status;

  auto Text = MemoryBuffer::getFile(Path);
  if (!Text)
    return fail("nothing was compiled for a GPU; give one CUDA source");
  StringRef Result = (*Text)->getBuffer();
  if (isUnchanged(Result, Given))
    errs() << "sluice throttle: note: no loop takes turns or has rows; the "
              "text is unchanged\n";
  else if (Result.contains("#include <sluice/rows.h>"))
    errs() << "sluice throttle: note: the text includes sluice/rows.h; compile "
              "it with -I" +
                  includeFolder(argv[0]) + "\n";
  if (Error E = writeOutput(*Output, Result))
    return fail(toString(std::move(E)));
  return 0;
}
