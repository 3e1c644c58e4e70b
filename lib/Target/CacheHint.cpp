// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The table of what a hint is made of, and what reads it: text, errors, and
/// what a GPU has.

#include "sluice/Target/CacheHint.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace sluice {

namespace {

/// A part of a hint, in the order in which PTX has them.
struct Part {
  StringLiteral Text;
  bool (*Has)(const CacheHint &);
  void (*Add)(CacheHint &);
  void (*Remove)(CacheHint &);
  /// The first that have it, by the section "Target ISA Notes" and "PTX ISA
  /// Notes" of the instruction; tried with ptxas 13.0.
  PTXTarget Since;
};

constexpr StringLiteral None = "none", PolicyKey = "L2::policy=";

} // namespace

template <auto Field, auto Value>
static constexpr Part part(StringLiteral Text, PTXTarget Since) {
  return {Text, [](const CacheHint &H) { return H.*Field == Value; },
          [](CacheHint &H) { H.*Field = Value; },
          [](CacheHint &H) { H.*Field = {}; }, Since};
}

using L1 = CacheHint::L1Eviction;
using Op = CacheHint::CacheOperator;
using L2 = CacheHint::L2Eviction;
using Warps = CacheHint::WarpBypass;

// sm_32 for .nc, sm_20 for the operators, are older than any GPU here.
static constexpr Part Parts[] = {
    part<&CacheHint::Operator, Op::CA>("ca", {20, 20}),
    part<&CacheHint::Operator, Op::CG>("cg", {20, 20}),
    part<&CacheHint::Operator, Op::CS>("cs", {20, 20}),
    part<&CacheHint::Operator, Op::LU>("lu", {20, 20}),
    part<&CacheHint::Operator, Op::CV>("cv", {20, 20}),
    part<&CacheHint::ReadOnly, true>("nc", {32, 31}),
    part<&CacheHint::L1, L1::First>("L1::evict_first", {70, 74}),
    part<&CacheHint::L1, L1::Last>("L1::evict_last", {70, 74}),
    part<&CacheHint::L1, L1::Unchanged>("L1::evict_unchanged", {70, 74}),
    part<&CacheHint::L1, L1::NoAllocate>("L1::no_allocate", {70, 74}),
    part<&CacheHint::L2, L2::First>("L2::evict_first", {80, 74}),
    part<&CacheHint::L2, L2::Last>("L2::evict_last", {80, 74}),
    part<&CacheHint::L2, L2::Normal>("L2::evict_normal", {80, 74}),
    part<&CacheHint::L2, L2::Unchanged>("L2::evict_unchanged", {80, 74}),
    {PolicyKey,
     [](const CacheHint &H) { return H.L2Policy != 0; },
     nullptr,
     [](CacheHint &H) { H.L2Policy = 0; },
     {80, 74}},
    part<&CacheHint::L2PrefetchBytes, 64U>("L2::64B", {75, 74}),
    part<&CacheHint::L2PrefetchBytes, 128U>("L2::128B", {75, 74}),
    part<&CacheHint::L2PrefetchBytes, 256U>("L2::256B", {80, 74}),
    part<&CacheHint::ByWarp, Warps::L1>("by-warp::L1", {20, 20}),
    part<&CacheHint::ByWarp, Warps::L2>("by-warp::L2", {80, 74}),
};

/// The last two tell warps apart.
static constexpr size_t OfAllWarps = std::size(Parts) - 2;

static std::string textOf(const Part &P, const CacheHint &Hint) {
  std::string Text = P.Text.str();
  if (P.Text == PolicyKey)
    Text += formatv("{0:x}", Hint.L2Policy);
  return Text;
}

std::string CacheHint::str() const {
  ListSeparator Plus("+");
  std::string Text;
  for (const Part &P : Parts)
    if (P.Has(*this))
      Text += (StringRef(Plus) + textOf(P, *this)).str();
  return Text.empty() ? None.str() : Text;
}

