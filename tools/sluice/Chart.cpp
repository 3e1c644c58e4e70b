// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chart.h"
#include "EmbeddedFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace sluice;

/// Room for numbers and titles around the plot.
static constexpr unsigned Left = 64, Right = 60, Top = 36, Bottom = 50;
static constexpr unsigned LegendHeight = 18;

static std::string escaped(const Twine &Text) {
  std::string Result;
  raw_string_ostream OS(Result);
  printHTMLEscaped(Text.str(), OS);
  return Result;
}

std::string sluice::shortNumber(double Value) {
  const double Size = std::abs(Value);
  if (Size >= 1e6)
    return formatv("{0:F1}M", Value / 1e6);
  if (Size >= 1e4)
    return formatv("{0:F0}k", Value / 1e3);
  if (Size >= 100 || Size == std::floor(Size))
    return formatv("{0:F0}", Value);
  if (Size >= 10)
    return formatv("{0:F1}", Value);
  if (Size >= 0.1)
    return formatv("{0:F2}", Value);
  return formatv("{0:F4}", Value);
}

std::vector<std::pair<double, std::string>> sluice::roundTicks(double Last,
                                                               unsigned Count) {
  std::vector<std::pair<double, std::string>> Ticks;
  if (!(Last > 0) || Count == 0)
    return Ticks;
  const double Rough = Last / Count,
               Power = std::pow(10, std::floor(std::log10(Rough)));
  double Step = 10 * Power;
  for (double Try : {1., 2., 5.})
    if (Try * Power >= Rough) {
      Step = Try * Power;
      break;
    }
  for (unsigned I = 0; I * Step <= Last * 1.0001; ++I)
    Ticks.push_back({I * Step, shortNumber(I * Step)});
  return Ticks;
}

std::vector<std::pair<double, std::string>>
sluice::powerTicks(double First, double Last, unsigned Base) {
  std::vector<std::pair<double, std::string>> Ticks;
  int I = int(std::ceil(std::log(First) / std::log(Base) - 1e-9));
  for (double At = std::pow(Base, I); At <= Last * 1.0001; At *= Base)
    Ticks.push_back({At, shortNumber(At)});
  return Ticks;
}

//===- The frame ----------------------------------------------------------===//

Chart::Chart(std::string Title, ChartAxis X, ChartAxis Y, unsigned Height)
    : Title(std::move(Title)), X(std::move(X)), Y(std::move(Y)),
      PlotHeight(Height) {
  drawAxes();
}

static double share(const ChartAxis &Axis, double Value) {
  Value = std::clamp(Value, Axis.First, Axis.Last);
  if (Axis.Last <= Axis.First)
    return 0;
  if (Axis.IsLogarithmic)
    return std::log(Value / Axis.First) / std::log(Axis.Last / Axis.First);
  return (Value - Axis.First) / (Axis.Last - Axis.First);
}

double Chart::x(double Value) const {
  return Left + share(X, Value) * (Width - Left - Right);
}

double Chart::y(double Value) const {
  return PlotHeight - Bottom - share(Y, Value) * (PlotHeight - Top - Bottom);
}

unsigned Chart::height() const { return PlotHeight + Legends * LegendHeight; }

void Chart::drawAxes() {
  Body += formatv("<text class=\"title\" x=\"{0}\" y=\"20\">{1}</text>\n", Left,
                  escaped(Title));
  for (const auto &[At, Name] : Y.Ticks) {
    across(At, "grid");
    Body += formatv("<text x=\"{0}\" y=\"{1:F1}\" text-anchor=\"end\">{2}"
                    "</text>\n",
                    Left - 6, y(At) + 4, escaped(Name));
  }
  for (const auto &[At, Name] : X.Ticks)
    Body += formatv("<text x=\"{0:F1}\" y=\"{1}\" text-anchor=\"middle\">{2}"
                    "</text>\n",
                    x(At), PlotHeight - Bottom + 18, escaped(Name));
  Body +=
      formatv("<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">{2}"
              "</text>\n",
              (Left + Width - Right) / 2, PlotHeight - 12, escaped(X.Title));
  Body += formatv("<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" "
                  "transform=\"rotate(-90 16 {0})\">{1}</text>\n",
                  (Top + PlotHeight - Bottom) / 2, escaped(Y.Title));
}

void Chart::rightAxis(const ChartAxis &Axis) {
  for (const auto &[At, Name] : Axis.Ticks)
    Body += formatv("<text class=\"faint\" x=\"{0}\" y=\"{1:F1}\">{2}</text>\n",
                    Width - Right + 6,
                    PlotHeight - Bottom -
                        share(Axis, At) * (PlotHeight - Top - Bottom) + 4,
                    escaped(Name));
  Body +=
      formatv("<text class=\"faint\" x=\"{1}\" y=\"{0}\" "
              "text-anchor=\"middle\" "
              "transform=\"rotate(90 {1} {0})\">{2}</text>\n",
              (Top + PlotHeight - Bottom) / 2, Width - 12, escaped(Axis.Title));
}

