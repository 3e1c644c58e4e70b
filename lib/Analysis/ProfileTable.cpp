// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A profile as a table on the terminal.

#include "ProfileText.h"
#include "sluice/Analysis/ProfileReport.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <numeric>
#include <tuple>

using namespace llvm;
using namespace sluice;

static constexpr unsigned SectorBytes = 32, LineBytes = 128;
static constexpr size_t Columns = 100;
static constexpr size_t PlaceColumns = 18;

L2Efficiency sluice::l2Efficiency(const AccessCounts &Counts) {
  auto Per = [&](uint64_t Sectors) -> std::optional<double> {
    if (Sectors == 0)
      return std::nullopt;
    return double(Counts.UsefulBytes) / double(Sectors) / SectorBytes;
  };
  return {Per(Counts.misses()), Per(Counts.Sectors)};
}

std::optional<uint64_t> sluice::medianReuseBound(const ReuseHistogram &Reuse) {
  uint64_t Touches =
      std::accumulate(Reuse.Count.begin(), Reuse.Count.end(), Reuse.Never);
  uint64_t Below = 0;
  for (unsigned Bucket = 0; Bucket < ReuseHistogram::Buckets; ++Bucket) {
    Below += Reuse.Count[Bucket];
    if (Below != 0 && Below >= Touches - Below)
      return Bucket == 0 ? 0 : uint64_t(1) << Bucket;
  }
  return std::nullopt;
}

int64_t sluice::gainOfPair(const KernelProfile &K, const PairProfile &Pair) {
  return int64_t(Pair.Hits - K.Accesses[Pair.First].HitsAlone -
                 K.Accesses[Pair.Second].HitsAlone);
}

/// \p Head and \p Text in lines of Columns, broken at blanks of \p Text, all
/// but the first indented by \p Indent.
static void printWrapped(raw_ostream &OS, StringRef Head, StringRef Text,
                         size_t Indent) {
  OS << Head;
  size_t Column = Head.size();
  bool First = true;
  for (StringRef Word : split(Text, ' ')) {
    if (!First && Column + 1 + Word.size() > Columns) {
      OS << '\n';
      OS.indent(Indent);
      Column = Indent;
    } else if (!First) {
      OS << ' ';
      ++Column;
    }
    First = false;
    OS << Word;
    Column += Word.size();
  }
  OS << '\n';
}

static std::string count(uint64_t N, StringRef One, StringRef Many) {
  return (Twine(N) + " " + (N == 1 ? One : Many)).str();
}

/// "66x16".
static std::string dimensions(const LaunchDim &Dim) {
  size_t Size = 3;
  while (Size > 1 && Dim.Sizes[Size - 1] == uint64_t(1))
    --Size;
  std::string Text;
  for (size_t I = 0; I < Size; ++I)
    Text +=
        (I ? "x" : "") + (Dim.Sizes[I] ? std::to_string(*Dim.Sizes[I]) : "?");
  return Text;
}

static void printKernelHead(raw_ostream &OS, const KernelProfile &K) {
  constexpr size_t MostShapes = 4;
  printWrapped(OS, "", demangle(K.Name), 4);
  std::vector<std::string> Facts;
  if (K.FirstLine != 0)
    Facts.push_back(formatv("{0}:{1}", K.File, K.FirstLine));
  if (K.Registers != 0)
    Facts.push_back(count(K.Registers, "register", "registers"));
  if (K.L1Bytes != 0)
    Facts.push_back(
        formatv("L1 of {0} KiB", compact(double(K.L1Bytes) / 1024)));
  if (K.Blocks != 0)
    Facts.push_back(
        formatv("{0} of {1} blocks simulated", K.SimulatedBlocks, K.Blocks));
  for (const LaunchProfile &L : ArrayRef(K.Launches).take_front(MostShapes)) {
    std::string Shape = formatv("{0} of {1} blocks of {2} threads",
                                count(L.Launches, "launch", "launches"),
                                dimensions(L.Grid), dimensions(L.Block));
    if (L.DynamicSharedBytes != 0)
      Shape += formatv(" with {0} B shared", L.DynamicSharedBytes);
    Facts.push_back(Shape);
  }
  if (K.Launches.size() > MostShapes)
    Facts.push_back(formatv("launches of {0} other shapes",
                            K.Launches.size() - MostShapes));
  if (!Facts.empty())
    printWrapped(OS, "  ", join(Facts, ", "), 2);
}