std::string faultOf(const CacheHint &Hint) {
  auto Exclude = [](StringRef A, StringRef B) {
    return (A + " and " + B + " exclude each other").str();
  };
  auto TextOf = [&](const CacheHint &One) { return One.str(); };
  CacheHint Operator, Eviction;
  Operator.Operator = Hint.Operator;
  Eviction.L1 = Hint.L1;
  if (!Operator.empty() && !Eviction.empty())
    return Exclude(TextOf(Operator), TextOf(Eviction));
  if (Hint.ReadOnly && (Hint.Operator == Op::LU || Hint.Operator == Op::CV))
    return Exclude("nc", TextOf(Operator));
  if (Hint.L2 != L2::None && Hint.L2Policy != 0)
    return "a load has one L2 policy";
  if (Hint.ByWarp == Warps::L1 && Hint.Operator != Op::None)
    return Exclude(TextOf(Operator), "by-warp::L1");
  if (Hint.ByWarp == Warps::L1 && Hint.L1 == L1::NoAllocate)
    return Exclude(TextOf(Eviction), "by-warp::L1");
  if (Hint.ByWarp == Warps::L2 && Hint.hasPolicy())
    return "a load has one L2 policy";
  return "";
}

bool operator==(const CacheHint &A, const CacheHint &B) {
  return A.L1 == B.L1 && A.Operator == B.Operator && A.L2 == B.L2 &&
         A.L2Policy == B.L2Policy && A.L2PrefetchBytes == B.L2PrefetchBytes &&
         A.ReadOnly == B.ReadOnly && A.ByWarp == B.ByWarp;
}

CacheHint randomHint(function_ref<uint64_t()> Generator) {
  // As CUTLASS has them: evict_normal, evict_first, evict_last.
  static constexpr uint64_t Policies[] = {
      0x1000000000000000, 0x12f0000000000000, 0x14f0000000000000};
  CacheHint Hint;
  // More often than other parts: it is the one that can be wrong.
  Hint.ReadOnly = Generator() % 2;
  for (unsigned Tries = Generator() % 5; Tries > 0; --Tries) {
    const Part &P = Parts[Generator() % OfAllWarps];
    CacheHint With = Hint;
    if (P.Add)
      P.Add(With);
    else
      With.L2Policy = Policies[Generator() % std::size(Policies)];
    if (faultOf(With).empty())
      Hint = With;
  }
  return Hint;
}

static Error unknownPart(StringRef Text) {
  std::string Known;
  ListSeparator Comma;
  for (const Part &P : Parts)
    Known += (StringRef(Comma) + P.Text).str() +
             (P.Text == PolicyKey ? "NUMBER" : "");
  return createStringError("'" + Text + "' is no cache hint; a hint is none, " +
                           "or one or more of these joined by '+': " + Known);
}

/// Adds the part that \p Text names.
static Error addPart(StringRef Text, CacheHint &Hint) {
  for (const Part &P : Parts) {
    CacheHint One;
    if (P.Text == PolicyKey) {
      StringRef Number = Text;
      if (!Number.consume_front(PolicyKey) ||
          Number.getAsInteger(0, One.L2Policy) || One.L2Policy == 0)
        continue;
      if (Hint.L2Policy != 0)
        return createStringError("a load has one L2 policy");
      Hint.L2Policy = One.L2Policy;
      return Error::success();
    }
    if (P.Text != Text)
      continue;
    // Of the same kind as what is there?
    CacheHint Without = Hint;
    P.Remove(Without);
    if (Without != Hint)
      return P.Has(Hint)
                 ? createStringError("'" + Text + "' is there twice")
                 : createStringError("'" + Text + "' does not go with the " +
                                     "rest of '" + Hint.str() + "'");
    P.Add(Hint);
    return Error::success();
  }
  return unknownPart(Text);
}

Expected<CacheHint> parseCacheHint(StringRef Text) {
  CacheHint Hint;
  if (Text == None)
    return Hint;
  SmallVector<StringRef, 4> Words;
  Text.split(Words, '+');
  for (StringRef Word : Words)
    if (Error E = addPart(Word, Hint))
      return E;
  if (std::string Fault = faultOf(Hint); !Fault.empty())
    return createStringError(Fault);
  return Hint;
}

std::vector<std::string> dropUnsupported(CacheHint &Hint, PTXTarget Target) {
  std::vector<std::string> Dropped;
  for (const Part &P : Parts)
    if (P.Has(Hint) &&
        (Target.SM < P.Since.SM || Target.Version < P.Since.Version)) {
      Dropped.push_back(formatv("{0} needs sm_{1} and PTX {2}.{3}",
                                textOf(P, Hint), P.Since.SM,
                                P.Since.Version / 10, P.Since.Version % 10));
      P.Remove(Hint);
    }
  return Dropped;
}

} // namespace sluice
