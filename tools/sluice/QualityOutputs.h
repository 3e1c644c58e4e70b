// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The outputs of a program by which its quality is judged: files that it
/// writes, what it prints, buffers and variables of its kernels.

#ifndef SLUICE_TOOLS_SLUICE_QUALITYOUTPUTS_H
#define SLUICE_TOOLS_SLUICE_QUALITYOUTPUTS_H

#include "sluice/Emulator/BufferDump.h"
#include "sluice/Tuning/OutputNumbers.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Chrono.h"
#include <optional>
#include <string>
#include <vector>

namespace sluice {

struct NamedOutput {
  enum Kind {
    File,
    Printed, ///< The program's standard output.
    Buffer,  ///< All buffers that launches of a kernel get as one argument.
    Variable ///< A __device__ or __constant__ variable.
  };
  Kind Of = File;
  std::string Text;     ///< As the user named it, without the type.
  std::string Kernel;   ///< Mangled, qualified or plain.
  std::string Argument; ///< Its name, or its number from 0.
  /// None: of a buffer what the kernel's parameter points to.
  std::optional<NumberType> Type;
};

/// --output-file=PATH[:TYPE], or "-" for what is printed. An error if no TYPE
/// is there and the path's ending says nothing.
llvm::Expected<NamedOutput> parseOutputFile(llvm::StringRef Text);

/// --output-buffer=KERNEL:ARGUMENT[:TYPE] or VARIABLE:TYPE.
llvm::Expected<NamedOutput> parseOutputBuffer(llvm::StringRef Text);

/// What a run has left.
struct LeftByRun {
  std::string Folder;      ///< Where its files are; empty: where they say.
  std::string PrintedInto; ///< A file with its standard output.
  std::vector<emulator::BufferContents> Buffers;
};

/// Where the file \p Output is.
std::string pathOf(const NamedOutput &Output, const LeftByRun &Left);

/// The numbers in \p Output. The error names it; for a buffer that no kernel
/// gets it lists those that kernels write.
llvm::Expected<std::vector<double>> readOutput(const NamedOutput &Output,
                                               const LeftByRun &Left);

/// Is \p Name what people call the kernel \p Mangled?
bool isNameOf(llvm::StringRef Name, llvm::StringRef Mangled);

} // namespace sluice

#endif
