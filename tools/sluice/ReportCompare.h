// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Two reports, side by side: two builds, two plans, two GPUs.

#ifndef SLUICE_TOOLS_SLUICE_REPORTCOMPARE_H
#define SLUICE_TOOLS_SLUICE_REPORTCOMPARE_H

#include "ReportData.h"
#include <array>

namespace sluice {

/// Empty: there is none.
inline std::string textOf(const llvm::json::Object &O, llvm::StringRef Key) {
  return O.getString(Key).value_or("").str();
}

/// A kernel of one side.
struct ComparedKernel {
  std::string Program; ///< Of a report: its source, without .cu.
  std::string Name, DisplayName;
  llvm::json::Object Report; ///< Its part of the report; empty: of results.
  std::vector<Alternative> Times; ///< Of one launch.
};

struct ComparedSide {
  llvm::json::Object Whole; ///< Without the kernels.
  std::vector<ComparedKernel> Kernels;
};

struct Comparison {
  std::array<std::string, 2> Names; ///< Of the files, short where that will do.
  std::array<ComparedSide, 2> Sides;
};

/// Of what `sluice report --json` or benchmarks/run wrote; the error names the
/// file that is neither.
llvm::Expected<Comparison> readComparison(llvm::StringRef PathA,
                                          llvm::StringRef PathB);

/// What report/compare.js shows, an object. Of each kernel there is one entry;
/// all lists of two are A's and B's, and null is what one of them lacks.
void writeComparison(llvm::json::OStream &J, const Comparison &C);

} // namespace sluice

#endif