//===- What is in it ------------------------------------------------------===//

void Chart::line(ArrayRef<XY> Points, StringRef Class) {
  Body += formatv("<polyline class=\"line {0}\" points=\"", Class);
  for (const auto &[AtX, AtY] : Points)
    Body += formatv("{0:F1},{1:F1} ", x(AtX), y(AtY));
  Body += "\"/>\n";
}

void Chart::across(double At, StringRef Class) {
  Body += formatv("<line class=\"{0}\" x1=\"{1}\" y1=\"{2:F1}\" x2=\"{3}\" "
                  "y2=\"{2:F1}\"/>\n",
                  Class, Left, y(At), Width - Right);
}

void Chart::upright(double At, StringRef Class) {
  Body += formatv("<line class=\"{0}\" x1=\"{1:F1}\" y1=\"{2}\" x2=\"{1:F1}\" "
                  "y2=\"{3}\"/>\n",
                  Class, x(At), Top - 8, PlotHeight - Bottom);
}

void Chart::bar(double FromX, double ToX, double At, const Twine &Tip) {
  Body += formatv("<rect class=\"bar\" x=\"{0:F1}\" y=\"{1:F1}\" "
                  "width=\"{2:F1}\" height=\"{3:F1}\"><title>{4}</title>"
                  "</rect>\n",
                  x(FromX), y(At), std::max(1.0, x(ToX) - x(FromX) - 1),
                  PlotHeight - Bottom - y(At), escaped(Tip));
}

void Chart::point(XY At, StringRef Class, const Twine &Tip) {
  Body += formatv("<circle class=\"{0}\" cx=\"{1:F1}\" cy=\"{2:F1}\" r=\"4\">",
                  Class, x(At.first), y(At.second));
  const std::string Text = escaped(Tip);
  if (!Text.empty())
    Body += "<title>" + Text + "</title>";
  Body += "</circle>\n";
}

void Chart::arrow(XY From, XY To) {
  const double X1 = x(From.first), Y1 = y(From.second), X2 = x(To.first),
               Y2 = y(To.second), Length = std::hypot(X2 - X1, Y2 - Y1);
  if (Length < 8)
    return;
  const double DX = (X2 - X1) / Length, DY = (Y2 - Y1) / Length;
  // It ends at the edge of the point that it leads to.
  const double TipX = X2 - 5 * DX, TipY = Y2 - 5 * DY;
  Body += formatv("<line class=\"line after\" x1=\"{0:F1}\" y1=\"{1:F1}\" "
                  "x2=\"{2:F1}\" y2=\"{3:F1}\"/>\n",
                  X1, Y1, TipX, TipY);
  Body += formatv("<polygon class=\"head\" points=\"{0:F1},{1:F1} "
                  "{2:F1},{3:F1} {4:F1},{5:F1}\"/>\n",
                  TipX, TipY, TipX - 8 * DX + 4 * DY, TipY - 8 * DY - 4 * DX,
                  TipX - 8 * DX - 4 * DY, TipY - 8 * DY + 4 * DX);
}

void Chart::text(XY At, int Right, int Down, StringRef Anchor, StringRef Class,
                 const Twine &Text) {
  Body += formatv("<text class=\"{0}\" x=\"{1:F1}\" y=\"{2:F1}\" "
                  "text-anchor=\"{3}\">{4}</text>\n",
                  Class, x(At.first) + Right, y(At.second) + Down, Anchor,
                  escaped(Text));
}

void Chart::legend(StringRef Class, const Twine &Text) {
  const unsigned At = PlotHeight + Legends * LegendHeight;
  ++Legends;
  Body += formatv("<line class=\"line {0}\" x1=\"{1}\" y1=\"{2}\" x2=\"{3}\" "
                  "y2=\"{2}\"/>\n<text x=\"{4}\" y=\"{5}\">{6}</text>\n",
                  Class, Left, At, Left + 28, Left + 36, At + 4, escaped(Text));
}

//===- Documents ----------------------------------------------------------===//

std::string Chart::inlined(StringRef Described) const {
  return formatv("<svg class=\"chart\" role=\"img\" aria-label=\"{0}\" "
                 "viewBox=\"0 0 {1} {2}\" preserveAspectRatio=\"xMinYMin\">\n",
                 escaped(Described), Width, height())
             .str() +
         Body + "</svg>\n";
}

void sluice::writeSVG(raw_ostream &OS, ArrayRef<Chart> Charts) {
  unsigned Height = 0;
  for (const Chart &C : Charts)
    Height += C.height() + 8;
  OS << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" "
                "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
                "<style>\n{2}</style>\n<rect class=\"ground\" width=\"100%\" "
                "height=\"100%\"/>\n",
                Chart::Width, Height, embeddedFile("chart.css"));
  unsigned Y = 0;
  for (const Chart &C : Charts) {
    OS << formatv("<g transform=\"translate(0 {0})\">\n", Y) << C.elements()
       << "</g>\n";
    Y += C.height() + 8;
  }
  OS << "</svg>\n";
}
