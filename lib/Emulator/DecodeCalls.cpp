// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: device functions, what the CUDA runtime gives device code (printf,
// malloc, assert), and intrinsics. Intrinsics that only compute are lane
// functions; the frequent ones have handlers of their own.

#include "Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

using namespace llvm;
using namespace sluice::emulator;

void FunctionDecoder::decodeCall(CallInst &I) {
  if (auto *Asm = dyn_cast<InlineAsm>(I.getCalledOperand()))
    return decodeAsm(I, *Asm);
  auto *Callee = dyn_cast<llvm::Function>(
      I.getCalledOperand()->stripPointerCastsAndAliases());
  StringRef Name = Callee ? Callee->getName() : "";
  if (Name.starts_with("sluice.divergent.")) { // see Prepare.cpp
    for (auto [To, From] : zip(slots(&I), slots(I.getArgOperand(0))))
      copy(To, From, false);
    return;
  }
  if (Name.consume_front("sluice.llvm."))
    return decodeIntrinsic(I, ("llvm." + Name).str());
  if (Callee && Callee->isIntrinsic())
    return decodeIntrinsic(I, Name);

  std::optional<SystemCall::Kind> System;
  if (Name == "vprintf")
    System = SystemCall::Printf;
  else if (Name == "malloc" || Name == "__nv_malloc")
    System = SystemCall::Malloc;
  else if (Name == "free")
    System = SystemCall::Free;
  else if (Name == "__assertfail" || Name == "__assert_fail")
    System = SystemCall::AssertFail;
  if (System && Callee->isDeclaration()) {
    SystemCall S;
    S.K = *System;
    for (Value *A : I.args())
      S.Arguments.push_back(slot(A));
    if (!I.getType()->isVoidTy())
      S.Results.push_back(slot(&I));
    emit(GenericOp::System).Extra = keep(std::move(S));
    if (*System == SystemCall::AssertFail)
      emit(H.Exit);
    return;
  }

  CallSite C;
  if (Callee) {
    C.Callee = DC.Functions.lookup(Callee);
    if (!C.Callee)
      return unsupported("a call of " + Callee->getName() +
                         ", which is not defined in this program");
  } else
    C.Pointer = slot(I.getCalledOperand());
  for (Value *A : I.args()) {
    const Slots S = slots(A);
    C.Arguments.append(S.begin(), S.end());
  }
  if (!I.getType()->isVoidTy()) {
    const Slots S = slots(&I);
    C.Results.append(S.begin(), S.end());
  }
  emit(H.Call).Extra = keep(std::move(C));
}

