// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar evolution says how an address moves with the loops; FormBuilder turns
// its expressions into AddressForms over tid, ctaid, ntid, iterators and
// kernel arguments. Integer width is ignored: an index that overflows is
// undefined in the source, and a footprint needs no more.

#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/raw_ostream.h"

using namespace sluice;
using namespace llvm;

namespace {

class FormBuilder {
public:
  FormBuilder(LoopInfo &LI, ScalarEvolution &SE, ThreadUniformity &Threads,
              KernelFacts &Kernel, ArrayRef<Loop *> Loops,
              const DenseMap<const Loop *, unsigned> &LoopNumbers)
      : LI(LI), SE(SE), Threads(Threads), Kernel(Kernel), Loops(Loops),
        LoopNumbers(LoopNumbers) {}

  /// The form of \p S, or \p V, as code in \p Scope sees it: loops that
  /// \p Scope is not in have ended.
  AddressForm build(const SCEV *S, const Loop *Scope);
  AddressForm build(Value *V, const Loop *Scope) {
    return build(SE.getSCEV(V), Scope);
  }

private:
  AddressForm build(const SCEV *S);
  AddressForm operand(const Instruction &I, unsigned Number) {
    return build(I.getOperand(Number), LI.getLoopFor(I.getParent()));
  }
  AddressForm fromValue(Value *V);
  std::optional<AddressForm> fromSpecialRegister(const IntrinsicInst &Call);
  std::optional<AddressForm> fromBinary(const BinaryOperator &Op);
  std::optional<AddressForm> fromSelect(const SelectInst &Select);
  AddressForm fromLoad(LoadInst &Load);
  AddressForm unknown(Value *V, Variable::KindTy Kind);
  AddressForm unknown(Value *V);
  AddressForm newUnknown(Variable::KindTy Kind, std::optional<unsigned> Loop);
  AddressForm afterLoop(Variable V, const Loop *L, const Loop *Scope);
  AddressForm fold(const SCEVNAryExpr *E, AddressOp Op);

  LoopInfo &LI;
  ScalarEvolution &SE;
  ThreadUniformity &Threads;
  KernelFacts &Kernel;
  ArrayRef<Loop *> Loops;
  const DenseMap<const Loop *, unsigned> &LoopNumbers;
  DenseMap<const SCEV *, AddressForm> Done;
  DenseMap<const Value *, AddressForm> Unknowns;
  std::map<std::pair<Variable, bool>, AddressForm> AfterLoop;
};

AddressForm variable(Variable::KindTy Kind, unsigned Index) {
  return AddressForm::variable({Kind, Index});
}

/// tid.x + ntid.x * (tid.y + ntid.y * tid.z): the order warps are formed in.
AddressForm linearThread() {
  return variable(Variable::Tid, 0) +
         variable(Variable::Ntid, 0) *
             (variable(Variable::Tid, 1) +
              variable(Variable::Ntid, 1) * variable(Variable::Tid, 2));
}

} // namespace

AddressForm FormBuilder::unknown(Value *V, Variable::KindTy Kind) {
  auto [It, Inserted] = Unknowns.try_emplace(V);
  if (Inserted) {
    std::optional<unsigned> Number;
    if (auto *I = dyn_cast<Instruction>(V))
      if (const Loop *L = LI.getLoopFor(I->getParent()))
        Number = LoopNumbers.lookup(L);
    It->second = newUnknown(Kind, Number);
  }
  return It->second;
}

AddressForm FormBuilder::unknown(Value *V) {
  if (Threads.isUniform(V))
    return unknown(V, Variable::Uniform);
  return unknown(V, Threads.isRead(V) ? Variable::Loaded : Variable::Varying);
}

AddressForm FormBuilder::newUnknown(Variable::KindTy Kind,
                                    std::optional<unsigned> Loop) {
  Kernel.Unknowns.push_back({Loop});
  return variable(Kind, Kernel.Unknowns.size() - 1);
}

/// What \p V, which loop \p L computes anew in each iteration, is in \p Scope,
/// which may be behind the loop. Threads that have left it after different
/// numbers of iterations have different values of what is uniform within.
AddressForm FormBuilder::afterLoop(Variable V, const Loop *L,
                                   const Loop *Scope) {
  unsigned Number = LoopNumbers.lookup(L);
  bool Ended = false, Differs = false;
  for (; L && !(Scope && L->contains(Scope)); L = L->getParentLoop()) {
    Ended = true;
    Differs |= Threads.leavesDivergently(*L);
  }
  if (!Ended || (V.Kind == Variable::Uniform && !Differs))
    return AddressForm::variable(V);
  auto [It, Inserted] = AfterLoop.try_emplace({V, Differs});
  if (Inserted)
    It->second =
        newUnknown(Differs ? Variable::Varying : Variable::Uniform, Number);
  return It->second;
}

