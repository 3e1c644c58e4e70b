// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "QualityReport.h"
#include "Chart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;
using namespace sluice;

/// "1.25e-07"; as %g, with infinities and NaN as CSV and people have them.
static std::string number(double Value) {
  std::string Text;
  raw_string_ostream(Text) << format("%.6g", Value);
  return Text;
}

static std::vector<QualityRun> byLambda(const QualityReport &R) {
  std::vector<QualityRun> Sorted = R.Runs;
  llvm::sort(Sorted, [](const QualityRun &A, const QualityRun &B) {
    return A.Lambda < B.Lambda;
  });
  return Sorted;
}

static double exactMs(const QualityReport &R) {
  return find_if(R.Runs, [](const QualityRun &Q) { return Q.Lambda == 0; })->Ms;
}

/// How much faster than with no warp approximate; 0: no time is known.
static double speedUp(const QualityReport &R, const QualityRun &Run) {
  return Run.Ms == 0 ? 0 : exactMs(R) / Run.Ms;
}

//===- Table --------------------------------------------------------------===//

static void printRun(raw_ostream &OS, const QualityReport &R,
                     const QualityRun &Run) {
  OS << format("%8u  %10.4f  %8.3f  ", Run.Lambda, Run.Ms, speedUp(R, Run))
     << right_justify(number(Run.Value), 12);
  if (Run.Lambda == R.Taken)
    OS << "  <- taken";
  else if (!Run.Keeps)
    OS << "  beyond the bound";
  if (!Run.Problem.empty())
    OS << " (" << Run.Problem << ")";
  OS << "\n";
}

void sluice::printQuality(raw_ostream &OS, const QualityReport &R) {
  OS << R.Source << ": " << R.Wish.text();
  if (R.Wish.IsShare)
    OS << ": " << number(R.Bound);
  OS << "\n  of " << R.Outputs << "\n  " << R.Runs.size() << " of "
     << R.Most + 1 << " numbers of warps were run (" << nameOf(R.How)
     << "); times are " << R.TimesAre << "\n"
     << "  lambda          ms  speed-up  "
     << right_justify(nameOf(R.Wish.Metric), 12) << "\n";
  for (const QualityRun &Run : byLambda(R))
    printRun(OS, R, Run);
  for (const QualityRun &Run : R.HeldBack) {
    OS << "  held back, '" << Run.Input << "', " << Run.Lambda
       << " warps: " << number(Run.Value)
       << (Run.Keeps ? "" : ", beyond the bound");
    if (!Run.Problem.empty())
      OS << " (" << Run.Problem << ")";
    OS << "\n";
  }
}

//===- Files --------------------------------------------------------------===//

void sluice::writeQualityCSV(raw_ostream &OS, const QualityReport &R) {
  OS << "lambda,ms,speed-up," << nameOf(R.Wish.Metric)
     << ",keeps-bound,taken,run\n";
  for (const QualityRun &Run : byLambda(R)) {
    const auto Order = find_if(
        R.Runs, [&](const QualityRun &Q) { return Q.Lambda == Run.Lambda; });
    OS << Run.Lambda << "," << format("%.9g", Run.Ms) << ","
       << format("%.6g", speedUp(R, Run)) << "," << format("%.9g", Run.Value)
       << "," << (Run.Keeps ? "yes" : "no") << ","
       << (Run.Lambda == R.Taken ? "yes" : "no") << ","
       << Order - R.Runs.begin() + 1 << "\n";
  }
}

/// JSON has no infinity and no NaN.
static json::Value asJSON(double Value) {
  if (std::isfinite(Value))
    return Value;
  return number(Value);
}

static void writeRun(json::OStream &J, const QualityReport &R,
                     const QualityRun &Run) {
  J.object([&] {
    if (!Run.Input.empty())
      J.attribute("arguments", json::fixUTF8(Run.Input));
    J.attribute("lambda", Run.Lambda);
    J.attribute("ms", Run.Ms);
    J.attribute("value", asJSON(Run.Value));
    J.attribute("keeps-bound", Run.Keeps);
    if (!Run.Problem.empty())
      J.attribute("problem", Run.Problem);
  });
}

