// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/VariantRound.h"
#include "ReplayFolder.h"
#include "sluice/Plan/HostRecord.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace sluice;

//===- Writing ------------------------------------------------------------===//

/// The job's line of a variant.
static Expected<std::string> candidateLine(const Variant &V, StringRef Folder) {
  const std::string Image = "images/" + V.Name + ".cubin";
  auto Bytes = MemoryBuffer::getFile(pathIn(Folder, Image));
  if (!Bytes)
    return createStringError(Bytes.getError(),
                             "cannot read '" + pathIn(Folder, Image) + "'");
  std::string Line = "candidate " + V.Name + " " + Image;
  for (const auto &Request : findHostRecords((*Bytes)->getBuffer())) {
    const std::string Of = Request.first().str() + ":";
    if (Request.second.CarveoutPercent)
      Line +=
          " carveout=" + Of + std::to_string(*Request.second.CarveoutPercent);
    if (Request.second.ClaimedSharedBytes)
      Line +=
          " claim=" + Of + std::to_string(Request.second.ClaimedSharedBytes);
  }
  return Line + "\n";
}

static json::Object writeKernel(const AssembledKernel &K) {
  return json::Object{{"registers", K.Registers},
                      {"spill_store_bytes", K.SpillStoreBytes},
                      {"spill_load_bytes", K.SpillLoadBytes},
                      {"static_shared_bytes", K.StaticSharedBytes}};
}

Error sluice::writeVariantRound(const VariantRound &Round,
                                const RoundOptions &Options) {
  // nvcc rounds otherwise than clang; that is no reason not to time it.
  std::string Job = "results results.jsonl\ntime-wrong yes\nbase " +
                    Round.Variants.front().Name + "\n" + jobSettings(Options);
  json::Array Variants;
  for (const Variant &V : Round.Variants) {
    auto Line = candidateLine(V, Options.Folder);
    if (!Line)
      return Line.takeError();
    Job += *Line;
    json::Object Kernels;
    for (const auto &K : V.Kernels)
      Kernels[K.first()] = writeKernel(K.second);
    Variants.push_back(json::Object{{"name", V.Name},
                                    {"compiler", V.Compiler},
                                    {"kernels", std::move(Kernels)}});
  }
  json::Object Bounds, LeftOut;
  for (const auto &[Kernel, Bound] : Round.Bounds)
    Bounds[Kernel] = Bound;
  for (const auto &[Name, Why] : Round.LeftOut)
    LeftOut[Name] = json::fixUTF8(Why);
  json::Object All{
      {"source", Round.Source},         {"arch", Round.Arch},
      {"arguments", Options.Arguments}, {"variants", std::move(Variants)},
      {"bounds", std::move(Bounds)},    {"left_out", std::move(LeftOut)}};
  if (Error E = writeFile(pathIn(Options.Folder, "job"), Job))
    return E;
  if (Error E = writeRunner(Options))
    return E;
  // The last: a folder that has it is whole.
  return writeFile(pathIn(Options.Folder, "variants.json"),
                   formatv("{0:2}\n", json::Value(std::move(All))).str());
}

//===- Reading ------------------------------------------------------------===//

static AssembledKernel readKernel(const json::Object &O) {
  auto Number = [&](StringRef Name) {
    return static_cast<uint64_t>(O.getInteger(Name).value_or(0));
  };
  AssembledKernel K;
  K.Registers = static_cast<unsigned>(Number("registers"));
  K.SpillStoreBytes = Number("spill_store_bytes");
  K.SpillLoadBytes = Number("spill_load_bytes");
  K.StaticSharedBytes = Number("static_shared_bytes");
  return K;
}

static Expected<VariantResults> readManifest(const std::string &Folder) {
  const std::string Path = pathIn(Folder, "variants.json");
  auto Text = MemoryBuffer::getFile(Path);
  if (!Text)
    return createStringError(Text.getError(),
                             "'" + Path + "' cannot be read: is '" + Folder +
                                 "' a folder that --export wrote?");
  auto Read = json::parse((*Text)->getBuffer());
  if (!Read)
    return createStringError("'" + Path + "': " + toString(Read.takeError()));
  const json::Object *Top = Read->getAsObject();
  const json::Array *Variants = Top ? Top->getArray("variants") : nullptr;
  if (!Variants)
    return createStringError("'" + Path + "' has no \"variants\"");
  VariantResults Result;
  Result.Round.Source = Top->getString("source").value_or("").str();
  Result.Round.Arch = Top->getString("arch").value_or("").str();
  Result.Arguments = Top->getString("arguments").value_or("").str();
  for (const json::Value &Value : *Variants) {
    const json::Object *O = Value.getAsObject();
    if (!O)
      continue;
    Variant V;
    V.Name = O->getString("name").value_or("").str();
    V.Compiler = O->getString("compiler").value_or("").str();
    if (const json::Object *Kernels = O->getObject("kernels"))
      for (const auto &[Name, Of] : *Kernels)
        if (const json::Object *Kernel = Of.getAsObject())
          V.Kernels[Name] = readKernel(*Kernel);
    Result.Round.Variants.push_back(std::move(V));
  }
  auto ReadTexts = [&](StringRef Key, std::map<std::string, std::string> &To) {
    if (const json::Object *Texts = Top->getObject(Key))
      for (const auto &[Of, Text] : *Texts)
        To[Of.str()] = Text.getAsString().value_or("").str();
  };
  ReadTexts("bounds", Result.Round.Bounds);
  ReadTexts("left_out", Result.Round.LeftOut);
  return Result;
}

