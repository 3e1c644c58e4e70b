// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Observers.h"

using namespace sluice::emulator;

std::vector<std::unique_ptr<Observer>>
sluice::emulator::makeObservers(const EmulatorOptions &Options,
                                Reporter &Reports) {
  std::vector<std::unique_ptr<Observer>> All;
  return All;
}

void sluice::emulator::finishObserver(Observer &O) {}
