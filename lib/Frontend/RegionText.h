// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Where statements stand in the text of the main file.

#ifndef SLUICE_LIB_FRONTEND_REGIONTEXT_H
#define SLUICE_LIB_FRONTEND_REGIONTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace clang {
class CompilerInstance;
class Stmt;
} // namespace clang

namespace sluice {

/// Offsets in the main file.
struct RegionText {
  unsigned Begin = 0; ///< Of the directives before a loop, if it has some.
  unsigned Statement = 0;
  unsigned End = 0; ///< Behind the semicolon.
  std::string WhyNot;
};

/// Of the statements from \p First to \p Last, which have one parent.
RegionText textOf(const clang::CompilerInstance &CI, const clang::Stmt &First,
                  const clang::Stmt &Last);

/// Where the line begins in which \p Offset is.
unsigned lineStart(llvm::StringRef Text, unsigned Offset);

/// The blanks before the line of code at or behind \p Offset.
llvm::StringRef indentAt(llvm::StringRef Text, unsigned Offset);

} // namespace sluice

#endif