// Intrinsics that have a handler because loops are full of them.
bool FunctionDecoder::decodeFast(CallInst &I, StringRef Name) {
  Type *T = I.getType()->getScalarType();
  const bool Vector = I.getType()->isVectorTy();
  StringRef Base = Name.take_front(Name.find('.', 5));
  bool Double = T->isDoubleTy();
  bool IsFloat = T->isFloatTy() || Double;
  auto Flush = [&] {
    return T->isFloatTy() && F.getFnAttribute("denormal-fp-math-f32")
                                 .getValueAsString()
                                 .starts_with("preserve-sign");
  };
  if (IsFloat && !Flush() &&
      (Base == "llvm.fma" || Base == "llvm.fmuladd" ||
       (!Vector &&
        (Name == "llvm.nvvm.fma.rn.f" || Name == "llvm.nvvm.fma.rn.d")))) {
    const Slots D = slots(&I), A = slots(I.getArgOperand(0)),
                B = slots(I.getArgOperand(1)), E = slots(I.getArgOperand(2));
    for (auto [DS, AS, BS, ES] : zip(D, A, B, E)) {
      unsigned Form = AS.Uniform | BS.Uniform << 1 | ES.Uniform << 2;
      Slot X = AS;
      if (DS.Uniform && Form != 7)
        return false;
      if (!DS.Uniform && Form == 7) {
        X = varying(X);
        Form = 6;
      }
      emit(H.Fma[Double][Form], DS.Offset, X.Offset, BS.Offset).E = ES.Offset;
    }
    return true;
  }
  const Handler(*Unary)[2] = nullptr;
  if (IsFloat && Base == "llvm.fabs")
    Unary = H.FAbs;
  else if (IsFloat && !Flush() &&
           (Base == "llvm.sqrt" || Name == "llvm.nvvm.sqrt.rn.f" ||
            Name == "llvm.nvvm.sqrt.rn.d"))
    Unary = H.FSqrt;
  if (Unary) {
    const Slots A = slots(I.getArgOperand(0));
    for (auto [DS, AS] : zip(slots(&I), A))
      emit(Unary[Double][DS.Uniform], DS.Offset,
           DS.Uniform ? AS.Offset : varying(AS).Offset);
    return true;
  }
  std::optional<Arithmetic> Op;
  if (T->isIntegerTy() && isPowerOf2_32(T->getIntegerBitWidth()) &&
      T->getIntegerBitWidth() >= 8)
    Op = StringSwitch<std::optional<Arithmetic>>(Base)
             .Case("llvm.smin", Arithmetic::SMin)
             .Case("llvm.smax", Arithmetic::SMax)
             .Case("llvm.umin", Arithmetic::UMin)
             .Case("llvm.umax", Arithmetic::UMax)
             .Default(std::nullopt);
  else if (IsFloat && !Flush())
    Op = StringSwitch<std::optional<Arithmetic>>(Base)
             .Case("llvm.minnum", Arithmetic::FMin)
             .Case("llvm.maxnum", Arithmetic::FMax)
             .Default(std::nullopt);
  if (!Op)
    return false;
  const Slots A = slots(I.getArgOperand(0)), B = slots(I.getArgOperand(1));
  for (auto [DS, AS, BS] : zip(slots(&I), A, B)) {
    Slot X = AS;
    if (DS.Uniform && !(AS.Uniform && BS.Uniform))
      return false;
    if (!DS.Uniform && X.Uniform && BS.Uniform)
      X = varying(X);
    emit(H.Arith[unsigned(*Op)][sizeIndex(DS.Bytes)]
                [X.Uniform | BS.Uniform << 1],
         DS.Offset, X.Offset, BS.Offset);
  }
  return true;
}

// \p Name as PTX has it, without '%': "tid.x", "lanemask_lt", "clock64".
bool FunctionDecoder::decodeSpecialRegister(StringRef Name, Slot D) {
  unsigned Dimension = 0;
  StringRef Base = Name;
  if (Name.size() > 2 && Name[Name.size() - 2] == '.') {
    char C = Name.back();
    if (C >= 'w' && C <= 'z') {
      Dimension = C == 'w' ? 3 : C - 'x';
      Base = Name.drop_back(2);
    }
  }
  using S = SpecialRegister;
  if (Base.starts_with("envreg")) {
    Base.drop_front(6).getAsInteger(10, Dimension);
    Base = "envreg";
  }
  auto R =
      StringSwitch<std::optional<S>>(Base)
          .Case("tid", S::Tid)
          .Case("ntid", S::Ntid)
          .Case("ctaid", S::Ctaid)
          .Case("nctaid", S::Nctaid)
          .Case("laneid", S::LaneId)
          .Case("warpid", S::WarpId)
          .Case("nwarpid", S::NWarpId)
          .Case("smid", S::SmId)
          .Case("nsmid", S::NSmId)
          .Case("gridid", S::GridId)
          .Case("warpsize", S::WarpSize)
          .Cases({"lanemask_eq", "lanemask.eq"}, S::LaneMaskEq)
          .Cases({"lanemask_lt", "lanemask.lt"}, S::LaneMaskLt)
          .Cases({"lanemask_le", "lanemask.le"}, S::LaneMaskLe)
          .Cases({"lanemask_gt", "lanemask.gt"}, S::LaneMaskGt)
          .Cases({"lanemask_ge", "lanemask.ge"}, S::LaneMaskGe)
          .Case("clock", S::Clock)
          .Case("clock64", S::Clock64)
          .Case("clock_hi", S::Zero)
          .Cases({"globaltimer", "globaltimer_lo", "globaltimer.lo"},
                 S::GlobalTimer)
          .Cases({"total_smem_size", "aggr_smem_size"}, S::TotalShared)
          .Case("dynamic_smem_size", S::DynamicShared)
          .Case("envreg", S::EnvReg)
          .Cases({"cluster_ctaid", "cluster.ctaid"}, S::ClusterCtaid)
          .Cases({"cluster_nctaid", "cluster.nctaid"}, S::ClusterNctaid)
          .Case("clusterid", S::ClusterId)
          .Case("nclusterid", S::NClusterId)
          .Cases({"cluster_ctarank", "cluster.ctarank"}, S::ClusterCtaRank)
          .Cases({"cluster_nctarank", "cluster.nctarank"}, S::ClusterNctaRank)
          .Case("is_explicit_cluster", S::IsExplicitCluster)
          .Cases({"reserved_smem_offset_begin", "reserved_smem_offset_0",
                  "reserved_smem_offset_1"},
                 S::ReservedShared)
          .Default(std::nullopt);
  if (!R)
    return false;
  // One result slot in a WarpOp-like record would be too much: D and its kind
  // fit in the instruction. Site is the register, Order the dimension, Count
  // the bytes, B whether the slot is uniform.
  Instruction &X = emit(GenericOp::Special);
  X.D = D.Offset;
  X.Site = unsigned(*R);
  X.Order = Dimension;
  X.Count = D.Bytes;
  X.B = D.Uniform;
  return true;
}

