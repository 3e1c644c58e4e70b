// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A search's round as pieces of work.

#ifndef SLUICE_TOOLS_SLUICE_TUNEPIECES_H
#define SLUICE_TOOLS_SLUICE_TUNEPIECES_H

#include "sluice/Tuning/Tuner.h"

namespace sluice {

struct TuneArguments;

/// The static plan of each kernel comes first, and with it a time that others
/// are given up by.
void putPlannedFirst(llvm::ArrayRef<KernelSearch> Searches,
                     std::vector<Request> &Requests);

/// A kernel's choices that share code lie side by side: each of \p Parts, whose
/// sum is 1, gets its part of each kernel's. None is empty.
std::vector<std::vector<Request>> cutRound(const std::vector<Request> &All,
                                           llvm::ArrayRef<double> Parts);

/// Seconds of all the plans by the untuned times.
double guessOf(llvm::ArrayRef<KernelSearch> Searches,
               const std::vector<Request> &Requests, const TuneArguments &How);

} // namespace sluice

#endif
