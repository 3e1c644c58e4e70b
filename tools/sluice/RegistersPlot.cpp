// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The staircase of each launch, as the thesis draws it (Figure 4.2): registers
// of a thread from left to right, warps on an SM upwards, a dot at each
// critical point with the bytes that it spills, a dashed line where the
// assembler stays by itself.

#include "Chart.h"
#include "RegistersReport.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice;

namespace {

/// One launch of a kernel.
class Staircase {
public:
  Staircase(const RegistersReport &Kernel, const LaunchReport &Launch)
      : Kernel(Kernel), Launch(Launch),
        First(Kernel.Candidates.Range.Min > 8 ? Kernel.Candidates.Range.Min - 8
                                              : 0),
        Last(std::min(Kernel.Candidates.Range.Max + 16,
                      Kernel.GPU->MaxRegistersPerThread)) {}

  Chart draw() const {
    Chart C(formatv("{0}, blocks of {1} threads, {2}", Kernel.DisplayName,
                    Launch.Shape.Threads, Kernel.GPU->Name),
            registers(), warps());
    drawStairs(C);
    C.upright(Kernel.Candidates.Chosen.Registers, "line faint thin dashed");
    for (const LimitRow &Row : Launch.Rows)
      if (Row.At.Limit)
        drawPoint(C, Row);
    return C;
  }

private:
  ChartAxis registers() const {
    ChartAxis Axis{double(First), double(Last), "registers of a thread", {}};
    for (unsigned R = unsigned(alignTo(First, 16)); R <= Last; R += 16)
      Axis.Ticks.push_back({R, std::to_string(R)});
    return Axis;
  }
  ChartAxis warps() const {
    const unsigned Most = Kernel.GPU->MaxWarps;
    ChartAxis Axis{0, double(Most), "warps on an SM", {}};
    for (unsigned Warps = 0; Warps <= Most; Warps += Most / 4)
      Axis.Ticks.push_back({Warps, std::to_string(Warps)});
    return Axis;
  }
  unsigned warpsAt(unsigned Registers) const {
    BlockResources Block = Launch.Shape.block(Kernel.Candidates.Chosen);
    Block.RegistersPerThread = Registers;
    return blocksPerSM(*Kernel.GPU, Block, Launch.Shape.GridBlocks,
                       Kernel.SMs) *
           unsigned(divideCeil(Launch.Shape.Threads, Kernel.GPU->WarpSize));
  }
  void drawStairs(Chart &C) const {
    std::vector<Chart::XY> Points;
    for (unsigned Begin = First; Begin <= Last;) {
      unsigned End = Begin;
      while (End < Last && warpsAt(End + 1) == warpsAt(Begin))
        ++End;
      const double Warps = warpsAt(Begin);
      Points.push_back({Begin == First ? Begin : Begin - 0.5, Warps});
      Points.push_back({End == Last ? End : End + 0.5, Warps});
      Begin = End + 1;
    }
    C.line(Points, "");
  }
  void drawPoint(Chart &C, const LimitRow &Row) const {
    std::string Label = std::to_string(Row.At.Limit);
    if (Row.At.Code.spilledBytes())
      Label += formatv(" ({0} B)", Row.At.Code.spilledBytes()).str();
    const Chart::XY At = {Row.At.Limit, warpsAt(Row.At.Limit)};
    C.point(At, Row.IsCritical ? "alarm" : "faint", Label);
    C.text(At, 0, -8, "middle", "", Label);
  }

  const RegistersReport &Kernel;
  const LaunchReport &Launch;
  const unsigned First, Last; ///< Registers at the ends of the axis.
};

} // namespace

void sluice::plotReports(raw_ostream &OS, ArrayRef<RegistersReport> Kernels) {
  std::vector<Chart> Charts;
  for (const RegistersReport &K : Kernels)
    for (const LaunchReport &Launch : K.Launches)
      Charts.push_back(Staircase(K, Launch).draw());
  writeSVG(OS, Charts);
}
