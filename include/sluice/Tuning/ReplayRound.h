// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// One round of candidates in a self-contained folder, to be measured by the
/// replay library on this machine or another.
///
///   FOLDER/run.sh         measures; needs a shell and the CUDA driver
///   FOLDER/program        the program (or what --command names)
///   FOLDER/SluiceReplay.so
///   FOLDER/images/N.cubin code of the candidates: image N holds the N-th code
///   of
///                         each kernel
///   FOLDER/job            what the replay library does
///   FOLDER/round.json     which candidate is which plan
///   FOLDER/results.jsonl  what came out

#ifndef SLUICE_TUNING_REPLAYROUND_H
#define SLUICE_TUNING_REPLAYROUND_H

#include "sluice/Tuning/CandidateCode.h"
#include "sluice/Tuning/Evaluator.h"

namespace sluice {

struct RoundOptions {
  std::string Folder;
  std::string ReplayLibrary; ///< Path of SluiceReplay.so.
  /// Shell words that start the program; run in the folder where the tuner was
  /// started, or in FOLDER if it is `./program`.
  std::vector<std::string> Command;
  std::string WorkingFolder; ///< Empty: FOLDER.
  std::string Arguments;     ///< EvaluationContext::Arguments.
  unsigned Rounds = 7;
  unsigned Launches = 4;
  double StopLosers = 10; ///< Per cent.
  /// Where the folders of one search tell each other the best times so far;
  /// relative to Folder, a word. Empty: nowhere.
  std::string BestFile;
  double TimeLimit = 0; ///< Seconds for replays; 0: none.
  CompileTurn Turn;
  std::string What; ///< That is compiled, for a timeline.
};

/// Writes the folder, with the candidates' code from \p From; without requests
/// it may be null. Requests whose code is that of an earlier one are measured
/// once. \p BaseCode: hashKernels of the untuned code.
llvm::Error writeRound(const std::vector<Request> &Requests,
                       const RoundOptions &Options,
                       const llvm::StringMap<std::string> &BaseCode,
                       CandidateCode *From);

/// Runs FOLDER/run.sh; its output goes to FOLDER/output.txt. The exit status.
/// Meanwhile \p Watch gets, now and then, the number of measurements so far.
int runRound(const std::string &Folder,
             llvm::function_ref<void(uint64_t)> Watch = {});

/// Reads FOLDER/round.json and FOLDER/results.jsonl.
llvm::Expected<Answers> readRound(const std::string &Folder);

} // namespace sluice

#endif
