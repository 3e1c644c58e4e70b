// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the YAML forms of plans and profiles have in common: places, launch
/// dimensions, numbers that may be unknown, and errors with line and column.
///
/// Scalars with rules of their own have types of their own: the error of a bad
/// one then stands at its line and column, not at those of the mapping around
/// it.

#ifndef SLUICE_ANALYSIS_YAMLSCALARS_H
#define SLUICE_ANALYSIS_YAMLSCALARS_H

#include "sluice/Analysis/LaunchConfig.h"
#include "sluice/Analysis/SourcePlace.h"
#include "sluice/Target/CacheHint.h"
#include "llvm/Support/YAMLTraits.h"
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace sluice {

/// A name that must not be empty.
struct RequiredName {
  std::string Text;
};

/// A number, or '?'.
struct MaybeNumber {
  std::optional<uint64_t> Value;
};

/// As CacheHint::str has it.
struct HintText {
  CacheHint Hint;
};

/// LaunchDim as a sequence of one to three sizes.
struct DimSizes {
  std::array<MaybeNumber, 3> Sizes;
  size_t Count = 3;
  MaybeNumber Excess; ///< Where a fourth would be read to; an error.

  const MaybeNumber *begin() const { return Sizes.begin(); }
  const MaybeNumber *end() const { return Sizes.begin() + Count; }
};

/// Maps \p Value by way of \p ScalarTy, which holds it and its rules.
template <typename ScalarTy, typename T>
void mapRequiredAs(llvm::yaml::IO &YAML, const char *Key, T &Value) {
  ScalarTy Scalar{Value};
  YAML.mapRequired(Key, Scalar);
  auto &[Inner] = Scalar;
  Value = std::move(Inner);
}

/// The same of what may be left out.
template <typename ScalarTy, typename T>
void mapOptionalAs(llvm::yaml::IO &YAML, const char *Key,
                   std::optional<T> &Value) {
  std::optional<ScalarTy> Scalar;
  if (Value)
    Scalar.emplace(ScalarTy{*Value});
  YAML.mapOptional(Key, Scalar);
  Value.reset();
  if (!Scalar)
    return;
  auto &[Inner] = *Scalar;
  Value.emplace(std::move(Inner));
}

/// A size left out is 1, as in CUDA's dim3; a dimension left out is unknown.
void mapDim(llvm::yaml::IO &YAML, const char *Key, LaunchDim &Dim);

/// \p Id's place by \p PlaceKey, its calls and ordinal where it has them.
void mapCodeId(llvm::yaml::IO &YAML, const char *PlaceKey, CodeId &Id);

/// Keeps the first error of a parse, as "NAME:line:column: message". It is a
/// yaml::Input's handler with a FirstYAMLError as its context.
struct FirstYAMLError {
  llvm::StringRef Name; ///< What to call the text.
  std::string Text;     ///< Empty while there is none.

  static void handle(const llvm::SMDiagnostic &Diagnostic, void *Context);
  void set(unsigned Line, unsigned Column, const llvm::Twine &Message);
};

} // namespace sluice

LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(sluice::SourcePlace)

namespace llvm::yaml {

template <> struct ScalarTraits<sluice::RequiredName> {
  static void output(const sluice::RequiredName &Name, void *, raw_ostream &OS);
  static StringRef input(StringRef Text, void *, sluice::RequiredName &Name);
  static QuotingType mustQuote(StringRef Text) { return needsQuotes(Text); }
};

template <> struct ScalarTraits<sluice::MaybeNumber> {
  static void output(const sluice::MaybeNumber &N, void *, raw_ostream &OS);
  static StringRef input(StringRef Text, void *, sluice::MaybeNumber &N);
  /// A bare ? would begin a mapping key.
  static QuotingType mustQuote(StringRef Text) {
    return Text == "?" ? QuotingType::Single : QuotingType::None;
  }
};

template <> struct ScalarTraits<sluice::HintText> {
  static void output(const sluice::HintText &H, void *, raw_ostream &OS);
  static StringRef input(StringRef Text, void *, sluice::HintText &H);
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<sluice::SourcePlace> {
  static void output(const sluice::SourcePlace &Place, void *, raw_ostream &OS);
  static StringRef input(StringRef Text, void *, sluice::SourcePlace &Place);
  /// Always: a comma in FILE would end an element of inlined-at.
  static QuotingType mustQuote(StringRef Text) {
    return std::max(QuotingType::Single, needsQuotes(Text));
  }
};

template <> struct SequenceTraits<sluice::DimSizes> {
  static const bool flow = true;
  static size_t size(IO &, sluice::DimSizes &Dim) { return Dim.Count; }
  static sluice::MaybeNumber &element(IO &YAML, sluice::DimSizes &Dim,
                                      size_t Index);
};

} // namespace llvm::yaml

#endif
