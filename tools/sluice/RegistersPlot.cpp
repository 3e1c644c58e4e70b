// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The staircase of each launch, as the thesis draws it (Figure 4.2): registers
// of a thread from left to right, warps on an SM upwards, a dot at each
// critical point with the bytes that it spills, a dashed line where the
// assembler stays by itself. SVG is text, so that no library is needed.

#include "RegistersReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice;

namespace {

/// One panel, in pixels. The numbers' room is at the left and below.
class Panel {
public:
  static constexpr unsigned Width = 720, Height = 300;
  static constexpr unsigned Left = 60, Right = 20, Top = 40, Bottom = 50;

  Panel(raw_ostream &OS, const RegistersReport &Kernel,
        const LaunchReport &Launch)
      : OS(OS), Kernel(Kernel), Launch(Launch),
        First(Kernel.Candidates.Range.Min > 8 ? Kernel.Candidates.Range.Min - 8
                                              : 0),
        Last(std::min(Kernel.Candidates.Range.Max + 16,
                      Kernel.GPU->MaxRegistersPerThread)) {}

  void draw() {
    OS << formatv("<text x=\"{0}\" y=\"20\" font-weight=\"bold\">", Left);
    printHTMLEscaped(Kernel.DisplayName, OS);
    OS << formatv(", blocks of {0} threads, {1}</text>\n", Launch.Shape.Threads,
                  Kernel.GPU->Name);
    drawAxes();
    drawStairs();
    drawChoice();
    for (const LimitRow &Row : Launch.Rows)
      if (Row.Limit)
        drawPoint(Row);
  }

private:
  unsigned x(double Registers) const {
    return unsigned(Left + (Registers - First) / (Last - First) *
                               (Width - Left - Right));
  }
  unsigned y(double Warps) const {
    return unsigned(Height - Bottom -
                    Warps / Kernel.GPU->MaxWarps * (Height - Top - Bottom));
  }
  unsigned warpsAt(unsigned Registers) const {
    BlockResources Block = Launch.Shape.block(Kernel.Candidates.Chosen);
    Block.RegistersPerThread = Registers;
    return blocksPerSM(*Kernel.GPU, Block, Launch.Shape.GridBlocks,
                       Kernel.SMs) *
           unsigned(divideCeil(Launch.Shape.Threads, Kernel.GPU->WarpSize));
  }
  void line(unsigned X1, unsigned Y1, unsigned X2, unsigned Y2, StringRef Color,
            StringRef More = "") {
    OS << formatv("<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{3}\" "
                  "stroke=\"{4}\" {5}/>\n",
                  X1, Y1, X2, Y2, Color, More);
  }
  void text(unsigned X, unsigned Y, StringRef Anchor, const Twine &Text) {
    OS << formatv("<text x=\"{0}\" y=\"{1}\" text-anchor=\"{2}\">{3}</text>\n",
                  X, Y, Anchor, Text.str());
  }

  void drawAxes() {
    for (unsigned Warps = 0; Warps <= Kernel.GPU->MaxWarps;
         Warps += Kernel.GPU->MaxWarps / 4) {
      line(Left, y(Warps), Width - Right, y(Warps), "#dddddd");
      text(Left - 6, y(Warps) + 4, "end", Twine(Warps));
    }
    for (unsigned R = unsigned(alignTo(First, 16)); R <= Last; R += 16)
      text(x(R), Height - Bottom + 18, "middle", Twine(R));
    text((Left + Width) / 2, Height - 12, "middle", "registers of a thread");
    OS << formatv("<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" "
                  "transform=\"rotate(-90 16 {0})\">warps on an SM</text>\n",
                  Height / 2);
  }
  void drawStairs() {
    OS << "<polyline fill=\"none\" stroke=\"black\" points=\"";
    for (unsigned Begin = First; Begin <= Last;) {
      unsigned End = Begin;
      while (End < Last && warpsAt(End + 1) == warpsAt(Begin))
        ++End;
      OS << formatv("{0},{2} {1},{2} ", x(Begin == First ? Begin : Begin - 0.5),
                    x(End == Last ? End : End + 0.5), y(warpsAt(Begin)));
      Begin = End + 1;
    }
    OS << "\"/>\n";
  }
  void drawChoice() {
    unsigned At = x(Kernel.Candidates.Chosen.Registers);
    line(At, Top - 8, At, Height - Bottom, "#888888",
         "stroke-dasharray=\"4\" ");
  }
  void drawPoint(const LimitRow &Row) {
    unsigned X = x(Row.Limit), Y = y(warpsAt(Row.Limit));
    OS << formatv("<circle cx=\"{0}\" cy=\"{1}\" r=\"4\" fill=\"{2}\"/>\n", X,
                  Y, Row.IsCritical ? "#c00000" : "#888888");
    std::string Label = std::to_string(Row.Limit);
    if (Row.Code.spilledBytes())
      Label += formatv(" ({0} B)", Row.Code.spilledBytes()).str();
    text(X, Y - 8, "middle", Label);
  }

  raw_ostream &OS;
  const RegistersReport &Kernel;
  const LaunchReport &Launch;
  const unsigned First, Last; ///< Registers at the ends of the axis.
};

} // namespace

void sluice::plotReports(raw_ostream &OS, ArrayRef<RegistersReport> Kernels) {
  size_t Panels = 0;
  for (const RegistersReport &K : Kernels)
    Panels += K.Launches.size();
  OS << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                Panel::Width, Panel::Height * Panels);
  unsigned Y = 0;
  for (const RegistersReport &K : Kernels)
    for (const LaunchReport &Launch : K.Launches) {
      OS << formatv("<g transform=\"translate(0 {0})\">\n", Y);
      Panel(OS, K, Launch).draw();
      OS << "</g>\n";
      Y += Panel::Height;
    }
  OS << "</svg>\n";
}
