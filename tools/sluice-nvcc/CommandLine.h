// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// nvcc's command line, read as nvcc reads it.

#ifndef SLUICE_TOOLS_NVCC_COMMANDLINE_H
#define SLUICE_TOOLS_NVCC_COMMANDLINE_H

#include "OptionTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice::nvcc {

/// An option as it was given.
struct Occurrence {
  const OptionRow *Row;
  std::vector<std::string> Values; ///< None of a flag; split, of lists.
  std::vector<std::string> Given;  ///< The arguments as they were.
};

/// What is done with the inputs. The last option that says so wins.
enum class Phase {
  Link,
  Compile,
  DeviceLink,
  Library,
  Ptx,
  Cubin,
  Fatbin,
  Preprocess,
  Dependencies,
};

struct CommandLine {
  std::vector<Occurrence> Options;
  std::vector<std::string> Inputs;
  /// `--sluice-...`, without those that are sluice-nvcc's own.
  std::vector<std::string> SluiceOptions;
  std::vector<std::string> ClangOptions; ///< -Rpass=... and its like.
  std::vector<std::string> ToCompiler;   ///< Unknown, with
  std::vector<std::string> ToLinker;     ///< -forward-unknown-...
  Phase What = Phase::Link;
  bool Rdc = false;    ///< Device code is linked later.
  bool Strict = false; ///< --sluice-strict: nvcc never takes over.
  /// --sluice-strict-aliasing: of device code too.
  bool StrictAliasing = false;
  bool LibOmp = false; ///< --sluice-libomp: OpenMP by clang's library.

  bool has(Opt Id) const;
  /// The value of the last one; empty if there is none.
  llvm::StringRef last(Opt Id) const;
  /// The values of all of them.
  std::vector<std::string> all(Opt Id) const;
  /// The last value of an option that is true or false.
  bool isTrue(Opt Id, bool Default) const;
};

/// Reads the arguments after those of $NVCC_PREPEND_FLAGS and before those of
/// $NVCC_APPEND_FLAGS; files of options are in their places.
llvm::Expected<CommandLine> readCommandLine(llvm::ArrayRef<std::string> Args);

} // namespace sluice::nvcc

#endif
