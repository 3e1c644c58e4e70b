// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rank says in which order to measure and no more: the thesis has no order,
// since it measures every critical point, and no static model of it is shown to
// be right. First comes what spills no more than the assembler's own choice, by
// warps; then the others, by bytes spilled.

#include "RegistersReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include <set>
#include <tuple>

using namespace llvm;
using namespace sluice;

static LimitRow rowOf(const RegistersReport &Kernel, const LaunchShape &Shape,
                      const LimitedCode &Limited) {
  LimitRow Row;
  Row.At = atLaunch(*Kernel.GPU, Kernel.SMs, Shape, Limited);
  Row.BlocksPerSM = blocksPerSM(*Kernel.GPU, Shape.block(Limited.Code),
                                Shape.GridBlocks, Kernel.SMs);
  Row.WarpsPerSM = Row.BlocksPerSM *
                   unsigned(divideCeil(Shape.Threads, Kernel.GPU->WarpSize));
  return Row;
}

static void rankRows(MutableArrayRef<LimitRow> Rows) {
  const uint64_t Own = Rows.front().At.Code.spilledBytes();
  auto KeyOf = [&](const LimitRow &R) {
    uint64_t Spilled =
        R.At.Code.spilledBytes() > Own ? R.At.Code.spilledBytes() : 0;
    return std::make_tuple(Spilled, -int(R.WarpsPerSM), -int(R.At.Limit));
  };
  std::vector<LimitRow *> Order;
  for (LimitRow &R : Rows)
    Order.push_back(&R);
  llvm::sort(Order, [&](const LimitRow *A, const LimitRow *B) {
    return KeyOf(*A) < KeyOf(*B);
  });
  for (auto [Index, Row] : enumerate(Order))
    Row->Rank = unsigned(Index) + 1;
}

/// What CRAT makes of it, and the numbers that it looks at.
static void addCrat(const RegistersReport &Kernel, LaunchReport &Launch) {
  Launch.Crat =
      decideByCrat(*Kernel.GPU, Kernel.SMs, Launch.Shape, Kernel.Candidates,
                   Kernel.Program, CratMeasure::Tpsc, Kernel.EnoughBlocks);
  for (LimitRow &R : Launch.Rows) {
    const DesignPoint Point = designPoint(R.At, R.BlocksPerSM);
    R.Tpsc = tpsc(*Kernel.GPU, Launch.Shape.Threads, Point);
    R.WholeTpsc = wholeTpsc(*Kernel.GPU, Launch.Shape.Threads,
                            ownCost(Kernel.Program), Point);
    if (Launch.Crat.TimedTLP)
      R.CyclesPerBlock =
          pointCycles(*Kernel.GPU, Launch.Shape.Threads, Kernel.Program, Point);
    R.IsCrats = Launch.Crat.Point && Launch.Crat.Point->Registers == R.At.Limit;
  }
}

LaunchReport sluice::reportLaunch(const RegistersReport &Kernel,
                                  const LaunchShape &Shape, std::string From,
                                  ArrayRef<unsigned> Also) {
  const RegisterCandidates &Found = Kernel.Candidates;
  std::set<unsigned> Critical;
  for (const CriticalPoint &P :
       criticalPoints(*Kernel.GPU, Shape.block(Found.Chosen), Found.Range,
                      Shape.GridBlocks, Kernel.SMs))
    Critical.insert(P.Registers);
  LaunchReport Result{Shape, std::move(From), {}, {}};
  Result.Rows.push_back(rowOf(Kernel, Shape, {0, Found.Chosen}));
  for (const LimitedCode &L : Found.Limits) {
    if (!Critical.count(L.Limit) && !is_contained(Also, L.Limit))
      continue;
    Result.Rows.push_back(rowOf(Kernel, Shape, L));
    Result.Rows.back().IsCritical = Critical.count(L.Limit);
  }
  rankRows(Result.Rows);
  addCrat(Kernel, Result);
  return Result;
}

//===- For people ---------------------------------------------------------===//

static unsigned percentOf(const RegistersReport &Kernel, const LimitRow &Row) {
  return (100 * Row.WarpsPerSM + Kernel.GPU->MaxWarps / 2) /
         Kernel.GPU->MaxWarps;
}

static void printLaunch(raw_ostream &OS, const RegistersReport &Kernel,
                        const LaunchReport &Launch) {
  OS << "  blocks of " << Launch.Shape.Threads << " threads " << Launch.From
     << "\n"
     << "    limit  takes  spill stores  loads  blocks  warps  occupancy  "
        "rank    TPSC  cycles  whole  left  shared\n";
  for (const LimitRow &R : Launch.Rows) {
    std::string Limit = R.At.Limit ? std::to_string(R.At.Limit) : "none";
    OS << format("%9s%7u%14llu%7llu%8u%7u%10u%%%6u%8.0f%8.0f%7.0f",
                 Limit.c_str(), R.At.Code.Registers,
                 (unsigned long long)R.At.Code.SpillStoreBytes,
                 (unsigned long long)R.At.Code.SpillLoadBytes, R.BlocksPerSM,
                 R.WarpsPerSM, percentOf(Kernel, R), R.Rank, R.Tpsc,
                 R.CyclesPerBlock, R.WholeTpsc);
    if (R.At.Shared)
      OS << format("%6llu%8llu",
                   (unsigned long long)R.At.Shared->spilledBytes(),
                   (unsigned long long)(R.At.Shared->StaticSharedBytes -
                                        R.At.Code.StaticSharedBytes));
    OS << (R.IsCrats ? "  CRAT's" : "")
       << (R.At.Limit && !R.IsCritical ? "  not critical" : "") << "\n";
  }
  if (Launch.Crat.TimedTLP)
    OS << "    enough: " << Launch.Crat.TimedTLP
       << " blocks by the static model's time, " << Launch.Crat.GreedyTLP
       << " by the greedy scheduler's first block\n";
  const unsigned All = Launch.Rows.front().BlocksPerSM;
  if (Kernel.EnoughBlocks)
    OS << "    enough" << (*Kernel.EnoughBlocks < All ? ", and taken: " : ": ")
       << std::min(*Kernel.EnoughBlocks, All) << " of " << All << " blocks; "
       << Kernel.EnoughWhy << "\n";
}

