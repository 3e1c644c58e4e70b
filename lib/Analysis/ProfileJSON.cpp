// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A profile as JSON: the keys of its file (docs/profile-format.md), with what
/// is 0, and what a reader would compute first: misses and gains.

#include "ProfileFields.h"
#include "sluice/Analysis/ProfileReport.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace sluice;

/// Names of files are not always UTF-8.
static void writeString(json::OStream &J, StringRef Key, StringRef Text) {
  J.attribute(Key, json::fixUTF8(Text));
}

static void writeDim(json::OStream &J, StringRef Key, const LaunchDim &Dim) {
  J.attributeArray(Key, [&] {
    for (const std::optional<uint64_t> &Size : Dim.Sizes)
      J.value(Size ? json::Value(*Size) : json::Value(nullptr));
  });
}

static void writeId(json::OStream &J, StringRef Key, const CodeId &Id) {
  writeString(J, Key, Id.Place.str());
  J.attributeArray("inlined-at", [&] {
    for (const SourcePlace &Call : Id.InlinedAt)
      J.value(json::fixUTF8(Call.str()));
  });
  J.attribute("ordinal", Id.Ordinal);
}

static void writeText(json::OStream &J, const FunctionText &F) {
  writeString(J, "file", F.File);
  J.attribute("first-line", F.FirstLine);
  J.attribute("last-line", F.LastLine);
  writeString(J, "text-hash", F.TextHash);
}

static void writeCounts(json::OStream &J, const AccessCounts &Counts) {
  J.object([&] {
    for (const CountField &Field : CountFields)
      J.attribute(Field.Key, Counts.*Field.Count);
    J.attribute("misses", Counts.misses());
  });
}

static void writeAccess(json::OStream &J, const AccessProfile &Access) {
  J.object([&] {
    writeId(J, "at", Access.Id);
    writeString(J, "kind", Access.Kind);
    J.attribute("bytes", Access.Bytes);
    J.attributeBegin("counts");
    writeCounts(J, Access.Counts);
    J.attributeEnd();
    J.attributeObject("reuse", [&] {
      J.attribute("never", Access.Reuse.Never);
      J.attributeArray("counts", [&] {
        for (uint64_t Count : Access.Reuse.Count)
          J.value(Count);
      });
    });
    J.attribute("sectors-alone", Access.SectorsAlone);
    J.attribute("hits-alone", Access.HitsAlone);
    J.attributeArray("copies", [&] {
      for (const AccessCounts &Copy : Access.Copies)
        writeCounts(J, Copy);
    });
  });
}

/// An array of objects, each with what \p Write puts into it.
template <typename T, typename WriteTy>
static void writeObjects(json::OStream &J, StringRef Key,
                         const std::vector<T> &Elements, WriteTy Write) {
  J.attributeArray(Key, [&] {
    for (const T &Element : Elements)
      J.object([&] { Write(Element); });
  });
}

static void writeCarveouts(json::OStream &J,
                           const std::vector<CarveoutPrediction> &Carveouts) {
  if (Carveouts.empty())
    return;
  writeObjects(J, "carveouts", Carveouts, [&](const CarveoutPrediction &C) {
    if (C.Percent)
      J.attribute("percent", *C.Percent);
    J.attribute("nanoseconds", C.Nanoseconds);
  });
}

static void writeKernel(json::OStream &J, const KernelProfile &K) {
  writeString(J, "name", K.Name);
  writeText(J, K);
  writeObjects(J, "inlined", K.Inlined,
               [&](const FunctionText &F) { writeText(J, F); });
  J.attribute("registers", K.Registers);
  J.attribute("l1-bytes", K.L1Bytes);
  J.attribute("simulated-blocks", K.SimulatedBlocks);
  J.attribute("blocks", K.Blocks);
  writeObjects(J, "launches", K.Launches, [&](const LaunchProfile &L) {
    writeDim(J, "grid", L.Grid);
    writeDim(J, "block", L.Block);
    J.attribute("shared", L.DynamicSharedBytes);
    J.attribute("launches", L.Launches);
  });
  J.attributeObject("time", [&] {
    for (const TimeField &Field : TimeFields)
      J.attribute(Field.Key, K.Time.*Field.Count);
    J.attribute("bound-by", K.Time.Cycles ? nameOfUnit(K.Time.boundBy()) : "");
  });
  J.attributeArray("accesses", [&] {
    for (const AccessProfile &Access : K.Accesses)
      writeAccess(J, Access);
  });
  writeObjects(J, "pairs", K.Pairs, [&](const PairProfile &Pair) {
    J.attribute("first", Pair.First);
    J.attribute("second", Pair.Second);
    J.attribute("hits", Pair.Hits);
    J.attribute("gain", gainOfPair(K, Pair));
  });
  if (!K.FewerBlocks.empty())
    writeObjects(J, "fewer-blocks", K.FewerBlocks,
                 [&](const BlocksPrediction &B) {
                   J.attribute("resident-blocks", B.Blocks);
                   J.attribute("nanoseconds", B.Nanoseconds);
                 });
  writeCarveouts(J, K.Carveouts);
  if (!K.CachedWarps.empty())
    writeObjects(J, "cached-warps", K.CachedWarps,
                 [&](const BypassPrediction &B) {
                   J.attribute("warps", B.CachedWarps);
                   J.attribute("nanoseconds", B.Nanoseconds);
                 });
  if (!K.Hints.empty())
    writeObjects(J, "hints", K.Hints, [&](const HintsPrediction &H) {
      writeObjects(J, "loads", H.Loads, [&](const LoadHint &Load) {
        J.attribute("access", Load.Access);
        writeString(J, "hint", Load.Hint.str());
      });
      J.attribute("nanoseconds", H.Nanoseconds);
    });
  writeObjects(J, "loops", K.Loops, [&](const LoopProfile &Loop) {
    writeId(J, "loop", Loop.Id);
    J.attribute("entries", Loop.Entries);
    J.attribute("iterations", Loop.Iterations);
    J.attribute("iteration-lines", Loop.IterationLines);
    J.attribute("most-iteration-lines", Loop.MostIterationLines);
    if (!Loop.Turns.empty())
      writeObjects(J, "turns", Loop.Turns, [&](const TurnsPrediction &T) {
        J.attribute("warp-groups", T.WarpGroups);
        J.attribute("nanoseconds", T.Nanoseconds);
        writeCarveouts(J, T.Carveouts);
      });
    if (Loop.Staged)
      J.attributeObject("staged", [&] {
        J.attribute("nanoseconds", Loop.Staged->Nanoseconds);
        J.attribute("without", Loop.Staged->Without);
      });
  });
}

void sluice::printJSON(raw_ostream &OS, const Profile &P) {
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("sluice-profile", Profile::CurrentVersion);
    writeString(J, "source", P.Source);
    writeString(J, "gpu", P.GPU);
    writeString(J, "origin", P.Origin);
    J.attribute("runs", P.Runs);
    writeObjects(J, "kernels", P.Kernels,
                 [&](const KernelProfile &K) { writeKernel(J, K); });
  });
  OS << '\n';
}