AddressForm FormBuilder::build(const SCEV *S, const Loop *Scope) {
  return build(SE.getSCEVAtScope(S, Scope)).replace([&](Variable V) {
    if (V.Kind == Variable::Iterator)
      return afterLoop(V, Loops[V.Index], Scope);
    if (V.Kind == Variable::Uniform)
      if (auto Number = Kernel.Unknowns[V.Index].Loop)
        return afterLoop(V, Loops[*Number], Scope);
    return AddressForm::variable(V);
  });
}

AddressForm FormBuilder::fold(const SCEVNAryExpr *E, AddressOp Op) {
  AddressForm R = build(E->getOperand(0));
  for (unsigned I = 1; I < E->getNumOperands(); ++I)
    R = AddressForm::operation(Op, R, build(E->getOperand(I)));
  return R;
}

AddressForm FormBuilder::build(const SCEV *S) {
  auto Found = Done.find(S);
  if (Found != Done.end())
    return Found->second;
  AddressForm R;
  switch (S->getSCEVType()) {
  case scConstant: {
    const APInt &Value = cast<SCEVConstant>(S)->getAPInt();
    R = AddressForm::constant(
        Value.getSignificantBits() <= 64 ? Value.getSExtValue() : 0);
    break;
  }
  case scTruncate: {
    const auto *T = cast<SCEVTruncateExpr>(S);
    R = build(T->getOperand());
    // `tid & 31` arrives as a truncation to five bits.
    unsigned Bits = SE.getTypeSizeInBits(T->getType());
    if (Bits < 32)
      R = AddressForm::operation(AddressOp::URem, R,
                                 AddressForm::constant(int64_t(1) << Bits));
    break;
  }
  case scZeroExtend:
  case scSignExtend:
  case scPtrToInt:
    R = build(cast<SCEVCastExpr>(S)->getOperand());
    break;
  case scAddExpr:
    R = AddressForm::constant(0);
    for (const SCEV *Operand : cast<SCEVAddExpr>(S)->operands())
      R = R + build(Operand);
    break;
  case scMulExpr:
    R = AddressForm::constant(1);
    for (const SCEV *Operand : cast<SCEVMulExpr>(S)->operands())
      R = R * build(Operand);
    break;
  case scUDivExpr: {
    const auto *D = cast<SCEVUDivExpr>(S);
    R = AddressForm::operation(AddressOp::UDiv, build(D->getLHS()),
                               build(D->getRHS()));
    break;
  }
  case scAddRecExpr: {
    const auto *Rec = cast<SCEVAddRecExpr>(S);
    if (!Rec->isAffine()) {
      bool Differs = any_of(drop_begin(Rec->operands()), [&](const SCEV *Step) {
        return build(Step).any([](Variable V) { return V.isThreadVarying(); });
      });
      R = build(Rec->getStart()) +
          newUnknown(Differs ? Variable::Varying : Variable::Uniform,
                     LoopNumbers.lookup(Rec->getLoop()));
      break;
    }
    R = build(Rec->getStart()) +
        build(Rec->getStepRecurrence(SE)) *
            variable(Variable::Iterator, LoopNumbers.lookup(Rec->getLoop()));
    break;
  }
  case scSMaxExpr:
    R = fold(cast<SCEVNAryExpr>(S), AddressOp::SMax);
    break;
  case scUMaxExpr:
    R = fold(cast<SCEVNAryExpr>(S), AddressOp::UMax);
    break;
  case scSMinExpr:
    R = fold(cast<SCEVNAryExpr>(S), AddressOp::SMin);
    break;
  case scUMinExpr:
  case scSequentialUMinExpr:
    R = fold(cast<SCEVNAryExpr>(S), AddressOp::UMin);
    break;
  case scUnknown:
    R = fromValue(cast<SCEVUnknown>(S)->getValue());
    break;
  case scVScale:
  case scCouldNotCompute:
    break;
  }
  Done[S] = R;
  return R;
}

std::optional<AddressForm>
FormBuilder::fromSpecialRegister(const IntrinsicInst &Call) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return variable(Variable::Tid, 0);
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return variable(Variable::Tid, 1);
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return variable(Variable::Tid, 2);
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return variable(Variable::Ctaid, 0);
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return variable(Variable::Ctaid, 1);
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return variable(Variable::Ctaid, 2);
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return variable(Variable::Ntid, 0);
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return variable(Variable::Ntid, 1);
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return variable(Variable::Ntid, 2);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return variable(Variable::Nctaid, 0);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return variable(Variable::Nctaid, 1);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return variable(Variable::Nctaid, 2);
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return AddressForm::constant(32);
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return AddressForm::operation(AddressOp::URem, linearThread(),
                                  AddressForm::constant(32));
  default:
    return std::nullopt;
  }
}

