// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The observers that come with the emulator.

#ifndef SLUICE_LIB_EMULATOR_OBSERVERS_H
#define SLUICE_LIB_EMULATOR_OBSERVERS_H

#include "Report.h"
#include "sluice/Emulator/Observer.h"

namespace sluice::emulator {

/// Those that \p Options ask for.
std::vector<std::unique_ptr<Observer>>
makeObservers(const EmulatorOptions &Options, Reporter &Reports);

/// Writes what the observer has collected; at the end of the program.
void finishObserver(Observer &O);

} // namespace sluice::emulator

#endif