/// "12.3 us": of so many nanoseconds.
static std::string duration(uint64_t Nanoseconds) {
  const std::pair<double, const char *> Units[] = {
      {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
  for (auto [Size, Name] : Units)
    if (double(Nanoseconds) >= Size)
      return formatv("{0} {1}", compact(double(Nanoseconds) / Size), Name);
  return formatv("{0} ns", Nanoseconds);
}

std::string sluice::describeTime(const PredictedTime &T, uint64_t Launches) {
  std::string Each;
  if (Launches > 1)
    Each = formatv(" for {0} launches, {1} each", Launches,
                   duration(T.Nanoseconds / Launches));
  return formatv(
      "{0}{6}, bound by {1}; busy %: issue {2}, tag stage {3}, L2 {4}, DRAM "
      "{5}",
      duration(T.Nanoseconds), nameOfUnit(T.boundBy()),
      percentage(T.IssueCycles, T.Cycles), percentage(T.TagCycles, T.Cycles),
      percentage(T.L2Cycles, T.Cycles), percentage(T.DRAMCycles, T.Cycles),
      Each);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// "<512 (64)": lines, and their KiB.
static std::string reuse(const ReuseHistogram &Reuse) {
  std::optional<uint64_t> Bound = medianReuseBound(Reuse);
  if (!Bound)
    return Reuse.Never != 0 ? "never" : "-";
  if (*Bound == 0)
    return "0 (0)";
  return formatv("<{0} ({1})", compact(*Bound),
                 compact(double(*Bound) * LineBytes / 1024));
}

static constexpr const char *RowFormat =
    "  {0,-18}{1,-6}{2,3}{3,7}{4,6}{5,6}{6,6}{7,6}{8,6}{9,7}{10,7}{11,6}"
    "{12,14}\n";

static void printAccessHead(raw_ostream &OS) {
  OS << formatv("\n{0,54}{1,12}{2,7}{3,13}{4,14}\n", "of one request",
                "% sectors", "missed", "efficiency", "median reuse");
  OS << formatv(RowFormat, "access", "kind", "B", "requ.", "lanes", "sect.",
                "lines", "hit", "pend.", "sect.", "L1 on", "off",
                "lines (KiB)");
}

static void printAccess(raw_ostream &OS, const AccessProfile &Access) {
  std::string Place = Access.Id.str();
  if (Place.size() >= PlaceColumns) {
    printWrapped(OS, "  ", Place, 6);
    Place.clear();
  }
  auto Value = [](std::optional<double> Ratio) {
    return Ratio ? compact(*Ratio) : std::string("-");
  };
  const AccessCounts &C = Access.Counts;
  L2Efficiency Efficiency = l2Efficiency(C);
  OS << formatv(
      RowFormat, Place, Access.Kind,
      Access.Bytes ? std::to_string(Access.Bytes) : "-", compact(C.Requests),
      compactRatio(C.Lanes, C.Requests), compactRatio(C.Sectors, C.Requests),
      compactRatio(C.Lines, C.Requests), percentage(C.Hits, C.Sectors),
      percentage(C.PendingHits, C.Sectors), compact(C.misses()),
      Value(Efficiency.Cached), Value(Efficiency.Uncached),
      reuse(Access.Reuse));
}

static void printAccesses(raw_ostream &OS, const KernelProfile &K,
                          size_t Most) {
  std::vector<const AccessProfile *> ByCost;
  ByCost.reserve(K.Accesses.size());
  for (const AccessProfile &Access : K.Accesses)
    ByCost.push_back(&Access);
  llvm::sort(ByCost, [](const AccessProfile *A, const AccessProfile *B) {
    uint64_t MissesA = A->Counts.misses(), MissesB = B->Counts.misses();
    // By misses, then by sectors, from the most; then as they are in K.
    return std::tie(MissesB, B->Counts.Sectors, A) <
           std::tie(MissesA, A->Counts.Sectors, B);
  });
  if (ByCost.empty())
    return;
  printAccessHead(OS);
  for (const AccessProfile *Access : ArrayRef(ByCost).take_front(Most))
    printAccess(OS, *Access);
  if (ByCost.size() > Most)
    OS << formatv("  and {0} more\n", ByCost.size() - Most);
}

//===----------------------------------------------------------------------===//
// Pairs and loops
//===----------------------------------------------------------------------===//

/// "+2.6"
static std::string signedPercent(double Percent) {
  return formatv("{0}{1:f1}", Percent > 0 ? "+" : "", Percent);
}

static void printPairs(raw_ostream &OS, const KernelProfile &K, size_t Most) {
  struct Gain {
    const PairProfile *Pair;
    double Percent;
  };
  std::vector<Gain> Gains;
  for (const PairProfile &Pair : K.Pairs) {
    uint64_t Sectors = K.Accesses[Pair.First].SectorsAlone +
                       K.Accesses[Pair.Second].SectorsAlone;
    double Percent = 100.0 * double(gainOfPair(K, Pair)) / double(Sectors);
    if (Sectors != 0 && std::abs(Percent) >= 0.05)
      Gains.push_back({&Pair, Percent});
  }
  llvm::sort(Gains, [](const Gain &A, const Gain &B) {
    double SizeA = std::abs(A.Percent), SizeB = std::abs(B.Percent);
    return std::tie(SizeB, A.Pair) < std::tie(SizeA, B.Pair);
  });
  if (Gains.empty())
    return;
  OS << "\n  loads that help (+) or fight (-): hits more than each has alone, "
        "% of the sectors of both\n";
  for (const Gain &G : ArrayRef(Gains).take_front(Most))
    printWrapped(OS, formatv("  {0,7}  ", signedPercent(G.Percent)).str(),
                 K.Accesses[G.Pair->First].Id.str() + " and " +
                     K.Accesses[G.Pair->Second].Id.str(),
                 11);
}

static void printCarveouts(raw_ostream &OS, StringRef With,
                           ArrayRef<CarveoutPrediction> All) {
  if (!changesAnything(All))
    return;
  std::string Times;
  for (const CarveoutPrediction &C : All.drop_front())
    Times += formatv("{0}{1} % {2:F3} ms", Times.empty() ? "" : ", ",
                     *C.Percent, double(C.Nanoseconds) / 1e6);
  printWrapped(OS, With, Times, 4);
}

static void printHints(raw_ostream &OS, const KernelProfile &K) {
  for (const HintsPrediction &H : K.Hints) {
    if (H.Loads.empty())
      continue;
    std::string Hints;
    for (const LoadHint &Load : H.Loads)
      Hints += formatv("{0}{1} on {2}", Hints.empty() ? "" : ", ",
                       Load.Hint.str(), K.Accesses[Load.Access].Id.str());
    printWrapped(OS,
                 formatv("  predicted with hints: {0:F3} ms with ",
                         double(H.Nanoseconds) / 1e6)
                     .str(),
                 Hints, 4);
  }
}

static void printCachedWarps(raw_ostream &OS, const KernelProfile &K) {
  std::string Times;
  for (const BypassPrediction &B : K.CachedWarps)
    Times += formatv("{0}{1} {2:F3} ms", Times.empty() ? "" : ", ",
                     B.CachedWarps == BypassPrediction::All
                         ? "all"
                         : std::to_string(B.CachedWarps),
                     double(B.Nanoseconds) / 1e6);
  if (!Times.empty())
    printWrapped(OS, "  predicted with so many warps of a block in the L1: ",
                 Times, 4);
}

static void printLoops(raw_ostream &OS, const KernelProfile &K) {
  if (K.Loops.empty())
    return;
  OS << "\n"
        "           iterations  lines of one iteration\n"
        "  entries   per entry          mean      most  loop\n";
  for (const LoopProfile &Loop : K.Loops)
    printWrapped(OS,
                 formatv("  {0,7}{1,12}{2,14}{3,10}  ", compact(Loop.Entries),
                         compactRatio(Loop.Iterations, Loop.Entries),
                         compactRatio(Loop.IterationLines, Loop.Iterations),
                         compact(Loop.MostIterationLines))
                     .str(),
                 Loop.Id.str(), 51);
  std::string Fewer;
  for (const BlocksPrediction &B : K.FewerBlocks)
    if (changesAnything(B, K.FewerBlocks))
      Fewer += formatv(
          "{0}M={1} {2:F3} ms", Fewer.empty() ? "" : ", ",
          B.Blocks == BlocksPrediction::All ? "all" : std::to_string(B.Blocks),
          double(B.Nanoseconds) / 1e6);
  if (!Fewer.empty()) {
    OS << "\n";
    printWrapped(OS, "  predicted with fewer blocks: ", Fewer, 4);
  }
  for (const LoopProfile &Loop : K.Loops)
    if (Loop.Staged) {
      OS << "\n";
      printWrapped(OS, "  predicted with its rows in shared memory: ",
                   formatv("{0:F3} ms, without {1:F3} ms, at loop {2}",
                           double(Loop.Staged->Nanoseconds) / 1e6,
                           double(Loop.Staged->Without) / 1e6, Loop.Id.str())
                       .str(),
                   4);
    }
  for (const LoopProfile &Loop : K.Loops) {
    if (Loop.Turns.empty())
      continue;
    std::string Times;
    for (const TurnsPrediction &T : Loop.Turns)
      Times += formatv("{0}N={1} {2:F3} ms", Times.empty() ? "" : ", ",
                       T.WarpGroups, double(T.Nanoseconds) / 1e6);
    OS << "\n";
    printWrapped(
        OS, "  predicted with turns: ", Times + " at loop " + Loop.Id.str(), 4);
    for (const TurnsPrediction &T : Loop.Turns)
      printCarveouts(
          OS, formatv("  with N={0} and a carveout of ", T.WarpGroups).str(),
          T.Carveouts);
  }
}

static uint64_t launchesOf(const KernelProfile &K) {
  uint64_t Launches = 0;
  for (const LaunchProfile &L : K.Launches)
    Launches += L.Launches;
  return Launches;
}

void sluice::printTable(raw_ostream &OS, const Profile &P,
                        const TableOptions &Options) {
  std::string Head =
      formatv("{0} on {1}", P.Source.empty() ? "?" : P.Source, P.GPU);
  if (!P.Origin.empty())
    Head += ", by " + P.Origin;
  printWrapped(OS, "", Head + ", " + count(P.Runs, "run", "runs"), 2);
  for (const KernelProfile &K : P.Kernels) {
    OS << '\n';
    printKernelHead(OS, K);
    if (K.Time.Cycles != 0)
      printWrapped(OS, "  predicted: ", describeTime(K.Time, launchesOf(K)), 2);
    printCarveouts(OS, "  predicted with a carveout of ", K.Carveouts);
    printCachedWarps(OS, K);
    printAccesses(OS, K, Options.MostAccesses);
    printPairs(OS, K, Options.MostPairs);
    printHints(OS, K);
    printLoops(OS, K);
  }
}
