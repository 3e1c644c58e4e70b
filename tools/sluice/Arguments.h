// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The command line of a subcommand that compiles and runs a program:
///
///     sluice SUBCOMMAND FILE.cu -O2 --store=db -- 100
///                       ~~~~~~~~~~~ ~~~~~~~~~~    ~~~
///                       clang's     a ToolOption  the program's

#ifndef SLUICE_TOOLS_SLUICE_ARGUMENTS_H
#define SLUICE_TOOLS_SLUICE_ARGUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace sluice {

struct ToolOption {
  llvm::StringLiteral Name;
  /// As the help shows them; empty: a flag; in []: may be left out.
  llvm::StringLiteral Values;
  llvm::StringLiteral Help;
};

/// "--Name=Value" or "--Name Value". A flag's value is "1", that of one whose
/// value was left out "".
struct Setting {
  llvm::StringRef Name, Value;
};

/// Reads "120s", or "120". An error if it is not above 0.
llvm::Error readSeconds(const Setting &S, double &To);
/// Whether it is one of pool.py's engines: local, ray or slurm.
llvm::Error checkEngine(const Setting &S);
/// With --project neither clang's options are said beside it nor, which \p
/// HasRun tells, arguments or a command.
llvm::Error checkBesideProject(llvm::ArrayRef<std::string> ForClang,
                               bool HasRun);

struct SplitArguments {
  std::vector<Setting> Settings; ///< In their order.
  std::vector<std::string> ForClang;
  std::vector<std::string> ForProgram; ///< What comes after "--".
  bool Help = false; ///< It is asked for, and the rest does not matter.
};

/// Tells the options of \p Table from clang's. The settings point into both
/// arguments.
llvm::Expected<SplitArguments> splitArguments(llvm::ArrayRef<const char *> Args,
                                              llvm::ArrayRef<ToolOption> Table);

/// A line for each option.
void printOptions(llvm::raw_ostream &OS, llvm::ArrayRef<ToolOption> Table);

/// The whole of a subcommand: what \p Read makes of the arguments, an
/// Expected<> of a struct with Help, goes to \p Run, which gives an Error. With
/// no arguments the help is an error. The exit status.
template <typename ReadT, typename RunT>
int runSubcommand(int argc, char **argv, llvm::StringRef Name,
                  llvm::StringRef Usage, llvm::ArrayRef<ToolOption> Table,
                  ReadT Read, RunT Run) {
  const llvm::ArrayRef<const char *> Given(argv + 1, argv + argc);
  auto A = Read(Given.empty() ? llvm::ArrayRef<const char *>("--help") : Given);
  if (A && A->Help) {
    llvm::raw_ostream &OS = Given.empty() ? llvm::errs() : llvm::outs();
    OS << "usage: sluice " << Name << " " << Usage << "\n\n";
    printOptions(OS, Table);
    return Given.empty() ? 1 : 0;
  }
  llvm::Error E = A ? Run(*A, argv[0]) : A.takeError();
  if (!E)
    return 0;
  llvm::errs() << "sluice " << Name
               << ": error: " << llvm::toString(std::move(E)) << "\n";
  return 1;
}

/// Takes "-o FILE" and "-oFILE" out of \p Args, strings of any kind: the last
/// FILE. Empty: there is none. An error if nothing stands behind -o.
template <typename StringT>
llvm::Expected<std::string> takeOutput(std::vector<StringT> &Args) {
  std::string Output;
  for (auto At = Args.begin(); At != Args.end();) {
    llvm::StringRef Arg = *At;
    if (!Arg.consume_front("-o")) {
      ++At;
      continue;
    }
    const auto File = Arg.empty() ? At + 1 : At;
    if (File == Args.end())
      return llvm::createStringError("-o has no file behind it");
    Output = Arg.empty() ? std::string(*File) : Arg.str();
    At = Args.erase(At, File + 1);
  }
  return Output;
}

/// Writes what the user asked for, or leaves the file as it was; the error
/// names it.
llvm::Error writeOutput(llvm::StringRef Path, llvm::StringRef Text);

/// Of the last of \p ForClang that begins with \p Option: what comes behind
/// it. Empty: there is none.
llvm::StringRef findValue(llvm::ArrayRef<std::string> ForClang,
                          llvm::StringRef Option);

/// Takes away what makes \p Arg an option of Sluice, `--sluice-` or the same as
/// clang has it. False: it is none.
bool consumeSluicePrefix(llvm::StringRef &Arg);
inline bool isForSluice(llvm::StringRef Arg) {
  return consumeSluicePrefix(Arg);
}

/// Whether \p Arg is `--sluice-NAME=VALUE`.
bool isSluiceOption(llvm::StringRef Arg, llvm::StringRef Name);

/// Takes the options NAME of Sluice out of \p ForClang: the last value. Empty:
/// there is none.
std::string takeSluiceOption(std::vector<std::string> &ForClang,
                             llvm::StringRef Name);

/// Whether an argument for clang names a GPU, or is a file of arguments ("@")
/// in which one may be named.
bool namesGPU(llvm::StringRef Arg);

} // namespace sluice

#endif
