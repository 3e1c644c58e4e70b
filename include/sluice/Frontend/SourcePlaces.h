// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From clang's source locations to places, the way clang's debug information
/// has them, so that AST and IR speak of the same places.

#ifndef SLUICE_FRONTEND_SOURCEPLACES_H
#define SLUICE_FRONTEND_SOURCEPLACES_H

#include "sluice/Analysis/SourcePlace.h"

namespace clang {
class SourceLocation;
class SourceManager;
class SourceRange;
} // namespace clang

namespace sluice {

/// The presumed place that debug information gives \p Location: a macro's
/// argument where it is written, a macro's body where it is expanded.
SourcePlace placeOf(const clang::SourceManager &SM,
                    clang::SourceLocation Location);

/// The main file's name without its folder, as plans call it: the source's also
/// when its preprocessed text is read. Empty if there is none.
std::string sourceName(const clang::SourceManager &SM);

/// Of some code, macro calls whole.
PlaceRange placesOf(const clang::SourceManager &SM, clang::SourceRange Range);

} // namespace sluice

#endif