/// What scalar evolution leaves opaque but lanes can be enumerated through.
std::optional<AddressForm> FormBuilder::fromBinary(const BinaryOperator &Op) {
  std::optional<AddressOp> Kind;
  switch (Op.getOpcode()) {
  case Instruction::SDiv:
    Kind = AddressOp::SDiv;
    break;
  case Instruction::SRem:
    Kind = AddressOp::SRem;
    break;
  case Instruction::URem:
    Kind = AddressOp::URem;
    break;
  case Instruction::And:
    Kind = AddressOp::And;
    break;
  case Instruction::Or:
    Kind = AddressOp::Or;
    break;
  case Instruction::Xor:
    Kind = AddressOp::Xor;
    break;
  case Instruction::LShr:
  case Instruction::AShr: // of an index, which is not negative
    Kind = AddressOp::LShr;
    break;
  default:
    return std::nullopt;
  }
  return AddressForm::operation(*Kind, operand(Op, 0), operand(Op, 1));
}

/// Of two addresses that all threads choose the same one of, and whose lanes
/// lie alike: their lanes lie so.
std::optional<AddressForm> FormBuilder::fromSelect(const SelectInst &Select) {
  if (!Threads.isUniform(Select.getCondition()))
    return std::nullopt;
  AddressForm True = operand(Select, 1), False = operand(Select, 2);
  auto Varies = [](Variable V) { return V.isThreadVarying(); };
  if ((True - False).any(Varies))
    return std::nullopt;
  return True.partition(Varies).first +
         unknown(const_cast<SelectInst *>(&Select), Variable::Uniform);
}

AddressForm FormBuilder::fromLoad(LoadInst &Load) {
  const Value *Object = getUnderlyingObject(Load.getPointerOperand());
  unsigned AS = Load.getPointerAddressSpace();
  bool IsParameter = AS == NVPTXAS::ADDRESS_SPACE_PARAM;
  if (const auto *A = dyn_cast<Argument>(Object))
    IsParameter |= A->hasByValAttr();
  if (IsParameter)
    return unknown(&Load, Variable::Uniform);
  bool SameForAll =
      Threads.isUniform(&Load) ||
      !operand(Load, Load.getPointerOperandIndex()).any([](Variable V) {
        return V.isThreadVarying();
      });
  return unknown(&Load, SameForAll && !isa<AllocaInst>(Object)
                            ? Variable::Uniform
                            : Variable::Loaded);
}

AddressForm FormBuilder::fromValue(Value *V) {
  if (auto *C = dyn_cast<ConstantInt>(V))
    return AddressForm::constant(C->getSExtValue());
  if (auto *A = dyn_cast<Argument>(V))
    return variable(Variable::Argument, A->getArgNo());
  if (isa<Constant>(V))
    return isa<ConstantPointerNull>(V) ? AddressForm()
                                       : unknown(V, Variable::Uniform);
  if (auto *Load = dyn_cast<LoadInst>(V))
    return fromLoad(*Load);
  if (auto *Call = dyn_cast<IntrinsicInst>(V))
    if (auto Form = fromSpecialRegister(*Call))
      return *Form;
  if (auto *Op = dyn_cast<BinaryOperator>(V))
    if (auto Form = fromBinary(*Op))
      return *Form;
  if (auto *Select = dyn_cast<SelectInst>(V))
    if (auto Form = fromSelect(*Select))
      return *Form;
  if (isa<CastInst, FreezeInst>(V)) {
    auto *I = cast<Instruction>(V);
    if (SE.isSCEVable(I->getOperand(0)->getType()))
      return operand(*I, 0);
  }
  return unknown(V);
}

bool sluice::isGlobalPointer(const Value *Pointer) {
  unsigned AS = Pointer->getType()->getPointerAddressSpace();
  if (AS != NVPTXAS::ADDRESS_SPACE_GENERIC)
    return AS == NVPTXAS::ADDRESS_SPACE_GLOBAL;
  const Value *Object = getUnderlyingObject(Pointer);
  if (isa<AllocaInst>(Object))
    return false;
  if (const auto *A = dyn_cast<Argument>(Object))
    return !A->hasByValAttr();
  if (const auto *G = dyn_cast<GlobalVariable>(Object))
    return G->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_GLOBAL ||
           G->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_GENERIC;
  return true;
}

