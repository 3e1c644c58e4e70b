// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers for one instruction set; see Handlers.inc.

#define SLUICE_ISA avx512
#include "Handlers.inc"

const sluice::emulator::HandlerTable &sluice::emulator::avx512Handlers() {
  static const HandlerTable Table = avx512::makeTable();
  return Table;
}