// An operation on vectors, as the scalar operation on each component.
bool FunctionDecoder::decodeByComponents(CallInst &I, StringRef Name) {
  if (const LaneFunction *Fn = findIntrinsicFunction(Name)) {
    SmallVector<Slot, 4> Operands;
    bool Packed = false;
    for (Value *A : I.args()) {
      const Slots S = slots(A);
      if (S.size() == 2 && S[0].Bytes == 2) { // f16x2 travels as one word
        Slot Word = newSlot(4, false);
        Repack R;
        R.From.append(S.begin(), S.end());
        R.To.push_back(Word);
        emit(GenericOp::Repack).Extra = keep(std::move(R));
        Operands.push_back(Word);
        Packed = true;
      } else
        Operands.append(S.begin(), S.end());
    }
    const Slots D = slots(&I);
    if (D.size() == 2 && D[0].Bytes == 2 && Fn->Results == 1) {
      Slot Word = newSlot(4, false);
      if (!laneCallByName(Fn, Operands, {Word}))
        return false;
      Repack R;
      R.From.push_back(Word);
      R.To.append(D.begin(), D.end());
      emit(GenericOp::Repack).Extra = keep(std::move(R));
      return true;
    }
    (void)Packed;
    return laneCallByName(Fn, Operands, D);
  }
  // "llvm.smax.v4i32": ask for "llvm.smax.i32".
  auto *V = dyn_cast<FixedVectorType>(I.getType());
  if (!V && I.arg_size())
    V = dyn_cast<FixedVectorType>(I.getArgOperand(0)->getType());
  if (!V)
    return false;
  std::string Scalar = Name.str();
  for (std::string Type :
       {"f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64"}) {
    std::string From = ".v" + utostr(V->getNumElements()) + Type;
    for (size_t At; (At = Scalar.find(From)) != std::string::npos;)
      Scalar.replace(At, From.size(), "." + Type);
  }
  const LaneFunction *Fn = findIntrinsicFunction(Scalar);
  if (!Fn)
    return false;
  const Slots D = slots(&I);
  for (unsigned J = 0; J < V->getNumElements(); ++J) {
    SmallVector<Slot, 4> Operands;
    for (Value *A : I.args()) {
      const Slots S = slots(A);
      Operands.push_back(S.size() > 1 ? S[J] : S[0]);
    }
    SmallVector<Slot, 2> Results;
    for (unsigned K = 0; K < D.size() / V->getNumElements(); ++K)
      Results.push_back(D[K * V->getNumElements() + J]);
    if (!laneCallByName(Fn, Operands, Results))
      return false;
  }
  return true;
}

static bool startsWithOneOf(StringRef Name,
                            std::initializer_list<StringRef> Prefixes) {
  return any_of(Prefixes, [&](StringRef P) { return Name.starts_with(P); });
}

/// What says something to a compiler, a cache or a debugger.
static bool doesNothing(StringRef Name) {
  return startsWithOneOf(Name,
                         {"llvm.lifetime.",      "llvm.dbg.",
                          "llvm.assume",         "llvm.donothing",
                          "llvm.sideeffect",     "llvm.experimental.noalias",
                          "llvm.invariant.end",  "llvm.prefetch",
                          "llvm.nvvm.prefetch",  "llvm.nvvm.fence.",
                          "llvm.pseudoprobe",    "llvm.nvvm.applypriority",
                          "llvm.nvvm.discard",   "llvm.nvvm.griddepcontrol",
                          "llvm.nvvm.pm.event",  "llvm.nvvm.setmaxnreg",
                          "llvm.var.annotation", "llvm.fake.use",
                          "llvm.nvvm.exit.",     "llvm.ubsantrap.none"});
}

