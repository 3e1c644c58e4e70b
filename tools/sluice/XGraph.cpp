// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An X-graph as the thesis draws it (Figures 3.9 and 3.12 to 3.17): from left
// to right the warps in the MS, upwards its throughput; the CS has the others,
// so that its curve falls from the left.

#include "XKernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

static constexpr unsigned Samples = 240;
/// More would hide the curves.
static constexpr unsigned MostMoves = 3;

namespace {

class Graph {
public:
  explicit Graph(const XKernel &K) : K(K), M(K.X.Model) {
    for (const Move &Planned : K.Planned)
      if (Moves.size() < MostMoves)
        Moves.push_back(&Planned);
    LastK = M.Threads;
    for (const Move *Drawn : Moves)
      LastK = std::max(LastK, Drawn->After.Threads);
    LastBytes = 1.15 * highest();
  }

  Chart draw() const {
    Chart C(K.DisplayName, threads(), supply());
    C.rightAxis(computation());
    if (M.hasCache() || M.CacheSupply > 0) {
      C.line(supplyOf(withoutCache(M)), "faint thin dashed");
    }
    if (!M.HitCurve.empty())
      C.line(supplyOf(byEquation()), "supply thin dashed");
    for (const Move *Drawn : Moves)
      drawMove(C, *Drawn);
    C.line(supplyOf(M), "supply");
    C.line(demandOf(M), "demand");
    markPlaces(C);
    for (auto [I, Drawn] : enumerate(Moves)) {
      const Chart::XY To = {Drawn->At.K, Drawn->At.Bytes};
      C.arrow({K.Settled.K, K.Settled.Bytes}, To);
      C.point(To, "after", Drawn->What);
      C.text(To, -8, -6, "end", "after", Twine(I + 1));
    }
    for (const Intersection &At : K.At)
      C.point({At.K, At.Bytes}, At.IsStable ? "" : "hollow",
              At.IsStable ? "stable" : "not stable: any change leads away");
    C.text({K.Settled.K, K.Settled.Bytes}, -10, 14, "end", "", "now");
    addLegend(C);
    return C;
  }

private:
  double highest() const {
    double Most = csTransition(M).Bytes;
    const double Supplied = mostOf(M);
    // A demand that nothing can meet would press the rest to the ground.
    Most = std::min(Most, 2 * Supplied);
    for (const Move *Drawn : Moves)
      Most = std::max(Most, Drawn->At.Bytes);
    return std::max(Most, Supplied);
  }
  double mostOf(const XModel &Of) const {
    double Most = 0;
    for (unsigned I = 1; I <= Samples; ++I)
      Most = std::max(Most, Of.supply(Of.Threads * I / Samples));
    return Most;
  }

  /// With alpha and beta in place of the curve of hits.
  XModel byEquation() const {
    XModel Fitted = M;
    Fitted.HitCurve.clear();
    return Fitted;
  }

  ChartAxis threads() const {
    ChartAxis Axis{0, LastK,
                   "warps that wait for memory (k); the others compute",
                   roundTicks(LastK, 8)};
    return Axis;
  }
  ChartAxis supply() const {
    ChartAxis Axis{0, LastBytes, "GB/s that loads ask of the L1", {}};
    for (const auto &[At, Name] :
         roundTicks(K.X.gigabytesPerSecond(LastBytes), 6))
      Axis.Ticks.push_back({At / K.X.gigabytesPerSecond(1), Name});
    return Axis;
  }
  ChartAxis computation() const {
    const double Last = LastBytes * M.Intensity;
    return {0, Last, "instructions a cycle of an SM", roundTicks(Last, 6)};
  }

  std::vector<Chart::XY> supplyOf(const XModel &Of) const {
    std::vector<Chart::XY> Points;
    for (unsigned I = 0; I <= Samples; ++I)
      Points.push_back({LastK * I / Samples, Of.supply(LastK * I / Samples)});
    return Points;
  }
  /// What the CS demands of the MS while it has n - k threads.
  std::vector<Chart::XY> demandOf(const XModel &Of) const {
    const double Bend = Of.Threads - csTransition(Of).Threads;
    std::vector<Chart::XY> Points = {{0, Of.demand(Of.Threads)}};
    if (Bend > 0)
      Points.push_back({Bend, Of.demand(Of.Threads - Bend)});
    Points.push_back({Of.Threads, 0});
    // Above the chart's end it would be drawn as a bend.
    if (Points.front().second <= LastBytes)
      return Points;
    const double Slope = Of.Parallelism / Of.LaneCycles / Of.Intensity;
    return {{Of.Threads - LastBytes / Slope, LastBytes}, {Of.Threads, 0}};
  }

  void drawMove(Chart &C, const Move &Drawn) const {
    const XModel &After = Drawn.After;
    const bool SameDemand = After.Threads == M.Threads &&
                            After.Intensity == M.Intensity &&
                            After.Parallelism == M.Parallelism;
    if (!SameDemand)
      C.line(demandOf(After), "after thin dashed");
    const bool SameSupply = After.CacheBytes == M.CacheBytes &&
                            After.CacheSupply == M.CacheSupply &&
                            After.RequestBytes == M.RequestBytes &&
                            After.CachedThreads == M.CachedThreads;
    if (!SameSupply)
      C.line(supplyOf(After), "after thin dashed");
  }

  void mark(Chart &C, const XPoint &At, StringRef Class, StringRef Name) const {
    if (At.Threads < 0 || At.Threads > LastK || At.Bytes > LastBytes)
      return;
    C.point({At.Threads, At.Bytes}, "faint", Name);
    C.text({At.Threads, At.Bytes}, 6, -6, "start", Class, Name);
  }
  void markPlaces(Chart &C) const {
    const XPoint Pi = csTransition(M);
    mark(C, {M.Threads - Pi.Threads, Pi.Bytes}, "demand", "\xCF\x80");
    mark(C, msTransition(M), "supply", "\xCE\xB4");
    if (auto Peak = cachePeak(M))
      mark(C, *Peak, "supply", "\xCF\x88");
  }

  void addLegend(Chart &C) const {
    C.legend("supply", "what memory supplies, f(k)");
    if (!M.HitCurve.empty())
      C.legend("supply thin dashed",
               "the same by Eq. 3.5, with alpha and beta");
    C.legend("demand", "what computation demands, g(x) / Z");
    if (M.hasCache() || M.CacheSupply > 0)
      C.legend("faint thin dashed", "memory without the L1");
    for (auto [I, Drawn] : enumerate(Moves))
      C.legend("after thin dashed",
               formatv("{0}, decided: {1}, alone {2:F2} times as fast", I + 1,
                       Drawn->What, Drawn->SpeedUp)
                   .str());
  }

  const XKernel &K;
  const XModel &M;
  std::vector<const Move *> Moves;
  double LastK = 0, LastBytes = 0; ///< At the axes' ends.
};

} // namespace

Chart sluice::drawXGraph(const XKernel &K) { return Graph(K).draw(); }

std::string sluice::describeXGraph(const XKernel &K) {
  std::string Text = formatv(
      "X-graph of {0}: of {1:F0} warps {2:F1} wait for memory and {3:F1} "
      "compute, at {4:F0} GB/s; bound by {5}.",
      K.DisplayName, K.X.Model.Threads, K.Settled.K, K.Settled.X,
      K.X.gigabytesPerSecond(K.Settled.Bytes),
      nameOfBound(boundAt(K.X.Model, K.Settled)));
  for (const Move &M : K.Planned)
    Text += formatv(" Decided: {0}, {1:F2} times as fast.", M.What, M.SpeedUp);
  return Text;
}
