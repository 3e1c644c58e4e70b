// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a profile's simulations, the X-model and the tuner's measurements say of
// the other ways to run a kernel, in one list. Measured times are of a launch;
// predicted ones of all, and become those of one here.

#include "ReportData.h"
#include "sluice/Target/MemoryModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace sluice;

namespace {

class Collector {
public:
  Collector(const XKernel &X, const KernelPlan &Plan, const KernelProfile *Of,
            ArrayRef<MeasuredTime> Measured)
      : K(X.X), Plan(Plan), Of(Of), Measured(Measured) {
    if (const uint64_t N = K.launches())
      Launches = double(N);
  }

  std::vector<Alternative> run();

private:
  /// Of a launch, where \p Nanoseconds stand for \p AsIs without the change:
  /// what was changed was simulated for some of the launches.
  std::optional<double> milliseconds(uint64_t Nanoseconds,
                                     uint64_t AsIs) const {
    if (AsIs == 0)
      return std::nullopt;
    return double(Of->Time.Nanoseconds) / 1e6 / Launches * double(Nanoseconds) /
           double(AsIs);
  }
  std::optional<double> byXModel(function_ref<void(XModel &)> Change) const {
    if (!K.IsProfiled)
      return std::nullopt;
    return predictedMilliseconds(K, Change) / Launches;
  }
  Alternative &add(Alternative::KindTy Kind, std::string What,
                   unsigned Number = 0) {
    All.emplace_back();
    All.back().Kind = Kind;
    All.back().What = std::move(What);
    All.back().Number = Number;
    return All.back();
  }
  const LoopPlan *loopAt(const CodeId &Id) const {
    for (const LoopPlan &L : Plan.Loops)
      if (L.Id.Place == Id.Place)
        return &L;
    return nullptr;
  }
  void addTurns(const LoopProfile &Loop);
  void addRows(const LoopProfile &Loop);
  void addBlocks();
  void addCarveouts();
  void addHints();
  void addMeasured();
  void takeNumber(Alternative &A) const;

  const KernelX &K;
  const KernelPlan &Plan;
  const KernelProfile *Of;
  ArrayRef<MeasuredTime> Measured;
  double Launches = 1;
  std::vector<Alternative> All;
};

} // namespace

void Collector::addTurns(const LoopProfile &Loop) {
  const LoopPlan *Planned = loopAt(Loop.Id);
  for (const TurnsPrediction &T : Loop.Turns) {
    if (T.WarpGroups == 1)
      continue;
    Alternative &A =
        add(Alternative::Turns,
            formatv("N = {0} at {1}", T.WarpGroups, Loop.Id.Place.str()),
            T.WarpGroups);
    A.Simulated = milliseconds(T.Nanoseconds, Loop.Turns.front().Nanoseconds);
    A.ByXModel = byXModel([&](XModel &M) {
      M.Threads = std::max(1.0, M.Threads / T.WarpGroups);
    });
    A.IsDecided = Planned && Planned->WarpGroups == T.WarpGroups;
  }
}

void Collector::addRows(const LoopProfile &Loop) {
  if (!Loop.Staged)
    return;
  Alternative &A =
      add(Alternative::Rows,
          formatv("rows in shared memory at {0}", Loop.Id.Place.str()));
  A.Simulated = milliseconds(Loop.Staged->Nanoseconds, Loop.Staged->Without);
  const MoveLimits Limits = limitsOf(K);
  A.ByXModel =
      byXModel([&](XModel &M) { M = withStreams(M, K.UsefulShare, Limits); });
  const LoopPlan *Planned = loopAt(Loop.Id);
  A.IsDecided = Planned && !Planned->Staged.empty();
}