/// Is its first operand its result?
static bool isItsOperand(StringRef Name) {
  return startsWithOneOf(
      Name, {"llvm.launder.", "llvm.strip.", "llvm.expect", "llvm.ssa.copy",
             "llvm.annotation", "llvm.ptr.annotation", "llvm.arithmetic.fence",
             "llvm.threadlocal.address", "llvm.nvvm.bitcast."});
}

void FunctionDecoder::decodeIntrinsic(CallInst &I, StringRef Name) {
  if (Name.starts_with("llvm.masked.load."))
    return decodeMaskedLoad(I);
  if (Name.starts_with("llvm.masked.store."))
    return decodeMaskedStore(I);
  if (Name.starts_with("llvm.nvvm.membar.") ||
      Name.starts_with("llvm.nvvm.fence.acq_rel.") ||
      Name.starts_with("llvm.nvvm.fence.sc."))
    return decodeFence();
  if (doesNothing(Name)) {
    emit(GenericOp::Nothing);
    return;
  }
  if (isItsOperand(Name)) {
    const Slots From = slots(I.getArgOperand(0));
    for (auto [D, S] : zip(slots(&I), From))
      copy(D, S, false);
    return;
  }
  if (Name.starts_with("llvm.invariant.start"))
    return copy(slot(&I), constant(0, 8), false);
  if (Name.starts_with("llvm.is.constant"))
    return copy(slot(&I), constant(0, 0), false);
  if (Name.starts_with("llvm.objectsize"))
    return copy(slot(&I), constant(~uint64_t(0), slot(&I).Bytes), false);
  if (Name == "llvm.trap" || Name == "llvm.debugtrap" ||
      Name.starts_with("llvm.ubsantrap")) {
    emit(H.Trap);
    return;
  }
  if (Name == "llvm.nvvm.exit") {
    emit(H.Exit);
    return;
  }
  if (Name.starts_with("llvm.nvvm.nanosleep")) {
    emit(GenericOp::Observe); // no access: a hint that the lanes wait
    return;
  }
  if (Name == "llvm.nvvm.activemask") {
    Instruction &X = emit(GenericOp::Special);
    Slot D = slot(&I);
    X.D = D.Offset;
    X.Site = unsigned(SpecialRegister::ActiveMask);
    X.Count = D.Bytes;
    X.B = D.Uniform;
    return;
  }
  if (Name == "llvm.nvvm.is_explicit_cluster")
    return copy(slot(&I), constant(0, 0), false);
  StringRef Rest = Name;
  if (Rest.consume_front("llvm.nvvm.read.ptx.sreg.")) {
    if (!decodeSpecialRegister(Rest, slot(&I)))
      unsupported("the special register %" + Rest);
    return;
  }
  if (Rest.consume_front("llvm.nvvm.isspacep.")) {
    Instruction &X = emit(GenericOp::IsSpace);
    Slot A = slot(I.getArgOperand(0)), D = slot(&I);
    X.D = D.Offset;
    X.A = A.Offset;
    X.B = A.Uniform;
    X.Order = D.Uniform;
    X.Count = StringSwitch<unsigned>(Rest)
                  .Case("global", unsigned(Space::Global))
                  .Cases({"shared", "shared.cluster"}, unsigned(Space::Shared))
                  .Case("local", unsigned(Space::Local))
                  .Default(unsigned(Space::Generic)); // const
    return;
  }
  if (Name.starts_with("llvm.nvvm.ldu.global.") ||
      Name.starts_with("llvm.nvvm.ldg.global."))
    return decodeLoad(I, I.getArgOperand(0), false);
  if (decodeFast(I, Name) || decodeWarp(I, Name) || decodeBarrier(I, Name) ||
      decodeMBarrier(I, Name) || decodeAsyncGroup(I, Name) ||
      decodeAtomicIntrinsic(I, Name) || decodeByComponents(I, Name))
    return;
  unsupported("the intrinsic " + Name);
}