template <typename Range>
static unsigned ordinalAmong(const Range &Others, const CodeId &Id) {
  unsigned Ordinal = 0;
  for (const auto &Other : Others)
    if (Other.Id.Place == Id.Place && Other.Id.InlinedAt == Id.InlinedAt)
      Ordinal = std::max(Ordinal, Other.Id.Ordinal + 1);
  return Ordinal;
}

static void addAccess(Instruction &I, FormBuilder &Forms, const Loop &L,
                      LoopFacts &Facts, unsigned Number) {
  const Value *Pointer = getLoadStorePointerOperand(&I);
  if (!Pointer || !isGlobalPointer(Pointer))
    return;
  AccessPattern Access;
  Access.Id = codeIdOf(I.getDebugLoc().get());
  Access.Id.Ordinal = ordinalAmong(Facts.Accesses, Access.Id);
  Access.IsStore = isa<StoreInst>(I);
  Access.Bytes =
      I.getModule()->getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
  Access.Address = Forms.build(const_cast<Value *>(Pointer), &L);
  Access.Loop = Number;
  Facts.Accesses.push_back(std::move(Access));
}

/// Assumptions and lifetime markers say that they write; they do not.
static bool writesMemory(const Instruction &I) {
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    if (Call->isAssumeLikeIntrinsic())
      return false;
  return I.mayWriteToMemory();
}

bool sluice::isSumInMemory(const Instruction &I, const Loop &L) {
  const auto *Store = dyn_cast<StoreInst>(&I);
  return Store && Store->isSimple() &&
         L.isLoopInvariant(Store->getPointerOperand());
}

void sluice::analyzeAccesses(LoopInfo &LI, ScalarEvolution &SE,
                             KernelFacts &Kernel) {
  DenseMap<const Loop *, unsigned> Numbers;
  auto Loops = LI.getLoopsInPreorder();
  for (const Loop *L : Loops)
    Numbers[L] = Numbers.size();

  if (Loops.empty())
    return;
  ThreadUniformity Threads(*Loops.front()->getHeader()->getParent());
  FormBuilder Forms(LI, SE, Threads, Kernel, Loops, Numbers);
  for (Loop *L : Loops) {
    LoopFacts Facts;
    Facts.Id = codeIdOf(*L);
    Facts.Id.Ordinal = ordinalAmong(Kernel.Loops, Facts.Id);
    if (const Loop *Parent = L->getParentLoop())
      Facts.Parent = Numbers[Parent];
    if (unsigned Trip = SE.getSmallConstantTripCount(L))
      Facts.TripCount = Trip;
    const SCEV *Taken = SE.getBackedgeTakenCount(L);
    if (!isa<SCEVCouldNotCompute>(Taken))
      Facts.TripForm = Forms.build(Taken, L) + AddressForm::constant(1);
    if (auto Count = getOptionalIntLoopAttribute(L, UnrollCountHint);
        Count && *Count > 0)
      Facts.UnrollHint = *Count;
    else if (findOptionMDForLoop(L, "llvm.loop.unroll.disable"))
      Facts.UnrollHint = 1;
    Facts.WritesOnlySums = L->isInnermost();
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB) {
        if (!I.isDebugOrPseudoInst() && !isa<PHINode>(I))
          ++Facts.Instructions;
        if (writesMemory(I)) {
          Facts.WritesMemory = true;
          Facts.WritesOnlySums &= isSumInMemory(I, *L);
        }
        if (LI.getLoopFor(BB) == L)
          addAccess(I, Forms, *L, Facts, Numbers[L]);
      }
    Kernel.Loops.push_back(std::move(Facts));
  }
}

void sluice::printAccessPatterns(const KernelFacts &Kernel, raw_ostream &OS) {
  OS << "kernel " << Kernel.Name << "\n";
  for (unsigned L = 0; L < Kernel.Loops.size(); ++L) {
    const LoopFacts &Loop = Kernel.Loops[L];
    OS << "  loop i" << L << " at " << Loop.Id.str();
    if (Loop.Parent)
      OS << " in i" << *Loop.Parent;
    OS << ", iterations ";
    if (Loop.TripCount)
      OS << *Loop.TripCount;
    else
      OS << (Loop.TripForm.str() == "0" ? "?" : Loop.TripForm.str());
    OS << "\n";
    for (const AccessPattern &A : Loop.Accesses)
      OS << "    " << (A.IsStore ? "store " : "load ") << A.Bytes << " B at "
         << A.Id.str() << ": " << A.Address.str()
         << (A.isIndirect() ? " (indirect)" : "") << "\n";
  }
}
