// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The observers that come with the emulator.

#ifndef SLUICE_LIB_EMULATOR_OBSERVERS_H
#define SLUICE_LIB_EMULATOR_OBSERVERS_H

#include "sluice/Emulator/Observer.h"
#include <memory>

namespace sluice::emulator {

/// More bytes than a block can have of shared memory. An access beyond is an
/// error that the memory's check reports; who else keeps something for each
/// byte leaves it out.
inline constexpr uint64_t BeyondShared = 1 << 20;

/// Those that \p Options ask for.
std::vector<std::unique_ptr<Observer>>
makeObservers(const EmulatorOptions &Options);

std::unique_ptr<Observer> makeRaceChecker();
std::unique_ptr<Observer> makeReadOnlyLoadChecker();
std::unique_ptr<Observer> makeOrderChecker();

/// "thread (1,0,0) of block (7,0,0)", by their linear numbers.
std::string nameOfThread(const LaunchShape &Shape, uint64_t Block,
                         unsigned Thread);

} // namespace sluice::emulator

#endif