void Collector::addBlocks() {
  for (const BlocksPrediction &B : Of->FewerBlocks) {
    if (B.Blocks >= K.Launch.BlocksPerSM)
      continue;
    Alternative &A =
        add(Alternative::Blocks, formatv("M = {0} blocks", B.Blocks), B.Blocks);
    A.Simulated =
        milliseconds(B.Nanoseconds, Of->FewerBlocks.back().Nanoseconds);
    A.ByXModel = byXModel([&](XModel &M) {
      M.Threads = std::min<double>(M.Threads,
                                   double(B.Blocks) * K.Launch.WarpsPerBlock);
    });
    A.IsDecided = Plan.ResidentBlocks == B.Blocks;
  }
}

void Collector::addCarveouts() {
  for (const CarveoutPrediction &C : Of->Carveouts) {
    if (!C.Percent)
      continue;
    Alternative &A = add(Alternative::Carveout,
                         formatv("carveout of {0} %", *C.Percent), *C.Percent);
    A.Simulated =
        milliseconds(C.Nanoseconds, Of->Carveouts.front().Nanoseconds);
    A.ByXModel = byXModel([&](XModel &M) {
      const double Left =
          double(K.GPU->l1Bytes(K.GPU->carveoutOfPercent(*C.Percent)));
      M.CacheBytes = std::max<double>(
          0, Left - double(memoryModel(*K.GPU).L1ReservedBytes));
    });
    A.IsDecided = Plan.CarveoutPercent == C.Percent && !Plan.ResidentBlocks;
  }
}

void Collector::addHints() {
  for (const HintsPrediction &H : Of->Hints) {
    if (H.Loads.empty())
      continue;
    std::string What = "hints:";
    for (const LoadHint &L : H.Loads)
      What += formatv(" {0} {1}", Of->Accesses[L.Access].Id.Place.str(),
                      L.Hint.str());
    add(Alternative::Hints, What).Simulated =
        milliseconds(H.Nanoseconds, Of->Hints.front().Nanoseconds);
  }
}

/// Which setting a variant of benchmarks/run or a plan of the tuner is of: what
/// has a number and no more behind the name.
void Collector::takeNumber(Alternative &A) const {
  struct Setting {
    StringRef Prefix;
    Alternative::KindTy Kind;
    std::optional<unsigned> Planned;
  };
  for (const Setting &S : std::initializer_list<Setting>{
           {"registers-", Alternative::Registers, Plan.MaxRegisters},
           {"registers=", Alternative::Registers, Plan.MaxRegisters},
           {"bypass-", Alternative::CachedWarps, Plan.CachedWarps},
           {"cached-warps=", Alternative::CachedWarps, Plan.CachedWarps},
           {"bypass-only-", Alternative::CachedWarpsAlone, std::nullopt},
           {"sfu-", Alternative::ApproximateWarps, Plan.SfuWarps}}) {
    StringRef Rest = A.What;
    if (!Rest.consume_front(S.Prefix) || Rest.getAsInteger(10, A.Number))
      continue;
    A.Kind = S.Kind;
    A.IsDecided |= S.Planned == A.Number;
  }
}

void Collector::addMeasured() {
  for (const MeasuredTime &T : Measured) {
    if (T.Kernel != K.Name)
      continue;
    // Of the same plan as one above, that one gets it.
    if (T.What == "untuned" || T.What == "clang") {
      All.front().Measured = T.Milliseconds;
      continue;
    }
    auto Same = find_if(All, [&](const Alternative &A) {
      const StringRef At = StringRef(A.What).rsplit(' ').second;
      return (A.Kind == Alternative::Turns &&
              T.What == formatv("throttle {0}={1}", At, A.Number).str()) ||
             (A.Kind == Alternative::Blocks &&
              T.What == formatv("blocks={0}", A.Number).str()) ||
             (A.Kind == Alternative::Carveout &&
              T.What == formatv("carveout={0}", A.Number).str());
    });
    if (Same != All.end())
      Same->Measured = T.Milliseconds;
    else {
      Alternative &A = add(Alternative::Other, T.What);
      A.Measured = T.Milliseconds;
      A.IsDecided = T.What == "sluice"; // the suite's variant by default
      takeNumber(A);
    }
  }
}

