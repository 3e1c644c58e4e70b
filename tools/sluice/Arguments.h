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

/// Of the last of \p ForClang that begins with \p Option: what comes behind
/// it. Empty: there is none.
llvm::StringRef findValue(llvm::ArrayRef<std::string> ForClang,
                          llvm::StringRef Option);

/// Whether an argument for clang names a GPU, or is a file of arguments ("@")
/// in which one may be named.
bool namesGPU(llvm::StringRef Arg);

} // namespace sluice

#endif
