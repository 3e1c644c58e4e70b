// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The text of places, "gesummv.cu:23:5", and back.

#include "sluice/Analysis/SourcePlace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace sluice {

static constexpr StringLiteral UnknownPlace = "<unknown>";

std::string SourcePlace::str() const {
  if (!isKnown())
    return UnknownPlace.str();
  return File + ":" + std::to_string(Line) + ":" + std::to_string(Column);
}

bool parseSourcePlace(const std::string &Text, SourcePlace &Place) {
  if (Text == UnknownPlace) {
    Place = SourcePlace();
    return true;
  }
  // From the right: a file's name may contain a colon.
  auto [FileAndLine, ColumnText] = StringRef(Text).rsplit(':');
  auto [File, LineText] = FileAndLine.rsplit(':');
  unsigned Line = 0, Column = 0;
  if (File.empty() || File.contains('/') || LineText.getAsInteger(10, Line) ||
      ColumnText.getAsInteger(10, Column) || Line == 0)
    return false;
  Place = {File.str(), Line, Column};
  return true;
}

std::string CodeId::str() const {
  std::string Text = Place.str();
  for (const SourcePlace &Call : InlinedAt)
    Text += " inlined at " + Call.str();
  if (Ordinal != 0)
    Text += " #" + std::to_string(Ordinal);
  return Text;
}

bool PlaceRange::contains(const SourcePlace &Place) const {
  if (!Place.isKnown() || !Begin.isKnown() || !End.isKnown() ||
      Place.File != Begin.File || Place.File != End.File)
    return false;
  auto Before = [](const SourcePlace &A, const SourcePlace &B) {
    return std::tie(A.Line, A.Column) < std::tie(B.Line, B.Column);
  };
  return !Before(Place, Begin) && !Before(End, Place);
}

bool isIn(const std::vector<PlaceRange> &Ranges, const CodeId &Id) {
  return any_of(Ranges, [&](const PlaceRange &Range) {
    return Range.contains(Id.Place) || Range.contains(Id.kernelPlace());
  });
}

} // namespace sluice