std::vector<Alternative> Collector::run() {
  Alternative &Now = add(Alternative::AsIs, "as it is", K.Launch.BlocksPerSM);
  if (Of) {
    Now.Simulated = milliseconds(1, 1);
    Now.ByXModel = byXModel([](XModel &) {});
    for (const LoopProfile &Loop : Of->Loops) {
      addTurns(Loop);
      addRows(Loop);
    }
    addBlocks();
    addCarveouts();
    addHints();
  }
  addMeasured();
  All.front().IsDecided = none_of(
      drop_begin(All), [](const Alternative &A) { return A.IsDecided; });
  return std::move(All);
}

std::vector<Alternative>
sluice::alternativesOf(const XKernel &X, const KernelPlan &Plan,
                       const KernelProfile *Of,
                       ArrayRef<MeasuredTime> Measured) {
  return Collector(X, Plan, Of, Measured).run();
}

//===- As a chart ---------------------------------------------------------===//

using TimeOf = std::optional<double> Alternative::*;

/// Of one kind, with what it is without, by rising number.
static std::vector<Chart::XY> seriesOf(ArrayRef<Alternative> All,
                                       Alternative::KindTy Kind, TimeOf Time,
                                       double NumberAsIs) {
  std::vector<Chart::XY> Points;
  for (const Alternative &A : All)
    if (A.Kind == Kind && A.*Time)
      Points.push_back({A.Number, *(A.*Time)});
  if (!Points.empty() && All.front().*Time)
    Points.push_back({NumberAsIs, *(All.front().*Time)});
  llvm::sort(Points);
  return Points;
}

std::optional<Chart> sluice::drawSweep(ArrayRef<Alternative> All) {
  double MostBlocks = 1, MostTurns = 1, MostTime = 0;
  for (const Alternative &A : All) {
    if (A.Kind == Alternative::Blocks)
      MostBlocks = All.front().Number;
    if (A.Kind == Alternative::Turns)
      MostTurns = std::max<double>(MostTurns, A.Number);
    if (A.Kind == Alternative::Turns || A.Kind == Alternative::Blocks ||
        A.Kind == Alternative::AsIs)
      for (TimeOf Time : {&Alternative::Simulated, &Alternative::ByXModel,
                          &Alternative::Measured})
        MostTime = std::max(MostTime, (A.*Time).value_or(0));
  }
  const double Last = std::max(MostTurns, MostBlocks);
  if (Last <= 1 || MostTime <= 0)
    return std::nullopt;
  Chart C("Times with turns (N) and with fewer blocks (M)",
          {1, Last, "N, or M", powerTicks(1, Last, 2), true},
          {0, 1.1 * MostTime, "ms of a launch", roundTicks(1.1 * MostTime, 6)});
  struct Line {
    Alternative::KindTy Kind;
    TimeOf Time;
    StringRef Class, Name;
  };
  for (const Line &L : {Line{Alternative::Turns, &Alternative::Simulated,
                             "supply", "N, by the simulator"},
                        Line{Alternative::Turns, &Alternative::ByXModel,
                             "supply thin dashed", "N, by the X-model"},
                        Line{Alternative::Blocks, &Alternative::Simulated,
                             "demand", "M, by the simulator"},
                        Line{Alternative::Blocks, &Alternative::ByXModel,
                             "demand thin dashed", "M, by the X-model"}}) {
    const auto Points = seriesOf(All, L.Kind, L.Time,
                                 L.Kind == Alternative::Turns ? 1 : MostBlocks);
    if (Points.empty())
      continue;
    C.line(Points, L.Class);
    for (const Chart::XY &At : Points)
      C.point(At, "faint", formatv("{0}: {1:F3} ms", L.Name, At.second).str());
    C.legend(L.Class, L.Name);
  }
  for (const Alternative &A : All)
    if (A.Measured && A.Number &&
        (A.Kind == Alternative::AsIs || A.Kind == Alternative::Turns ||
         A.Kind == Alternative::Blocks))
      C.point({A.Kind == Alternative::AsIs ? 1. : A.Number, *A.Measured},
              "alarm",
              formatv("{0}, measured: {1:F3} ms", A.What, *A.Measured).str());
  return C;
}

