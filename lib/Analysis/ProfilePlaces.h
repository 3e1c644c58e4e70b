// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The places of a profile when functions stand at other lines than they did.

#ifndef SLUICE_LIB_ANALYSIS_PROFILEPLACES_H
#define SLUICE_LIB_ANALYSIS_PROFILEPLACES_H

#include "sluice/Analysis/Profile.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace sluice {

/// A function that went to other lines of its file.
struct TextMove {
  FunctionText From; ///< With no last line, to the end of the file.
  unsigned FirstLine = 0;

  /// None if \p Text is there already, or was nowhere.
  static std::optional<TextMove> to(const FunctionText &Text,
                                    unsigned FirstLine);
  bool moves(const std::string &File, unsigned Line) const {
    return File == From.File && Line >= From.FirstLine &&
           (From.LastLine == 0 || Line <= From.LastLine);
  }
  unsigned lineNow(unsigned Line) const {
    return FirstLine + (Line - From.FirstLine);
  }
};

/// All at once: one function may have come where another one was.
void movePlaces(KernelProfile &K, llvm::ArrayRef<TextMove> Moves);

} // namespace sluice

#endif
