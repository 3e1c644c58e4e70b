// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The rules of the scalars that plans and profiles share.

#include "sluice/Analysis/YAMLScalars.h"
#include "llvm/Support/SourceMgr.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

namespace llvm::yaml {

void ScalarTraits<RequiredName>::output(const RequiredName &Name, void *,
                                        raw_ostream &OS) {
  OS << Name.Text;
}

StringRef ScalarTraits<RequiredName>::input(StringRef Text, void *,
                                            RequiredName &Name) {
  Name.Text = Text.str();
  return Text.empty() ? "a name must not be empty" : "";
}

void ScalarTraits<MaybeNumber>::output(const MaybeNumber &N, void *,
                                       raw_ostream &OS) {
  if (N.Value)
    OS << *N.Value;
  else
    OS << '?';
}

StringRef ScalarTraits<MaybeNumber>::input(StringRef Text, void *,
                                           MaybeNumber &N) {
  N.Value.reset();
  if (Text == "?")
    return "";
  uint64_t Value;
  if (Text.getAsInteger(10, Value))
    return "expected a number, or '?' (in quotes) where it is not known";
  N.Value = Value;
  return "";
}

void ScalarTraits<HintText>::output(const HintText &H, void *,
                                    raw_ostream &OS) {
  OS << H.Hint.str();
}

StringRef ScalarTraits<HintText>::input(StringRef Text, void *, HintText &H) {
  auto Parsed = parseCacheHint(Text);
  if (Parsed) {
    H.Hint = *Parsed;
    return "";
  }
  // The reader of YAML keeps no copy.
  static thread_local std::string Problem;
  Problem = "hint: " + toString(Parsed.takeError());
  return Problem;
}

void ScalarTraits<SourcePlace>::output(const SourcePlace &Place, void *,
                                       raw_ostream &OS) {
  OS << Place.str();
}

StringRef ScalarTraits<SourcePlace>::input(StringRef Text, void *,
                                           SourcePlace &Place) {
  if (!parseSourcePlace(Text.str(), Place))
    return "a place is FILE:LINE:COLUMN, FILE without its folder: "
           "'gesummv.cu:23:5'";
  return "";
}

MaybeNumber &SequenceTraits<DimSizes>::element(IO &YAML, DimSizes &Dim,
                                               size_t Index) {
  if (Index >= Dim.Sizes.size()) {
    YAML.setError("expected at most three sizes: [x, y, z]");
    return Dim.Excess;
  }
  Dim.Count = Index + 1;
  return Dim.Sizes[Index];
}

} // namespace llvm::yaml

namespace sluice {

void mapDim(yaml::IO &YAML, const char *Key, LaunchDim &Dim) {
  DimSizes Sizes;
  if (YAML.outputting())
    for (unsigned I = 0; I < 3; ++I)
      Sizes.Sizes[I].Value = Dim.Sizes[I];
  else
    Sizes.Count = 0;
  YAML.mapOptional(Key, Sizes);
  if (YAML.outputting())
    return;
  for (unsigned I = 0; I < 3; ++I)
    Dim.Sizes[I] =
        Sizes.Count != 0 && I >= Sizes.Count ? 1 : Sizes.Sizes[I].Value;
}

void mapCodeId(yaml::IO &YAML, const char *PlaceKey, CodeId &Id) {
  YAML.mapRequired(PlaceKey, Id.Place);
  YAML.mapOptional("inlined-at", Id.InlinedAt);
  YAML.mapOptional("ordinal", Id.Ordinal, 0U);
}

void FirstYAMLError::handle(const SMDiagnostic &Diagnostic, void *Context) {
  auto &First = *static_cast<FirstYAMLError *>(Context);
  if (!First.Text.empty() || Diagnostic.getKind() != SourceMgr::DK_Error)
    return;
  First.set(std::max(Diagnostic.getLineNo(), 1),
            std::max(Diagnostic.getColumnNo() + 1, 1), Diagnostic.getMessage());
}

void FirstYAMLError::set(unsigned Line, unsigned Column, const Twine &Message) {
  Text =
      (Name + ":" + Twine(Line) + ":" + Twine(Column) + ": " + Message).str();
}

} // namespace sluice
