// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Compares what runs of a program left, by numbers of its outputs or by a
/// command of the user's.

#ifndef SLUICE_TOOLS_SLUICE_QUALITYJUDGE_H
#define SLUICE_TOOLS_SLUICE_QUALITYJUDGE_H

#include "QualityMachine.h"

namespace sluice {

/// What one run came to.
struct Reading {
  std::vector<std::vector<double>> Numbers; ///< Of each output.
  double Printed = 0;                       ///< By the user's command.
};

class QualityJudge {
public:
  /// \p File makes paths in a folder that is there.
  QualityJudge(const QualityArguments &Quality,
               std::function<std::string(const llvm::Twine &)> File)
      : Quality(Quality), File(std::move(File)) {}

  /// Before a run: to know afterwards which files it has written.
  void before();
  /// Reads what the run with \p Lambda left. \p IsExact: it is the one that
  /// others are compared with; its files are kept for the user's command.
  llvm::Expected<Reading> read(unsigned Lambda, const MachineRun &Run,
                               bool IsExact);
  /// The metric of \p Got, of all outputs the worst.
  double value(const Reading &Reference, const Reading &Got) const;
  /// An error that says where two runs of the same differ, if they do.
  llvm::Error checkSame(const Reading &First, const Reading &Second) const;
  /// What is judged, for people.
  std::string outputs() const;

private:
  llvm::Error checkWritten() const;
  llvm::Error keep(const MachineRun &Run) const;
  llvm::Expected<double> askCommand(unsigned Lambda, const MachineRun &Run);

  const QualityArguments &Quality;
  const std::function<std::string(const llvm::Twine &)> File;
  /// When each output's file was last written; none: it was not there.
  std::vector<std::optional<llvm::sys::TimePoint<>>> Written;
};

} // namespace sluice

#endif
