// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice registers` found out, and how it shows it.

#ifndef SLUICE_TOOLS_SLUICE_REGISTERSREPORT_H
#define SLUICE_TOOLS_SLUICE_REGISTERSREPORT_H

#include "sluice/Target/CratChoice.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice {

/// One limit at one launch.
struct LimitRow {
  /// Without a limit: 0. With spills to shared memory, where that costs no
  /// block.
  LimitedCode At;
  bool IsCritical = false;
  unsigned BlocksPerSM = 0, WarpsPerSM = 0;
  unsigned Rank = 0; ///< From 1.
  double Tpsc = 0, WholeTpsc = 0;
  /// Of an SM's time, for a block, as the static model has it; 0: not known.
  double CyclesPerBlock = 0;
  bool IsCrats = false; ///< What CRAT would take.
};

struct LaunchReport {
  LaunchShape Shape;
  std::string From;           ///< "at app.cu:30:3", "by --block".
  std::vector<LimitRow> Rows; ///< Without a limit first, then ascending.
  CratDecision Crat;
};

struct RegistersReport {
  std::string Name, DisplayName;
  const GPUModel *GPU = nullptr;
  unsigned SMs = 0;
  RegisterCandidates Candidates;
  std::vector<WarpInstruction> Program; ///< Of a warp.
  /// Blocks that are known to be enough, and by whom; as in the plan.
  std::optional<unsigned> EnoughBlocks;
  std::string EnoughWhy;
  std::vector<LaunchReport> Launches;
};

/// The rows of \p Shape, with those of \p Also.
LaunchReport reportLaunch(const RegistersReport &Kernel,
                          const LaunchShape &Shape, std::string From,
                          llvm::ArrayRef<unsigned> Also);

void printReports(llvm::raw_ostream &OS,
                  llvm::ArrayRef<RegistersReport> Kernels);
void printReportsJSON(llvm::raw_ostream &OS,
                      llvm::ArrayRef<RegistersReport> Kernels);
/// The staircases as SVG, one below the other.
void plotReports(llvm::raw_ostream &OS,
                 llvm::ArrayRef<RegistersReport> Kernels);

} // namespace sluice

#endif