namespace {
/// One chart of measured times.
struct SweepKind {
  StringRef Key, Title, Axis;
  /// Each is a line, by its name.
  std::vector<std::pair<Alternative::KindTy, StringRef>> Lines;
};
} // namespace

/// None: there are fewer than two points.
static std::optional<Chart> drawMeasured(const SweepKind &Of,
                                         ArrayRef<Alternative> All) {
  double Last = 0, MostTime = 0;
  unsigned Count = 0;
  auto Include = [&](const Alternative &A) {
    MostTime = std::max(MostTime, A.Measured.value_or(0));
  };
  for (const Alternative &A : All)
    for (const auto &[Kind, Name] : Of.Lines)
      if (A.Kind == Kind && A.Measured) {
        Last = std::max<double>(Last, A.Number);
        ++Count;
        Include(A);
      }
  if (Count < 2 || Last <= 0)
    return std::nullopt;
  // What they are to be compared with: the variants without the setting.
  std::vector<std::pair<const Alternative *, StringRef>> Beside;
  for (const Alternative &A : All)
    if (A.Measured && (A.Kind == Alternative::AsIs || A.What == "sluice")) {
      Beside.push_back({&A, A.Kind == Alternative::AsIs
                                ? "line faint thin dashed"
                                : "line after thin dashed"});
      Include(A);
    }
  Chart C(Of.Title.str(), {0, Last, Of.Axis.str(), roundTicks(Last, 8)},
          {0, 1.1 * MostTime, "ms of a launch", roundTicks(1.1 * MostTime, 6)});
  for (const auto &[A, Class] : Beside) {
    C.across(*A->Measured, Class);
    C.legend(Class, A->What);
  }
  for (const auto &[I, Line] : enumerate(Of.Lines)) {
    std::vector<Chart::XY> Points;
    for (const Alternative &A : All)
      if (A.Kind == Line.first && A.Measured)
        Points.push_back({A.Number, *A.Measured});
    if (Points.empty())
      continue;
    llvm::sort(Points);
    const StringRef Class = I ? "demand" : "supply";
    C.line(Points, Class);
    for (const Chart::XY &At : Points)
      C.point(At, "alarm",
              formatv("{0} {1:F0}: {2:F3} ms", Line.second, At.first, At.second)
                  .str());
    C.legend(Class, Line.second);
  }
  return C;
}

std::vector<MeasuredSweep>
sluice::drawMeasuredSweeps(ArrayRef<Alternative> All) {
  static const SweepKind Kinds[] = {
      {"sweep-registers",
       "Measured times by the limit of registers",
       "registers of a thread",
       {{Alternative::Registers, "limit"}}},
      {"sweep-cached-warps",
       "Measured times by the warps that use the L1 (\xCF\x80)",
       "warps of a block",
       {{Alternative::CachedWarps, "cached warps"},
        {Alternative::CachedWarpsAlone,
         "cached warps, nothing else of Sluice"}}},
      {"sweep-approximate-warps",
       "Measured times by the warps that compute approximately (\xCE\xBB)",
       "warps of a block",
       {{Alternative::ApproximateWarps, "approximate warps"}}}};
  std::vector<MeasuredSweep> Sweeps;
  for (const SweepKind &Kind : Kinds)
    if (auto Drawn = drawMeasured(Kind, All))
      Sweeps.push_back({Kind.Key, Kind.Title, std::move(*Drawn)});
  return Sweeps;
}
