// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportData.h"
#include "sluice/Target/MemoryModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace sluice;

//===- Roofline -----------------------------------------------------------===//

namespace {
/// One of the places that bytes go through.
struct Level {
  const char *Name;
  double BytesPerCycle; ///< At most, for what this code asks of it.
  double WholeLines;    ///< And for whole lines alone.
  double Intensity;     ///< Instructions for each byte that goes there.
  const char *Class;
};
} // namespace

std::optional<Chart> sluice::drawRoofline(const XKernel &X,
                                          const KernelProfile *Of) {
  const KernelX &K = X.X;
  if (!Of || Of->Time.Cycles == 0 || K.Model.Intensity <= 0)
    return std::nullopt;
  const MemoryModel Memory = memoryModel(*K.GPU);
  const double Achieved = double(Of->Time.IssueCycles) * K.GPU->SubPartitions /
                          double(Of->Time.Cycles);
  std::vector<Level> Levels;
  auto Add = [&](const char *Name, double Rate, double WholeLines, double Share,
                 const char *Class) {
    if (Rate > 0 && Share > 0)
      Levels.push_back(
          {Name, Rate, WholeLines, K.Model.Intensity / Share, Class});
  };
  Add("L1, tag stage", K.Model.CacheSupply, Memory.L1BytesPerCycle, 1, "other");
  Add("L2", K.L2Rate,
      std::min(Memory.L2BytesPerCyclePerSM, Memory.L2BytesPerCycle / K.SMs),
      K.L2Share, "supply");
  Add("DRAM", K.DRAMRate, Memory.DRAMBytesPerCycle / K.SMs, K.DRAMShare,
      "demand");
  if (Levels.empty())
    return std::nullopt;
  const double Top = 1.5 * K.GPU->SubPartitions;
  double First = Levels.front().Intensity / 4, Last = First;
  for (const Level &L : Levels)
    Last = std::max({Last, 4 * L.Intensity, 2 * Top / L.BytesPerCycle});
  const double Bottom = std::min(Achieved / 4, Top / 100);
  Chart C("Roofline",
          {First, Last, "instructions for each byte",
           powerTicks(First, Last, 10), true},
          {Bottom, Top, "instructions a cycle of an SM",
           powerTicks(Bottom, Top, 10), true});
  C.line({{First, K.Model.Lanes}, {Last, K.Model.Lanes}}, "");
  C.text({First, K.Model.Lanes}, 6, -6, "start", "",
         formatv("issue, with this mix of instructions: {0:F2}", K.Model.Lanes)
             .str());
  for (const Level &L : Levels) {
    // From the bottom or the left end to the roof.
    const double From = std::max(First, Bottom / L.BytesPerCycle),
                 To = std::min(Last, K.Model.Lanes / L.BytesPerCycle);
    const std::string Class = std::string(L.Class) + " thin";
    if (From < To)
      C.line({{From, From * L.BytesPerCycle}, {To, To * L.BytesPerCycle}},
             Class);
    const double Roof = std::min(K.Model.Lanes, L.Intensity * L.BytesPerCycle);
    C.line({{L.Intensity, Achieved}, {L.Intensity, Roof}},
           std::string(L.Class) + " dashed thin");
    C.point({L.Intensity, Achieved}, "",
            formatv("{0}: {1:F0} % of what it could give", L.Name,
                    100 * Achieved / Roof)
                .str());
    C.legend(Class, formatv("{0}: {1} B/cycle for these sectors ({2} for whole "
                            "lines), {3:F0} % used",
                            L.Name, shortNumber(L.BytesPerCycle),
                            shortNumber(L.WholeLines),
                            100 * Achieved / (L.Intensity * L.BytesPerCycle))
                        .str());
  }
  return C;
}

//===- Reuse distances ----------------------------------------------------===//

std::optional<Chart> sluice::drawReuse(const XKernel &X,
                                       const KernelProfile *Of) {
  if (!Of)
    return std::nullopt;
  ReuseHistogram Reuse;
  for (const AccessProfile &A : Of->Accesses)
    if (A.Kind != "store")
      Reuse += A.Reuse;
  double Touches = double(Reuse.Never), Most = double(Reuse.Never);
  unsigned Buckets = 1;
  for (unsigned B = 0; B < ReuseHistogram::Buckets; ++B) {
    Touches += double(Reuse.Count[B]);
    Most = std::max(Most, double(Reuse.Count[B]));
    if (Reuse.Count[B])
      Buckets = B + 1;
  }
  if (Touches == 0)
    return std::nullopt;
  const double Lines = X.X.Model.CacheBytes / X.X.GPU->LineBytes;
  const double L1At = Lines >= 1 ? std::log2(Lines) + 1 : 0;
  Buckets = std::max(Buckets, unsigned(L1At) + 1);
  // Behind the last bucket, with a gap: lines that come for the first time.
  const double End = Buckets + 2;
  ChartAxis Distance{0, End, "other lines between two touches of a line", {}};
  for (unsigned B = 0; B < Buckets; B += Buckets > 12 ? 2 : 1)
    Distance.Ticks.push_back(
        {B + 0.5, B ? "<" + shortNumber(std::exp2(B)) : "0"});
  Distance.Ticks.push_back({End - 0.5, "first"});
  const double MostPercent = 100 * Most / Touches;
  Chart C("Reuse distances of lines that loads touch", Distance,
          {0, 1.1 * MostPercent, "% of the touches",
           roundTicks(1.1 * MostPercent, 5)},
          240);
  auto Bar = [&](double From, uint64_t Count, StringRef Name) {
    if (Count)
      C.bar(
          From, From + 1, 100 * double(Count) / Touches,
          formatv("{0}: {1:F1} %", Name, 100 * double(Count) / Touches).str());
  };
  for (unsigned B = 0; B < Buckets; ++B)
    Bar(B, Reuse.Count[B],
        B ? "fewer than " + shortNumber(std::exp2(B)) + " lines" : "no line");
  Bar(End - 1, Reuse.Never, "touched for the first time");
  if (L1At > 0) {
    C.upright(L1At, "line demand thin dashed");
    C.legend("demand thin dashed",
             formatv("what the L1 holds: {0:F0} lines", Lines).str());
  }
  return C;
}