static void printKernel(raw_ostream &OS, const RegistersReport &Kernel) {
  const RegisterCandidates &Found = Kernel.Candidates;
  OS << Kernel.DisplayName << " on " << Kernel.GPU->Name << ": a thread takes "
     << Found.Range.Min << " to " << Found.Range.Max << " registers, "
     << Found.Chosen.Registers << " as the assembler chooses\n";
  if (Found.Own.boundRegisters())
    OS << "  its source limits them; registers=N leaves it alone, a plan that "
          "names it does not\n";
  for (const LaunchReport &Launch : Kernel.Launches)
    printLaunch(OS, Kernel, Launch);
}

void sluice::printReports(raw_ostream &OS, ArrayRef<RegistersReport> Kernels) {
  for (const RegistersReport &Kernel : Kernels) {
    printKernel(OS, Kernel);
    OS << "\n";
  }
  OS << R"(Limits are critical points: the last of each step of occupancy. Spills are bytes of a thread.
Rank: the order in which to measure; sluice tune does. TPSC: CRAT's measure, the less the better.
Cycles: of an SM, for a block, by a static model that knows no cache. Whole: TPSC with the kernel's own
instructions. CRAT's: what registers=crat takes.
Left: bytes that still go to local memory where as many of a block's shared memory as
the next column says serve the others, and no block is lost by that.
)";
}

//===- For programs -------------------------------------------------------===//

static void writeRow(json::OStream &J, const LimitRow &R) {
  J.object([&] {
    J.attribute("limit",
                R.At.Limit ? json::Value(R.At.Limit) : json::Value(nullptr));
    J.attribute("critical", R.IsCritical);
    J.attribute("registers", R.At.Code.Registers);
    J.attribute("spill-store-bytes", R.At.Code.SpillStoreBytes);
    J.attribute("spill-load-bytes", R.At.Code.SpillLoadBytes);
    if (R.At.Shared) {
      J.attribute("local-bytes-left", R.At.Shared->spilledBytes());
      J.attribute("shared-bytes",
                  R.At.Shared->StaticSharedBytes - R.At.Code.StaticSharedBytes);
      if (R.At.SharedAccesses)
        J.attribute("shared-accesses", *R.At.SharedAccesses);
    }
    J.attribute("blocks", R.BlocksPerSM);
    J.attribute("warps", R.WarpsPerSM);
    J.attribute("rank", R.Rank);
    J.attribute("tpsc", R.Tpsc);
    J.attribute("whole-tpsc", R.WholeTpsc);
    J.attribute("cycles-per-block", R.CyclesPerBlock);
    J.attribute("crat", R.IsCrats);
  });
}

static void writeLaunch(json::OStream &J, const LaunchReport &Launch,
                        std::optional<unsigned> Enough) {
  J.object([&] {
    J.attribute("threads", Launch.Shape.Threads);
    J.attribute("dynamic-shared-bytes", Launch.Shape.DynamicSharedBytes);
    if (Launch.Shape.GridBlocks)
      J.attribute("grid-blocks", *Launch.Shape.GridBlocks);
    J.attribute("from", json::fixUTF8(Launch.From));
    J.attribute("greedy-blocks", Launch.Crat.GreedyTLP);
    J.attribute("timed-blocks", Launch.Crat.TimedTLP);
    if (Enough)
      J.attribute("enough-blocks",
                  std::min(*Enough, Launch.Rows.front().BlocksPerSM));
    J.attributeArray("limits", [&] {
      for (const LimitRow &R : Launch.Rows)
        writeRow(J, R);
    });
  });
}

void sluice::printReportsJSON(raw_ostream &OS,
                              ArrayRef<RegistersReport> Kernels) {
  json::OStream J(OS, 2);
  J.array([&] {
    for (const RegistersReport &K : Kernels)
      J.object([&] {
        J.attribute("kernel", json::fixUTF8(K.Name));
        J.attribute("display", json::fixUTF8(K.DisplayName));
        J.attribute("gpu", K.GPU->Name);
        J.attribute("least", K.Candidates.Range.Min);
        J.attribute("most", K.Candidates.Range.Max);
        J.attribute("chosen", K.Candidates.Chosen.Registers);
        J.attribute("static-shared-bytes",
                    K.Candidates.Chosen.StaticSharedBytes);
        J.attribute("limited-by-source", K.Candidates.Own.boundRegisters());
        J.attributeArray("launches", [&] {
          for (const LaunchReport &Launch : K.Launches)
            writeLaunch(J, Launch, K.EnoughBlocks);
        });
      });
  });
  OS << '\n';
}