void sluice::writeQualityJSON(raw_ostream &OS, const QualityReport &R) {
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("source", json::fixUTF8(R.Source));
    J.attribute("metric", nameOf(R.Wish.Metric));
    J.attribute("bound", asJSON(R.Bound));
    J.attribute("of", json::fixUTF8(R.Outputs));
    J.attribute("strategy", nameOf(R.How));
    J.attribute("times", R.TimesAre);
    J.attribute("most", R.Most);
    J.attribute("taken", R.Taken);
    J.attributeArray("runs", [&] {
      for (const QualityRun &Run : R.Runs)
        writeRun(J, R, Run);
    });
    J.attributeArray("held-back", [&] {
      for (const QualityRun &Run : R.HeldBack)
        writeRun(J, R, Run);
    });
  });
  OS << "\n";
}

//===- Plot ---------------------------------------------------------------===//

/// The axis from 0 to \p Last, whose numbers have the factor \p Unit.
static ChartAxis axisTo(double Last, const std::string &Title) {
  // Errors of 1e-7 have short ticks in this unit.
  const double Unit =
      Last > 0 && Last < 0.1 ? std::pow(10, std::floor(std::log10(Last))) : 1;
  ChartAxis Axis{0,
                 Last > 0 ? Last : 1,
                 Unit == 1 ? Title : Title + " / " + number(Unit),
                 {}};
  for (auto [At, Text] : roundTicks(Axis.Last / Unit, 5))
    Axis.Ticks.push_back({At * Unit, Text});
  return Axis;
}

void sluice::plotQuality(raw_ostream &OS, const QualityReport &R) {
  const std::vector<QualityRun> Runs = byLambda(R);
  double MostMs = 0, MostValue = R.Bound;
  for (const QualityRun &Run : Runs) {
    MostMs = std::max(MostMs, Run.Ms);
    if (std::isfinite(Run.Value))
      MostValue = std::max(MostValue, Run.Value);
  }
  ChartAxis Lambda{0, double(std::max(R.Most, 1U)),
                   "warps that compute approximately",
                   roundTicks(std::max(R.Most, 1U), 8)};
  const ChartAxis Time = axisTo(MostMs * 1.1, "ms");
  const ChartAxis Value = axisTo(MostValue * 1.1, nameOf(R.Wish.Metric).str());
  Chart C(formatv("{0}: {1}", R.Source, R.Wish.text()), Lambda, Time);
  C.rightAxis(Value);
  // The right axis is of the same heights.
  auto Height = [&](double V) { return V / Value.Last * Time.Last; };
  std::vector<Chart::XY> Times, Values;
  for (const QualityRun &Run : Runs) {
    Times.push_back({Run.Lambda, Run.Ms});
    if (std::isfinite(Run.Value))
      Values.push_back({Run.Lambda, Height(Run.Value)});
  }
  C.across(Height(R.Bound), "line alarm thin dashed");
  C.line(Times, "supply");
  C.line(Values, "demand");
  for (const QualityRun &Run : Runs) {
    const std::string Tip =
        formatv("{0} warps: {1} ms, {2} {3}", Run.Lambda, number(Run.Ms),
                nameOf(R.Wish.Metric), number(Run.Value));
    C.point({Run.Lambda, Run.Ms}, Run.Lambda == R.Taken ? "after" : "hollow",
            Tip);
    if (std::isfinite(Run.Value))
      C.point({Run.Lambda, Height(Run.Value)}, Run.Keeps ? "hollow" : "alarm",
              Tip);
  }
  C.legend("supply", "time, " + R.TimesAre + "; the full dot is taken");
  C.legend("demand", nameOf(R.Wish.Metric) + ", right; dashed: the bound");
  writeSVG(OS, C);
}
