// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of `sluice report --compare`. What is not as Sluice writes it is
// refused where nothing could be shown without it, and else left out.

#include "ReportCompare.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;

static constexpr int64_t ReportVersion = 1; ///< "sluice-report".

static Expected<ComparedKernel> readKernel(json::Value &Value, StringRef Path,
                                           StringRef Program) {
  json::Object *Of = Value.getAsObject();
  const std::string Name = Of ? textOf(*Of, "name") : "";
  if (Name.empty())
    return createStringError(Path + ": a kernel of the report has no \"name\"");
  ComparedKernel K;
  K.Program = Program.str();
  K.Name = Name;
  K.DisplayName = Of->getString("display").value_or(Name).str();
  K.Report = std::move(*Of);
  const json::Array *Listed = K.Report.getArray("alternatives");
  for (const json::Value &One : Listed ? *Listed : json::Array()) {
    const json::Object *A = One.getAsObject();
    if (!A)
      continue;
    Alternative Read;
    Read.What = textOf(*A, "what");
    Read.IsDecided = A->getBoolean("decided").value_or(false);
    for (const TimeSource &From : TimeSources)
      Read.*From.Time = A->getNumber(From.Key);
    K.Times.push_back(std::move(Read));
  }
  return K;
}

/// With the names that a report gives to variants.
static ComparedKernel fromResults(const ResultsKernel &Of) {
  ComparedKernel K;
  K.Program = Of.Program;
  K.Name = Of.Name;
  K.DisplayName = Of.Program + ": " + demangle(Of.Name);
  for (const MeasuredTime &T : Of.Times) {
    Alternative A;
    A.What = T.What == "clang" || T.What == "untuned" ? "as it is" : T.What;
    A.Measured = T.Milliseconds;
    A.IsDecided = T.What == "sluice";
    K.Times.push_back(std::move(A));
  }
  if (none_of(K.Times, [](const Alternative &A) { return A.IsDecided; }))
    for (Alternative &A : K.Times)
      A.IsDecided = A.What == "as it is";
  return K;
}

static Expected<ComparedSide> readSide(StringRef Path) {
  auto Read = readJSON(Path);
  if (!Read)
    return Read.takeError();
  json::Object *Whole = Read->getAsObject();
  if (!Whole || !(Whole->get("sluice-report") || Whole->get("programs")))
    return createStringError(
        Path + ": neither what `sluice report --json` writes, nor results of "
               "`benchmarks/run` or `sluice compare --json`");
  ComparedSide Side;
  if (!Whole->get("sluice-report")) {
    auto Kernels = kernelsOfResults(*Whole, Path);
    if (!Kernels)
      return Kernels.takeError();
    for (const ResultsKernel &K : *Kernels)
      Side.Kernels.push_back(fromResults(K));
  } else {
    if (Whole->getInteger("sluice-report") != ReportVersion)
      return createStringError(
          Path + ": \"sluice-report\" is not " + Twine(ReportVersion) +
          ", the version that this Sluice knows: write it anew by `sluice "
          "report --json`");
    json::Array *Kernels = Whole->getArray("kernels");
    if (!Kernels)
      return createStringError(Path + ": the report has no \"kernels\"");
    const std::string Source = textOf(*Whole, "source");
    for (json::Value &Value : *Kernels) {
      auto K = readKernel(Value, Path, sys::path::stem(Source));
      if (!K)
        return K.takeError();
      Side.Kernels.push_back(std::move(*K));
    }
  }
  Side.Whole = std::move(*Whole);
  Side.Whole.erase("kernels");
  Side.Whole.erase("programs");
  return Side;
}

Expected<Comparison> sluice::readComparison(StringRef PathA, StringRef PathB) {
  Comparison C;
  for (auto [I, Path] : enumerate(std::array<StringRef, 2>{PathA, PathB})) {
    auto Side = readSide(Path);
    if (!Side)
      return Side.takeError();
    C.Sides[I] = std::move(*Side);
    C.Names[I] = sys::path::filename(Path).str();
  }
  if (C.Names[0] == C.Names[1])
    C.Names = {PathA.str(), PathB.str()};
  return C;
}
