// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The text of a function in its file: what the lines and columns of a profile
/// mean something in. A profile keeps its hash; later the text is found again,
/// at the same line, at another one, or not at all.

#ifndef SLUICE_ANALYSIS_FUNCTIONTEXT_H
#define SLUICE_ANALYSIS_FUNCTIONTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace sluice {

struct FunctionText {
  std::string File;       ///< Last component of the path.
  unsigned FirstLine = 0; ///< That debug information gives. 0: unknown.
  unsigned LastLine = 0;  ///< Of the brace that closes the body.
  /// hashFunctionText of these lines; empty if the file could not be read.
  std::string TextHash;
};

/// The function that begins at \p FirstLine of \p Source, the text of \p File.
FunctionText describeFunction(llvm::StringRef File, llvm::StringRef Source,
                              unsigned FirstLine);

/// A hash of lines [\p FirstLine, \p LastLine] (1-based) of \p Source, in
/// hexadecimal. Equal hashes mean that all code stands in equal lines, counted
/// from the first, and columns: comments are as blanks, blanks at the end of a
/// line do not count.
std::string hashFunctionText(llvm::StringRef Source, unsigned FirstLine,
                             unsigned LastLine);

/// The last line of the function whose text begins at \p FirstLine: that of the
/// brace that closes its body. Braces in comments, strings, characters and
/// preprocessor directives do not count; of #if and #else the first branch
/// does. 0 if there is none.
unsigned lastLineOfFunction(llvm::StringRef Source, unsigned FirstLine);

/// The line of \p Source where the text of \p F begins now: of several the one
/// that is nearest to where it was. 0: it is not there.
unsigned findFunctionText(const FunctionText &F, llvm::StringRef Source);

} // namespace sluice

#endif
