// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers for one instruction set; see Handlers.inc.

#define SLUICE_ISA avx2
#include "Handlers.inc"

const sluice::emulator::HandlerTable &sluice::emulator::avx2Handlers() {
  static const HandlerTable Table = avx2::makeTable();
  return Table;
}
