// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice tune --qos` has found: as a table, as CSV or JSON, and drawn.

#ifndef SLUICE_TOOLS_SLUICE_QUALITYREPORT_H
#define SLUICE_TOOLS_SLUICE_QUALITYREPORT_H

#include "sluice/Tuning/QualityMetric.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice {

/// One run of the program.
struct QualityRun {
  unsigned Lambda = 0;
  double Ms = 0;
  double Value = 0;    ///< Of the metric.
  bool Keeps = false;  ///< The bound.
  std::string Problem; ///< Why the run did not end well; empty: it did.
  std::string Input;   ///< The arguments, if they were held back.
};

struct QualityReport {
  std::string Source;
  QualityWish Wish;
  double Bound = 0; ///< In the metric's unit, also of a share.
  LambdaStrategy How = LambdaStrategy::Heuristic;
  std::string Outputs;  ///< What was judged.
  std::string TimesAre; ///< "predicted by ...".
  unsigned Most = 0;    ///< Lambda's largest value.
  unsigned Taken = 0;
  std::vector<QualityRun> Runs;     ///< Of the search, in its order.
  std::vector<QualityRun> HeldBack; ///< With other inputs, in their order.
};

void printQuality(llvm::raw_ostream &OS, const QualityReport &R);
void writeQualityCSV(llvm::raw_ostream &OS, const QualityReport &R);
void writeQualityJSON(llvm::raw_ostream &OS, const QualityReport &R);
/// Time and error by lambda, as the thesis has them in Figure 6.3.
void plotQuality(llvm::raw_ostream &OS, const QualityReport &R);

} // namespace sluice

#endif
