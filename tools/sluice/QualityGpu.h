// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Runs for `sluice tune --qos` on a GPU, this machine's or another's:
///
///   FOLDER/program, FOLDER/SluiceReplay.so
///   FOLDER/images/N.cubin   the kernels with N approximate warps
///   FOLDER/runs/N.K/        the run with them and input K (0: the search's, K:
///                           the K-th that is held back); 0.0.again the second
///     job, results.jsonl    of the replay library, with the kernels' times
///     stdout, status        and the files that the program wrote
///   FOLDER/input/           the user's: files that the program reads
///   FOLDER/run.sh           runs all
///   FOLDER/arguments        what the program and the compiler were told

#ifndef SLUICE_TOOLS_SLUICE_QUALITYGPU_H
#define SLUICE_TOOLS_SLUICE_QUALITYGPU_H

#include "QualityMachine.h"

namespace sluice {

/// This machine's GPU; programs run in the current folder.
llvm::Expected<std::unique_ptr<QualityMachine>>
localGpuMachine(const MachineRequest &Request);

/// Answers from the folder of --import, in which run.sh has run.
llvm::Expected<std::unique_ptr<QualityMachine>>
importedMachine(const MachineRequest &Request);

/// Writes the folder of --export: every number of warps with every input.
llvm::Error exportRuns(const MachineRequest &Request);

} // namespace sluice

#endif
