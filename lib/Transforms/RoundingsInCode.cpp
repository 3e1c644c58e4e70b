// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code generation fuses hangs on passes before it that join and move
// instructions, and on the order in which it looks at sums. So it is asked.
// Debug locations come through all of them, and a sum keeps its own where a
// product is fused with it:
//
//   %s = fadd contract float %m, %c, !dbg !17      line 17, as it is the 17th
//   %8:b32 = FMA_F32rrr %3, %4, %7, ... debug-location !17
//
// Of two products that a sum adds, which is fused is seen by the other one.

#include "WrittenRounding.h"
#include "sluice/Analysis/DeviceCode.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetLoweringObjectFile.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace sluice;

/// Gives each instruction of \p M its number as its line, in place of the
/// source's.
static void numberInstructions(Module &M) {
  StripDebugInfo(M);
  if (!M.getModuleFlag("Debug Info Version"))
    M.addModuleFlag(Module::Warning, "Debug Info Version",
                    DEBUG_METADATA_VERSION);
  DIBuilder DI(M);
  DIFile *File = DI.createFile("numbers", "");
  DI.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C), File, "",
                       /*isOptimized=*/true, "", 0, "",
                       DICompileUnit::DebugDirectivesOnly);
  auto *Type = DI.createSubroutineType(DI.getOrCreateTypeArray({}));
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    DISubprogram *Program = DI.createFunction(
        File, F.getName(), F.getName(), File, 1, Type, 1, DINode::FlagZero,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
    F.setSubprogram(Program);
    unsigned Number = 0;
    for (Instruction &I : instructions(F))
      I.setDebugLoc(DILocation::get(M.getContext(), ++Number, 1, Program));
    DI.finalizeSubprogram(Program);
  }
  DI.finalize();
}

namespace {

enum class Arithmetic : uint8_t { None, Negation, Product, Sum, Fused };

/// Stands behind instruction selection.
class RoundingReader : public MachineFunctionPass {
public:
  static char ID;
  explicit RoundingReader(StringMap<Roundings> &All)
      : MachineFunctionPass(ID), All(All) {}
  bool runOnMachineFunction(MachineFunction &MF) override;
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(AU);
  }

private:
  StringMap<Roundings> &All;
};

} // namespace

char RoundingReader::ID = 0;

static Arithmetic kindOf(const MachineInstr &MI, const TargetInstrInfo &TII) {
  const StringRef Name = TII.getName(MI.getOpcode());
  if (Name.starts_with("FMA_F32") || Name.starts_with("FMA_F64"))
    return Arithmetic::Fused;
  if (Name.starts_with("FADD") || Name.starts_with("FSUB"))
    return Arithmetic::Sum;
  if (Name.starts_with("FMUL"))
    return Arithmetic::Product;
  return Name.starts_with("FNEG") ? Arithmetic::Negation : Arithmetic::None;
}

static unsigned numberOf(const MachineInstr &MI) {
  return MI.getDebugLoc() ? MI.getDebugLoc().getLine() : 0;
}

/// The number of what computes the third operand of \p Fused, or its opposite.
static unsigned addendOf(const MachineInstr &Fused,
                         const MachineRegisterInfo &MRI,
                         const TargetInstrInfo &TII) {
  constexpr unsigned Third = 3; // the first is the result
  const MachineOperand *Operand = &Fused.getOperand(Third);
  for (;;) {
    const MachineInstr *Def =
        Operand->isReg() ? MRI.getUniqueVRegDef(Operand->getReg()) : nullptr;
    if (!Def || Def->isPHI())
      return 0;
    const Arithmetic Kind = kindOf(*Def, TII);
    if (Kind == Arithmetic::Product && numberOf(*Def) == 0)
      return Rounding::SomeProduct;
    if (Kind != Arithmetic::Negation && !Def->isCopy())
      return numberOf(*Def);
    Operand = &Def->getOperand(1);
  }
}

bool RoundingReader::runOnMachineFunction(MachineFunction &MF) {
  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  Roundings &Read = All[MF.getName()];
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB) {
      const Arithmetic Kind = kindOf(MI, TII);
      if (Kind == Arithmetic::Sum)
        Read[numberOf(MI)].push_back({});
      else if (Kind == Arithmetic::Fused)
        Read[numberOf(MI)].push_back(
            {true, addendOf(MI, MF.getRegInfo(), TII)});
    }
  return false;
}

StringMap<Roundings>
sluice::readRoundings(Module &M, TargetMachine &TM,
                      function_ref<void(Module &)> Optimize) {
  numberInstructions(M);
  Optimize(M);
  StringMap<Roundings> All;
  const WithoutRemarks Quiet(M.getContext());
  legacy::PassManager CodeGen;
  TargetPassConfig *Config = TM.createPassConfig(CodeGen);
  CodeGen.add(Config);
  auto *MMI = new MachineModuleInfoWrapperPass(&TM);
  CodeGen.add(MMI);
  // As addPassesToEmitFile does.
  TM.getObjFileLowering()->Initialize(MMI->getMMI().getContext(), TM);
  if (Config->addISelPasses())
    return All;
  CodeGen.add(new RoundingReader(All));
  Config->setInitialized();
  CodeGen.run(M);
  return All;
}
