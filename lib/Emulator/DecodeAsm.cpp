// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Decoder.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;
using namespace sluice::emulator;

void FunctionDecoder::decodeAsm(CallInst &I, const InlineAsm &Asm) {
  unsupported("inline PTX: " + Asm.getAsmString());
}
