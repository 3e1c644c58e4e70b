// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar evolution says how an address moves with the loops. Each of its kinds
// of expression, and each kind of value that it leaves alone, has a function.

#include "FormBuilder.h"
#include "FieldLoads.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace sluice;
using namespace llvm;

#define DEBUG_TYPE "sluice-access-patterns"

STATISTIC(NumTooLarge, "Expressions too large, or too deep, to follow");

namespace {

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

/// None: it is too large.
std::optional<AddressForm> sum(const AddressForm &A, const AddressForm &B) {
  AddressForm R = A + B;
  if (R.size() > MaxFormSize)
    return std::nullopt;
  return R;
}

std::optional<AddressForm> product(const AddressForm &A, const AddressForm &B) {
  // Not worth the time to see whether all its terms meet.
  if (uint64_t(A.size()) * B.size() > 8 * uint64_t(MaxFormSize))
    return std::nullopt;
  AddressForm R = A * B;
  if (R.size() > MaxFormSize)
    return std::nullopt;
  return R;
}

std::optional<AddressForm> operation(AddressOp Op, const AddressForm &A,
                                     const AddressForm &B) {
  if (A.size() + B.size() + 2 > MaxFormSize)
    return std::nullopt;
  return AddressForm::operation(Op, A, B);
}

/// What an expression that is not looked into varies in.
struct Leaves {
  const LoopInfo &LI;
  const ThreadUniformity &Threads;
  Leaves(const LoopInfo &LI, const ThreadUniformity &Threads)
      : LI(LI), Threads(Threads) {}
  Variable::KindTy Kind = Variable::Uniform;
  SmallSetVector<const Loop *, 4> Loops; ///< That compute some of it anew.

  bool isDone() const { return false; }
  bool follow(const SCEV *S) {
    if (const auto *Rec = dyn_cast<SCEVAddRecExpr>(S))
      Loops.insert(Rec->getLoop());
    const auto *Unknown = dyn_cast<SCEVUnknown>(S);
    const auto *I =
        Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    if (!I)
      return true;
    if (const Loop *L = LI.getLoopFor(I->getParent()))
      Loops.insert(L);
    if (!Threads.isUniform(I) && Kind != Variable::Loaded)
      Kind = Threads.isRead(I) ? Variable::Loaded : Variable::Varying;
    return true;
  }
};

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
  if (auto Found = DoneInScope.find({S, Scope}); Found != DoneInScope.end())
    return Found->second;
  AddressForm R = inScope(build(SE.getSCEVAtScope(S, Scope)), Scope);
  return DoneInScope[{S, Scope}] = std::move(R);
}

AddressForm FormBuilder::inScope(const AddressForm &Form, const Loop *Scope) {
  return Form.replace([&](Variable V) {
    if (V.Kind == Variable::Iterator)
      return afterLoop(V, Loops[V.Index], Scope);
    if (V.Kind == Variable::Uniform)
      if (auto Number = Kernel.Unknowns[V.Index].Loop)
        return afterLoop(V, Loops[*Number], Scope);
    return AddressForm::variable(V);
  });
}

/// \p S as a value of which no more is known than what it varies in: a sum of
/// one for each loop that computes it anew and has no other such loop in it.
/// The pointer that it is made from stays, as whose memory it is matters too.
AddressForm FormBuilder::tooLarge(const SCEV *S) {
  ++NumTooLarge;
  Leaves Of(LI, Threads);
  visitAll(S, Of);
  AddressForm R;
  auto Add = [&](std::optional<unsigned> Loop) {
    R = R + newUnknown(Of.Kind, Loop);
    Kernel.Unknowns.back().IsTooLarge = true;
  };
  for (const Loop *L : Of.Loops)
    if (none_of(Of.Loops, [&](const Loop *Inner) {
          return Inner != L && L->contains(Inner);
        }))
      Add(LoopNumbers.lookup(L));
  if (Of.Loops.empty())
    Add(std::nullopt);
  if (S->getType()->isPointerTy())
    if (const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(S)))
      if (const auto *A = dyn_cast<Argument>(Base->getValue()))
        R = R + variable(Variable::Argument, A->getArgNo());
  return R;
}

std::optional<AddressForm> FormBuilder::sum(ArrayRef<const SCEV *> Operands) {
  std::optional<AddressForm> R = AddressForm();
  for (const SCEV *Operand : Operands)
    if (R)
      R = ::sum(*R, build(Operand));
  return R;
}

