// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers for one instruction set; see Handlers.inc.

#define SLUICE_ISA base
#include "Handlers.inc"

const sluice::emulator::HandlerTable &sluice::emulator::baseHandlers() {
  static const HandlerTable Table = base::makeTable();
  return Table;
}
