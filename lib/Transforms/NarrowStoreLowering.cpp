// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM 22 has no registers of floating-point numbers for NVPTX any more, and
// stores a part of any register:
//
//   memcpy(bytes, &x, 4);           // float x = a * b;
//
//   mul.rn.f32 %r3, %r1, %r2;
//   st.b8 [%rd1], %r3;              // the low byte
//   shr.u32 %r4, %r3, 8;
//   st.b8 [%rd1+1], %r4;
//
// ptxas 13.0 takes the first store for one of a number, and converts it: 1.5 is
// stored as the byte 1, all negative numbers as 0 (F2IP.U8.F32.TRUNC). It does
// so by the instruction that computes the register; with a move between, or any
// instruction for integers, it stores the bits. The move is no instruction of
// the chip.

#include "sluice/Transforms/NarrowStoreLowering.h"
#include "MachineAsm.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-narrow-stores"

STATISTIC(NumMoved, "Values moved before a part of them is stored");

namespace {

class NarrowStores : public MachineFunctionPass {
public:
  static char ID;
  NarrowStores() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override {
    return "Sluice: stores of parts of numbers";
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool isInteger(Register R,
                 SmallPtrSetImpl<const MachineInstr *> &Looked) const;
  SmallVector<MachineOperand *, 2> partsOf(MachineInstr &MI) const;
  void move(MachineInstr &Store, MachineOperand &Stored) const;

  const TargetInstrInfo *TII = nullptr;
  const TargetRegisterInfo *TRI = nullptr;
  MachineRegisterInfo *MRI = nullptr;
};
char NarrowStores::ID = 0;

} // namespace

/// How many registers \p MI, a store, writes; 0: it is none. They come first.
/// Then there are its semantics, scope and address space, the bits of an
/// element, and its address (NVPTXInstrInfo.td: ST, STV_*).
static unsigned storedRegisters(const MachineInstr &MI, StringRef Name) {
  constexpr unsigned Others = 6;
  if ((!Name.starts_with("ST_i") && !Name.starts_with("STV_i")) ||
      MI.getNumExplicitOperands() <= Others)
    return 0;
  return MI.getNumExplicitOperands() - Others;
}

/// Are the results of this instruction integers for the assembler?
static bool isForIntegers(StringRef Name) {
  for (StringRef Begin :
       {"LD_", "LDV_", "CVT_u", "CVT_s", "ADD", "SUB", "MUL", "MAD", "SDIV",
        "UDIV", "SREM", "UREM", "SMIN", "SMAX", "UMIN", "UMAX", "AND", "OR",
        "XOR", "SHL", "SRL", "SRA", "PRMT", "SELP_b",
        // Moves, also of parts and of what has several.
        "IMOV", "MOV_", "I32toV", "I64toV", "I32toI", "I64toI", "V2I", "V4I",
        "IMPLICIT_DEF"})
    if (Name.starts_with(Begin))
      return true;
  return false;
}

/// Is it shown, through copies and joined ways, that \p R has an integer?
bool NarrowStores::isInteger(
    Register R, SmallPtrSetImpl<const MachineInstr *> &Looked) const {
  const MachineInstr *Def = MRI->getUniqueVRegDef(R);
  if (!Def)
    return false;
  if (!Looked.insert(Def).second)
    return true; // as the others say
  if (!Def->isPHI() && !Def->isCopy())
    return isForIntegers(TII->getName(Def->getOpcode()));
  constexpr unsigned Step = 2; // a register and its block
  for (unsigned I = 1; I < Def->getNumOperands(); I += Step)
    if (const MachineOperand &From = Def->getOperand(I);
        !From.isReg() || !From.getReg().isVirtual() ||
        !isInteger(From.getReg(), Looked))
      return false;
  return true;
}

void NarrowStores::move(MachineInstr &Store, MachineOperand &Stored) const {
  const Register Old = Stored.getReg();
  const TargetRegisterClass *Class = MRI->getRegClass(Old);
  const Register New = MRI->createVirtualRegister(Class);
  MachineInstrBuilder Asm = buildAsm(
      *Store.getParent(), Store, Store.getDebugLoc(), *TII,
      formatv("mov.b{0} \t$0, $1;", TRI->getRegSizeInBits(*Class)).str(), 0);
  addDef(Asm, New);
  addUse(Asm, Old);
  MRI->clearKillFlags(Old);
  Stored.setReg(New);
  ++NumMoved;
}

/// Those of the registers that \p MI stores a part of which may have numbers.
SmallVector<MachineOperand *, 2> NarrowStores::partsOf(MachineInstr &MI) const {
  constexpr unsigned WidthAt = 3; // behind what is stored
  SmallVector<MachineOperand *, 2> Parts;
  const unsigned Count = storedRegisters(MI, TII->getName(MI.getOpcode()));
  for (unsigned I = 0; I < Count; ++I) {
    MachineOperand &Stored = MI.getOperand(I);
    const MachineOperand &Width = MI.getOperand(Count + WidthAt);
    if (!Stored.isReg() || !Stored.getReg().isVirtual() || !Width.isImm())
      continue;
    const uint64_t Bits =
        TRI->getRegSizeInBits(*MRI->getRegClass(Stored.getReg()));
    SmallPtrSet<const MachineInstr *, 8> Looked;
    if (uint64_t(Width.getImm()) < Bits && !isInteger(Stored.getReg(), Looked))
      Parts.push_back(&Stored);
  }
  return Parts;
}

static void report(const MachineInstr &Store) {
  const Function &F = Store.getMF()->getFunction();
  if (F.getName().starts_with("__sluice_"))
    return; // a kernel's second, of which the first has said it
  const BasicBlock *Block = Store.getParent()->getBasicBlock();
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, Store.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Moved", At,
                              Block ? Block : &F.getEntryBlock())
           << "the low bits of a floating-point number are stored: it is moved "
              "first, as ptxas converts it to an integer otherwise";
  });
}

bool NarrowStores::runOnMachineFunction(MachineFunction &MF) {
  TII = MF.getSubtarget().getInstrInfo();
  TRI = MF.getSubtarget().getRegisterInfo();
  MRI = &MF.getRegInfo();
  bool Changed = false;
  for (MachineBasicBlock &Block : MF)
    for (MachineInstr &MI : Block) {
      const auto Parts = partsOf(MI);
      if (Parts.empty())
        continue;
      for (MachineOperand *Stored : Parts)
        move(MI, *Stored);
      report(MI);
      Changed = true;
    }
  return Changed;
}

void sluice::addNarrowStoreLowering(TargetMachine &TM,
                                    legacy::PassManagerBase & /*Passes*/,
                                    TargetPassConfig *Config) {
  if (TM.getTargetTriple().isNVPTX())
    Config->insertPass(&FinalizeISelID, new NarrowStores());
}