std::optional<AddressForm>
FormBuilder::product(ArrayRef<const SCEV *> Operands) {
  std::optional<AddressForm> R = AddressForm::constant(1);
  for (const SCEV *Operand : Operands)
    if (R)
      R = ::product(*R, build(Operand));
  return R;
}

std::optional<AddressForm> FormBuilder::fold(ArrayRef<const SCEV *> Operands,
                                             AddressOp Op) {
  std::optional<AddressForm> R = build(Operands.front());
  for (const SCEV *Operand : drop_begin(Operands))
    if (R)
      R = operation(Op, *R, build(Operand));
  return R;
}

std::optional<AddressForm> FormBuilder::atIteration(const SCEVAddRecExpr &Rec) {
  unsigned Number = LoopNumbers.lookup(Rec.getLoop());
  if (Rec.isAffine()) {
    AddressForm Start = build(Rec.getStart());
    auto Moved = ::product(build(Rec.getStepRecurrence(SE)),
                           variable(Variable::Iterator, Number));
    return Moved ? ::sum(Start, *Moved) : std::nullopt;
  }
  bool Differs = any_of(drop_begin(Rec.operands()), [&](const SCEV *Step) {
    return build(Step).any([](Variable V) { return V.isThreadVarying(); });
  });
  return ::sum(
      build(Rec.getStart()),
      newUnknown(Differs ? Variable::Varying : Variable::Uniform, Number));
}

AddressForm FormBuilder::build(const SCEV *S) {
  if (auto Found = Done.find(S); Found != Done.end())
    return Found->second;
  std::optional<AddressForm> R;
  {
    SaveAndRestore Deeper(Depth, Depth + 1);
    if (Depth <= MaxFormDepth)
      R = compute(S);
  }
  return Done[S] = R ? std::move(*R) : tooLarge(S);
}

/// None: it is too large.
std::optional<AddressForm> FormBuilder::compute(const SCEV *S) {
  switch (S->getSCEVType()) {
  case scConstant: {
    const APInt &Value = cast<SCEVConstant>(S)->getAPInt();
    return AddressForm::constant(
        Value.getSignificantBits() <= 64 ? Value.getSExtValue() : 0);
  }
  case scTruncate: {
    const auto *T = cast<SCEVTruncateExpr>(S);
    AddressForm R = build(T->getOperand());
    // `tid & 31` arrives as a truncation to five bits.
    unsigned Bits = SE.getTypeSizeInBits(T->getType());
    if (Bits >= 32)
      return R;
    return operation(AddressOp::URem, R,
                     AddressForm::constant(int64_t(1) << Bits));
  }
  case scZeroExtend:
  case scSignExtend:
  case scPtrToInt:
    return build(cast<SCEVCastExpr>(S)->getOperand());
  case scAddExpr:
    return sum(S->operands());
  case scMulExpr:
    return product(S->operands());
  case scUDivExpr:
    return fold(S->operands(), AddressOp::UDiv);
  case scAddRecExpr:
    return atIteration(*cast<SCEVAddRecExpr>(S));
  case scSMaxExpr:
    return fold(S->operands(), AddressOp::SMax);
  case scUMaxExpr:
    return fold(S->operands(), AddressOp::UMax);
  case scSMinExpr:
    return fold(S->operands(), AddressOp::SMin);
  case scUMinExpr:
  case scSequentialUMinExpr:
    return fold(S->operands(), AddressOp::UMin);
  case scUnknown:
    return fromValue(cast<SCEVUnknown>(S)->getValue());
  default:
    return AddressForm();
  }
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
  AddressForm A = operand(Op, 0), B = operand(Op, 1);
  // By what is not known, i % w is i - i / w * w, as scalar evolution has it
  // where there is no sign: put together with i / w it is i again.
  if (*Kind == AddressOp::SRem && !B.asConstant()) {
    auto Quotient = operation(AddressOp::SDiv, A, B);
    auto Whole = Quotient ? ::product(B, *Quotient) : std::nullopt;
    if (Whole && A.size() + Whole->size() <= MaxFormSize)
      return A - *Whole;
  }
  if (auto R = operation(*Kind, A, B))
    return R;
  AddressForm R = unknown(const_cast<BinaryOperator *>(&Op));
  R.any([&](Variable V) { return Kernel.Unknowns[V.Index].IsTooLarge = true; });
  return R;
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
  if (auto Field = loadedField(Load, Kernel))
    return variable(Variable::Argument, *Field);
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
