// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Inline assembly among machine instructions, for what a code generator has no
/// instruction for.

#ifndef SLUICE_LIB_TRANSFORMS_MACHINEASM_H
#define SLUICE_LIB_TRANSFORMS_MACHINEASM_H

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include <string>

namespace llvm {
class DebugLoc;
class TargetInstrInfo;
} // namespace llvm

namespace sluice {

/// \p Text as an instruction in front of \p Before, with no operand yet.
/// \param Flags of llvm::InlineAsm, Extra_*.
llvm::MachineInstrBuilder buildAsm(llvm::MachineBasicBlock &Block,
                                   llvm::MachineBasicBlock::iterator Before,
                                   const llvm::DebugLoc &At,
                                   const llvm::TargetInstrInfo &TII,
                                   const std::string &Text, unsigned Flags);

/// The next operand, which \p Asm writes.
void addDef(llvm::MachineInstrBuilder &Asm, llvm::Register R);

/// The next operand, which \p Asm reads.
void addUse(llvm::MachineInstrBuilder &Asm, llvm::Register R);

} // namespace sluice

#endif
