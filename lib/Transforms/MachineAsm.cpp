// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MachineAsm.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

MachineInstrBuilder sluice::buildAsm(MachineBasicBlock &Block,
                                     MachineBasicBlock::iterator Before,
                                     const DebugLoc &At,
                                     const TargetInstrInfo &TII,
                                     const std::string &Text, unsigned Flags) {
  return BuildMI(Block, Before, At, TII.get(TargetOpcode::INLINEASM))
      .addExternalSymbol(
          Block.getParent()->createExternalSymbolName(StringRef(Text)))
      .addImm(Flags);
}

void sluice::addDef(MachineInstrBuilder &Asm, Register R) {
  Asm.addImm(InlineAsm::Flag(InlineAsm::Kind::RegDef, 1))
      .addReg(R, RegState::Define);
}

void sluice::addUse(MachineInstrBuilder &Asm, Register R) {
  Asm.addImm(InlineAsm::Flag(InlineAsm::Kind::RegUse, 1)).addReg(R);
}
