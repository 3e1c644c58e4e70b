// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice tune` is told.

#ifndef SLUICE_TOOLS_SLUICE_TUNEARGUMENTS_H
#define SLUICE_TOOLS_SLUICE_TUNEARGUMENTS_H

#include "QualityOutputs.h"
#include "sluice/Tuning/QualityMetric.h"
#include "sluice/Tuning/Strategy.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice {

/// What --qos and its like say.
struct QualityArguments {
  QualityWish Wish;
  LambdaStrategy How = LambdaStrategy::Heuristic;
  std::vector<NamedOutput> Outputs;
  std::string Command; ///< Prints a number.
  /// Arguments of the program that the search does not run with.
  std::vector<std::vector<std::string>> HeldBack;
  bool Emulate = false; ///< Also where there is a GPU.
  std::string Table;    ///< A .csv or .json file; empty: none.
  std::string Plot;     ///< An .svg file; empty: none.
};

struct TuneArguments {
  Strategy How = Strategy::Local;
  std::optional<QualityArguments> Quality; ///< None: results stay as they are.
  double Budget = 0;                       ///< Seconds; 0: none.
  std::string Store = "sluice-tune.db";
  std::string Output; ///< The plan's file.
  std::string Command;
  std::string Export, Import;
  std::string Answers; ///< A store to answer instead of a GPU.
  unsigned Rounds = 7;
  unsigned Launches = 4;
  std::string Project;   ///< A TOML file; empty: one source, on this GPU.
  std::string Engine;    ///< With a project: local (the default), ray, slurm.
  std::string GPUs;      ///< With the engine local: "all" or numbers, "0,2".
  double PieceLimit = 0; ///< Seconds that a piece of a project may run.
  std::string Timeline;  ///< Of a project, a file; empty: none.
  unsigned Rows = 20;    ///< Of a kernel's table, the best.
  std::vector<std::string> ForClang;
  std::vector<std::string> ForProgram;
  std::string Source; ///< The first .cu file of ForClang.
  bool Help = false;  ///< It is asked for, and the rest does not matter.
};

llvm::Expected<TuneArguments>
readTuneArguments(llvm::ArrayRef<const char *> Args);

void printTuneHelp(llvm::raw_ostream &OS);

} // namespace sluice

#endif