static void readTriple(const json::Object &Line, StringRef Name,
                       std::array<unsigned, 3> &To) {
  const json::Array *Values = Line.getArray(Name);
  for (size_t I = 0; Values && I < std::min<size_t>(3, Values->size()); ++I)
    To[I] = static_cast<unsigned>((*Values)[I].getAsInteger().value_or(0));
}

static void readMeasured(const json::Object &Line, MeasuredKernel &Kernel) {
  auto Number = [&](StringRef Name) {
    return static_cast<uint64_t>(Line.getInteger(Name).value_or(0));
  };
  MeasuredLaunch &At = Kernel.At[static_cast<unsigned>(Number("launch"))];
  if (Line.get("grid")) {
    readTriple(Line, "grid", At.Grid);
    readTriple(Line, "block", At.Block);
    At.DynamicSharedBytes = Number("shared");
    At.ArgumentBytes = Number("argument_bytes");
    At.UnstableBytes = std::max(At.UnstableBytes, Number("unstable_bytes"));
  }
  VariantTime Time;
  Time.Median = medianTime(Line).first;
  if (const json::Array *Ms = Line.getArray("ms"))
    for (const json::Value &V : *Ms)
      Time.Ms.push_back(V.getAsNumber().value_or(0));
  Time.WrongWords = Number("wrong_words");
  Time.Error = Line.getString("error").value_or("").str();
  At.Variants[Line.getString("candidate").value_or("").str()] = std::move(Time);
}

Expected<VariantResults> sluice::readVariantRound(const std::string &Folder) {
  auto Result = readManifest(Folder);
  if (!Result)
    return Result;
  Error E = readResults(Folder, [&](const json::Object &Line) {
    const StringRef Event = Line.getString("event").value_or("");
    const std::string Kernel = Line.getString("kernel").value_or("").str();
    if (Event == "device")
      Result->GPU = Line.getString("name").value_or("").str();
    else if (Event == "launches")
      Result->Kernels[Kernel].Launches =
          static_cast<unsigned>(Line.getInteger("launches").value_or(0));
    else if (Event == "measured")
      readMeasured(Line, Result->Kernels[Kernel]);
  });
  if (E)
    return std::move(E);
  return Result;
}

bool VariantResults::hasTimes() const {
  return any_of(Kernels, [](const auto &K) { return !K.second.At.empty(); });
}

std::optional<std::pair<double, double>>
MeasuredKernel::meanTimes(const std::string &Name,
                          const std::string &Beside) const {
  double Sum = 0, OtherSum = 0;
  unsigned Count = 0;
  for (const auto &[Ordinal, Launch] : At) {
    auto One = Launch.Variants.find(Name), Other = Launch.Variants.find(Beside);
    if (One == Launch.Variants.end() || Other == Launch.Variants.end() ||
        !One->second.isTimed() || !Other->second.isTimed())
      continue;
    Sum += One->second.Median;
    OtherSum += Other->second.Median;
    ++Count;
  }
  if (!Count)
    return std::nullopt;
  return std::make_pair(Sum / Count, OtherSum / Count);
}

uint64_t MeasuredKernel::wrongWords(const std::string &Name) const {
  uint64_t Words = 0;
  for (const auto &[Ordinal, Launch] : At)
    if (auto Of = Launch.Variants.find(Name); Of != Launch.Variants.end())
      Words += Of->second.WrongWords;
  return Words;
}

std::string MeasuredKernel::problemOf(const std::string &Name) const {
  for (const auto &[Ordinal, Launch] : At)
    if (auto Of = Launch.Variants.find(Name);
        Of != Launch.Variants.end() && !Of->second.Error.empty())
      return Of->second.Error;
  return "";
}
