// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Launches as the host would make them.

#ifndef SLUICE_TOOLS_FUZZ_HOSTLAUNCHES_H
#define SLUICE_TOOLS_FUZZ_HOSTLAUNCHES_H

#include "sluice/Emulator/ModuleRun.h"
#include "sluice/Plan/HostRecord.h"

namespace sluice::fuzz {

/// For a module with such requests: with claims, and several blocks as one.
emulator::ModuleDescription
asHostLaunches(emulator::ModuleDescription Description,
               const HostRequests &Requests);

/// All blocks of a kernel fit on one SM (Generator::chooseShape): fewer are
/// there at once only if their number is limited.
emulator::ModuleDescription onOneSM(emulator::ModuleDescription Description);

} // namespace sluice::fuzz

#endif
