// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// nvcc's options, each with what sluice-nvcc does about it.

#ifndef SLUICE_TOOLS_NVCC_OPTIONTABLE_H
#define SLUICE_TOOLS_NVCC_OPTIONTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::nvcc {

/// Options that code asks for by name. Those that are ignored or refused need
/// no name.
enum class Opt {
  None, // clang-format off
  Cubin, Fatbin, Ptx, Preprocess, M, MM, MD, MMD, MF, MP, MT, Compile, DeviceC,
  DeviceW, DeviceLink, Link, Lib, Run, Output, PreInclude, Library, Define,
  Undefine, IncludePath, SystemInclude, LibraryPath, OutputDirectory, CCBin,
  ArchiverBinary, Cudart, Cudadevrt, Profile, Debug, DeviceDebug, LineInfo,
  OptInfo, Optimize, DOpt, TemplateBacktrace, TemplateDepth, NoExceptions,
  Shared, X, Std, RelaxedConstexpr, ExtendedLambda, XCompiler, XLinker,
  XArchive, XPtxas, XNvlink, ForwardToCompiler, ForwardToLinker, ForwardToBoth,
  DryRun, Verbose, TimeTrace, Keep, KeepDir, RunArgs, NoDeviceLink,
  Architecture, Code, Gencode, Rdc, MaxRegisters, FastMath, Ftz, PrecDiv,
  PrecSqrt, Fmad, DefaultStream, NoWarnings, WReorder, NoDeprecated,
  ResourceUsage, NoCompress, CompressMode, ListCode, ListArch, RelocatableLink,
  Help, Version, OptionsFile, // clang-format on
};

/// How an option takes its value. Every value may follow "=" or be the next
/// argument.
enum class Form {
  Flag,  ///< It has none.
  Value, ///< One.
  List,  ///< Several, with commas between them.
  Words, ///< A list of options for another tool, which the shell would split.
};

enum class Handling {
  Mapped,  ///< To options of clang or of another tool.
  Ignored, ///< What it asks for is so anyway, or does no harm if it is not.
  Refused, ///< nvcc runs the command, if it may; else it is an error.
};

struct OptionRow {
  llvm::StringLiteral Long;  ///< Without "--".
  llvm::StringLiteral Short; ///< Without "-"; empty if there is none.
  Form ValueForm;
  Handling What;
  Opt Id;
  /// Mapped: to what. Ignored: why that does no harm. Refused: what to do
  /// instead.
  llvm::StringLiteral Text;
};

llvm::ArrayRef<OptionRow> optionTable();

/// The row of "--NAME" or "-NAME"; null if nvcc has no such option.
const OptionRow *findOption(llvm::StringRef Dashed);

/// The table as Markdown, for docs/nvcc.md.
void printOptionTable(llvm::raw_ostream &OS);

} // namespace sluice::nvcc

#endif
