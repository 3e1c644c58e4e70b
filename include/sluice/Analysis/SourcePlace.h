// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Places in the source, and what identifies a loop or an access across
/// compiles: kernel, inlined-at chain, place, ordinal.

#ifndef SLUICE_ANALYSIS_SOURCEPLACE_H
#define SLUICE_ANALYSIS_SOURCEPLACE_H

#include <string>
#include <vector>

namespace sluice {

/// A presumed source position. File is the last component of the path only, so
/// that a plan made in one folder is valid in another. Line 0 means unknown.
struct SourcePlace {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;

  bool isKnown() const { return Line != 0; }
  /// "file.cu:12:5", or "<unknown>".
  std::string str() const;

  friend bool operator==(const SourcePlace &A, const SourcePlace &B) {
    return A.Line == B.Line && A.Column == B.Column && A.File == B.File;
  }
  friend bool operator!=(const SourcePlace &A, const SourcePlace &B) {
    return !(A == B);
  }
};

/// Parses what SourcePlace::str prints; false where \p Text is not that.
bool parseSourcePlace(const std::string &Text, SourcePlace &Place);

/// What identifies a loop (or an access) within one kernel. The place alone
/// does not: macros, templates and inlining repeat it.
struct CodeId {
  SourcePlace Place; ///< Where the loop statement or the access stands.
  /// The calls it was inlined through, innermost first; the last one stands in
  /// the kernel itself. Empty for what stands in the kernel.
  std::vector<SourcePlace> InlinedAt;
  unsigned Ordinal = 0; ///< Among those of the kernel that are equal so far.

  /// Where it is reached from in the kernel's own body.
  const SourcePlace &kernelPlace() const {
    return InlinedAt.empty() ? Place : InlinedAt.back();
  }
  /// "file.cu:12:5 inlined at file.cu:30:9 #1".
  std::string str() const;
  /// That of all copies which an optimiser made of it.
  CodeId ofAllCopies() const {
    CodeId Id = *this;
    Id.Ordinal = 0;
    return Id;
  }

  friend bool operator==(const CodeId &A, const CodeId &B) {
    return A.Ordinal == B.Ordinal && A.Place == B.Place &&
           A.InlinedAt == B.InlinedAt;
  }
};

/// From the first to the last place of some code, macro calls whole.
struct PlaceRange {
  SourcePlace Begin, End;

  /// Is \p Place known and in the range?
  bool contains(const SourcePlace &Place) const;
};

/// Does \p Id stand in one of \p Ranges, or is it reached from there?
bool isIn(const std::vector<PlaceRange> &Ranges, const CodeId &Id);

} // namespace sluice

#endif
