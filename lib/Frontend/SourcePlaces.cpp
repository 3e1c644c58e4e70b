// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Presumed locations: `#line` counts here as it does in debug information.

#include "sluice/Frontend/SourcePlaces.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace sluice;

static SourcePlace presumed(const clang::SourceManager &SM,
                            clang::SourceLocation Location) {
  clang::PresumedLoc Loc = SM.getPresumedLoc(Location);
  if (Loc.isInvalid())
    return {};
  return {llvm::sys::path::filename(Loc.getFilename()).str(), Loc.getLine(),
          Loc.getColumn()};
}

SourcePlace sluice::placeOf(const clang::SourceManager &SM,
                            clang::SourceLocation Location) {
  return Location.isValid() ? presumed(SM, SM.getFileLoc(Location))
                            : SourcePlace();
}

std::string sluice::sourceName(const clang::SourceManager &SM) {
  return presumed(SM, SM.getLocForEndOfFile(SM.getMainFileID())).File;
}

PlaceRange sluice::placesOf(const clang::SourceManager &SM,
                            clang::SourceRange Range) {
  if (Range.isInvalid())
    return {};
  return {presumed(SM, SM.getExpansionRange(Range.getBegin()).getBegin()),
          presumed(SM, SM.getExpansionRange(Range.getEnd()).getEnd())};
}
