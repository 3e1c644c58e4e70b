// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A profile beside its source:
///
///      hit %  sect/rq     miss |
///       87.3     4.50    12.3k |   24    Sum += A[I * N + J] * X[J];
///       75.0     8.00    12.3k |                ^ load
///      100.0     1.00        0 |                               ^ load
///
/// A line's numbers are those of all its accesses; where it has several, each
/// has a line of its own below with its column marked. An access that stands in
/// another file is shown at the call that brought it in.

#include "ProfileText.h"
#include "sluice/Analysis/ProfileReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <map>
#include <utility>

using namespace llvm;
using namespace sluice;

namespace {
/// By column, then by kind.
using LineCounts = std::map<std::pair<unsigned, std::string>, AccessCounts>;
} // namespace

/// The innermost place of \p Id in \p File, or none.
static const SourcePlace *placeIn(StringRef File, const CodeId &Id) {
  if (Id.Place.isKnown() && Id.Place.File == File)
    return &Id.Place;
  for (const SourcePlace &Call : Id.InlinedAt)
    if (Call.isKnown() && Call.File == File)
      return &Call;
  return nullptr;
}

/// The accesses of \p P in \p File, by line; says what was left out, and clears
/// \p Complete if something was.
static std::map<unsigned, LineCounts>
countLines(raw_ostream &OS, const Profile &P, StringRef Source, StringRef File,
           bool &Complete) {
  std::map<unsigned, LineCounts> Lines;
  for (KernelProfile K : P.Kernels) {
    auto StandsHere = [&](const AccessProfile &Access) {
      return placeIn(File, Access.Id) != nullptr;
    };
    if (none_of(K.Accesses, StandsHere))
      continue;
    switch (updateProfile(K, File, Source)) {
    case ProfileState::Stale:
      OS << "stale: " << File << " has changed since '" << demangle(K.Name)
         << "' was profiled; it is left out\n";
      Complete = false;
      continue;
    case ProfileState::Unknown:
      OS << "note: whether " << File << " has changed since '"
         << demangle(K.Name) << "' was profiled is not known\n";
      break;
    case ProfileState::Current:
    case ProfileState::Moved:
      break;
    }
    for (const AccessProfile &Access : K.Accesses)
      if (const SourcePlace *Place = placeIn(File, Access.Id))
        Lines[Place->Line][{Place->Column, Access.Kind}] += Access.Counts;
  }
  return Lines;
}

static std::string margin(const AccessCounts &C) {
  return formatv("{0,6}{1,9}{2,9} |", percentage(C.Hits, C.Sectors),
                 compactRatio(C.Sectors, C.Requests), compact(C.misses()));
}

/// A mark below \p Column of \p Line, and \p Kind.
static std::string markBelow(StringRef Line, unsigned Column, StringRef Kind) {
  std::string Below;
  for (char C : Line.take_front(Column == 0 ? 0 : Column - 1))
    if ((C & 0xC0) != 0x80) // one blank for one character of UTF-8
      Below += C == '\t' ? '\t' : ' ';
  return Below + "^ " + Kind.str();
}

bool sluice::printAnnotated(raw_ostream &OS, const Profile &P, StringRef Source,
                            StringRef File) {
  bool Complete = true;
  std::map<unsigned, LineCounts> Lines =
      countLines(OS, P, Source, File, Complete);

  OS << " hit %  sect/rq     miss |\n";
  auto PrintLine = [&](StringRef Margin, StringRef Number, StringRef Text) {
    std::string Line = formatv("{0,26}{1,5}  {2}", Margin, Number, Text);
    OS << StringRef(Line).rtrim() << '\n';
  };
  SmallVector<StringRef, 0> Text;
  Source.split(Text, '\n');
  if (!Text.empty() && Text.back().empty())
    Text.pop_back();
  for (auto [Index, Line] : enumerate(Text)) {
    LineCounts &Accesses = Lines[Index + 1];
    AccessCounts Sum;
    for (const auto &[Where, Counts] : Accesses)
      Sum += Counts;
    PrintLine(Accesses.empty() ? "|" : margin(Sum), std::to_string(Index + 1),
              Line);
    if (Accesses.size() > 1)
      for (const auto &[Where, Counts] : Accesses)
        PrintLine(margin(Counts), "",
                  markBelow(Line, Where.first, Where.second));
  }
  return Complete;
}
