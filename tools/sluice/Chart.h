// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The one place where Sluice draws: charts as SVG, which is text, so that no
/// library is needed and a browser scales it. Their colours are in
/// report/chart.css, by the names that are given here as classes.

#ifndef SLUICE_TOOLS_SLUICE_CHART_H
#define SLUICE_TOOLS_SLUICE_CHART_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <utility>
#include <vector>

namespace sluice {

struct ChartAxis {
  double First = 0, Last = 1; ///< At its ends.
  std::string Title;
  /// Places with a number beside them.
  std::vector<std::pair<double, std::string>> Ticks;
  bool IsLogarithmic = false;
};

/// About \p Count round numbers from 0 to \p Last, and what they are called.
std::vector<std::pair<double, std::string>> roundTicks(double Last,
                                                       unsigned Count);
/// The powers of two, or of ten, between.
std::vector<std::pair<double, std::string>>
powerTicks(double First, double Last, unsigned Base);
/// "0.12", "3.4", "560", "12k".
std::string shortNumber(double Value);

/// One chart, in pixels of its own. Values outside of the axes are drawn at
/// their ends.
class Chart {
public:
  static constexpr unsigned Width = 720;

  Chart(std::string Title, ChartAxis X, ChartAxis Y, unsigned Height = 300);
  /// A second axis at the right, for the same heights.
  void rightAxis(const ChartAxis &Right);

  using XY = std::pair<double, double>;
  void line(llvm::ArrayRef<XY> Points, llvm::StringRef Class);
  /// From the left end to the right one, or from the bottom up.
  void across(double Y, llvm::StringRef Class);
  void upright(double X, llvm::StringRef Class);
  void bar(double FromX, double ToX, double Y, const llvm::Twine &Tip);
  void point(XY At, llvm::StringRef Class, const llvm::Twine &Tip = "");
  void arrow(XY From, XY To);
  /// Beside a point, \p Right and \p Down from it in pixels.
  void text(XY At, int Right, int Down, llvm::StringRef Anchor,
            llvm::StringRef Class, const llvm::Twine &Text);
  /// A line of the legend, in its order.
  void legend(llvm::StringRef Class, const llvm::Twine &Text);

  unsigned height() const;
  /// The chart's elements, to be put into a document.
  std::string elements() const { return Body; }
  /// With its own <svg>, to be put into a page that has chart.css. \p Described
  /// says in words what is to be seen.
  std::string inlined(llvm::StringRef Described) const;

private:
  double x(double Value) const;
  double y(double Value) const;
  void drawAxes();

  std::string Title;
  ChartAxis X, Y;
  unsigned PlotHeight, Legends = 0;
  std::string Body;
};

/// An SVG file of charts, one below the other.
void writeSVG(llvm::raw_ostream &OS, llvm::ArrayRef<Chart> Charts);

} // namespace sluice

#endif
