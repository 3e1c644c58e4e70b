// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How long a program's kernels take on a GPU, one run of the program: the
/// replay library repeats some launches and compares nothing with another code.

#ifndef SLUICE_TUNING_KERNELTIMES_H
#define SLUICE_TUNING_KERNELTIMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace sluice {

/// The job of the replay library (Replay/Job.h) for a program that is to run
/// with the kernels of \p Image, a path from the job's folder: \p Rounds
/// measurements of \p Launches launches of each. Results go to results.jsonl
/// beside the job.
std::string timingJob(llvm::StringRef Image, unsigned Rounds,
                      unsigned Launches);

struct KernelTime {
  unsigned Launches = 0;
  double Ms = 0; ///< All launches: the mean of the repeated ones' medians each.
  unsigned MostThreads = 0; ///< Of a block of the repeated ones; 0: unknown.
};

struct KernelTimes {
  std::string GPU;                     ///< Empty: no kernel came to one.
  llvm::StringMap<KernelTime> Kernels; ///< By mangled name.

  double totalMs() const;
};

/// What such a job has left in results.jsonl. Lines that are not whole are
/// passed over: a run that was killed leaves one.
KernelTimes parseKernelTimes(llvm::StringRef Results);

} // namespace sluice

#endif
