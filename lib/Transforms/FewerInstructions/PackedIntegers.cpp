// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's header writes __vadd4(a, b) and its like as the SIMD video
// instructions of PTX ("vadd4.u32.u32.u32"), which were instructions of Kepler.
// For later chips the assembler takes the word apart into its lanes, and puts
// the results together again: up to thirty instructions. nvcc's header has
// operations on the whole word, as here:
//
//   vadd4  d, a, b  =>  d = ((a & 0x7f7f7f7f) + (b & 0x7f7f7f7f))
//                           ^ ((a ^ b) & 0x80808080)
//
// No lane carries into the next one, as the highest bits of the lanes are added
// without carry, by ^. The formulas are those that are known for this ("SIMD
// within a register"); what each has to give is in the PTX ISA, "SIMD Video
// Instructions".
//
// vabsdiff4.u32 stays: it is one instruction of the chip still. vabsdiff4.s32
// becomes it: adding 128 to both operands makes unsigned numbers of them that
// are as far apart.

#include "FewerInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

namespace {

/// A video instruction's name, taken apart: "vset4.s32.s32.ge".
struct VideoName {
  StringRef Operation; ///< "vset"
  unsigned Bits;       ///< Of a lane: 8 or 16.
  bool IsSigned = false, Saturates = false, Adds = false;
  StringRef Comparison; ///< Of vset.
};

/// Words of lanes of \p Bits bits. Where a value is called a *flag*, only the
/// highest bit of each lane counts.
class Lanes {
public:
  Lanes(IRBuilder<> &IR, unsigned Bits, bool IsWrong)
      : IR(IR), Bits(Bits), Low(Bits == 8 ? 0x01010101 : 0x00010001),
        High(Low << (Bits - 1)), IsWrong(IsWrong) {}

  Value *add(Value *A, Value *B);
  Value *subtract(Value *A, Value *B);
  Value *addSaturated(Value *A, Value *B, bool IsSigned);
  Value *subtractSaturated(Value *A, Value *B, bool IsSigned);
  Value *average(Value *A, Value *B, bool IsSigned);
  Value *absoluteDifference(Value *A, Value *B, bool IsSigned);
  Value *saturatedToSigned(Value *V);
  Value *sum(Value *V, Value *Onto);
  /// A flag: the lane of \p A is less than \p B's.
  Value *less(Value *A, Value *B, bool IsSigned);
  Value *differs(Value *A, Value *B);
  /// Ones in the lanes whose flag is set.
  Value *mask(Value *Flag);
  /// 1 in the lanes whose flag is set.
  Value *one(Value *Flag);
  Value *choose(Value *Mask, Value *Set, Value *Unset);
  /// Signed numbers as unsigned ones of the same order.
  Value *biased(Value *V) { return IR.CreateXor(V, High); }

private:
  Value *halved(Value *V) { return IR.CreateAnd(IR.CreateLShr(V, 1), ~High); }
  Value *saturated(Value *V, Value *Overflow, Value *A);

  IRBuilder<> &IR;
  const unsigned Bits;
  const uint32_t Low, High; ///< The lowest and the highest bit of each lane.
  const bool IsWrong;       ///< WrongRewrite::CarriedLane
};

} // namespace

Value *Lanes::mask(Value *Flag) {
  // prmt copies the sign of a byte: of bytes 3, 2, 1, 0, or 3, 3, 1, 1.
  Value *Zero = IR.getInt32(0);
  return IR.CreateIntrinsic(
      Intrinsic::nvvm_prmt,
      {Flag, Zero, IR.getInt32(Bits == 8 ? 0xba98 : 0xbb99)});
}

Value *Lanes::one(Value *Flag) {
  return IR.CreateAnd(IR.CreateLShr(Flag, Bits - 1), Low);
}

Value *Lanes::choose(Value *Mask, Value *Set, Value *Unset) {
  return IR.CreateOr(IR.CreateAnd(Set, Mask),
                     IR.CreateAnd(Unset, IR.CreateNot(Mask)));
}

Value *Lanes::add(Value *A, Value *B) {
  if (IsWrong)
    return IR.CreateAdd(A, B);
  return IR.CreateXor(
      IR.CreateAdd(IR.CreateAnd(A, ~High), IR.CreateAnd(B, ~High)),
      IR.CreateAnd(IR.CreateXor(A, B), High));
}

Value *Lanes::subtract(Value *A, Value *B) {
  return IR.CreateXor(
      IR.CreateSub(IR.CreateOr(A, High), IR.CreateAnd(B, ~High)),
      IR.CreateAnd(IR.CreateXor(A, IR.CreateNot(B)), High));
}

/// The borrow out of the highest bits of A - B. What is borrowed from them is
/// where a subtraction below a set bit has cleared it.
Value *Lanes::less(Value *A, Value *B, bool IsSigned) {
  Value *Kept = IR.CreateSub(IR.CreateOr(A, High), IR.CreateAnd(B, ~High));
  if (IsSigned)
    std::swap(A, B);
  Value *NotA = IR.CreateNot(A), *Borrow = IR.CreateNot(Kept);
  // The majority of the three.
  return IR.CreateOr(IR.CreateAnd(NotA, B),
                     IR.CreateAnd(IR.CreateOr(NotA, B), Borrow));
}

Value *Lanes::differs(Value *A, Value *B) {
  Value *Different = IR.CreateXor(A, B);
  return IR.CreateOr(
      IR.CreateAdd(IR.CreateAnd(Different, ~High), IR.getInt32(~High)),
      Different);
}

/// \p V, but what is nearest to it of the lane's range where \p Overflow: then
/// \p A has the sign of the exact result.
Value *Lanes::saturated(Value *V, Value *Overflow, Value *A) {
  Value *Nearest = IR.CreateXor(mask(A), ~High);
  return choose(mask(Overflow), Nearest, V);
}

Value *Lanes::addSaturated(Value *A, Value *B, bool IsSigned) {
  Value *Sum = add(A, B);
  if (IsSigned)
    return saturated(
        Sum, IR.CreateAnd(IR.CreateXor(A, Sum), IR.CreateXor(B, Sum)), A);
  Value *Carry = IR.CreateOr(
      IR.CreateAnd(A, B), IR.CreateAnd(IR.CreateOr(A, B), IR.CreateNot(Sum)));
  return IR.CreateOr(Sum, mask(Carry));
}

Value *Lanes::subtractSaturated(Value *A, Value *B, bool IsSigned) {
  Value *Difference = subtract(A, B);
  if (IsSigned)
    return saturated(
        Difference,
        IR.CreateAnd(IR.CreateXor(A, B), IR.CreateXor(A, Difference)), A);
  return IR.CreateAnd(Difference, IR.CreateNot(mask(less(A, B, false))));
}

/// (A + B + 1) / 2 of unsigned numbers: A | B less half of where they differ.
/// Signed ones are rounded away from zero, so that those below are rounded
/// down.
Value *Lanes::average(Value *A, Value *B, bool IsSigned) {
  Value *Differs = IR.CreateXor(A, B);
  if (!IsSigned)
    return IR.CreateSub(IR.CreateOr(A, B), halved(Differs));
  Value *Down =
      biased(IR.CreateAdd(IR.CreateAnd(biased(A), biased(B)), halved(Differs)));
  return IR.CreateAdd(Down, IR.CreateAnd(one(IR.CreateNot(Down)), Differs));
}

Value *Lanes::absoluteDifference(Value *A, Value *B, bool IsSigned) {
  if (IsSigned) {
    A = biased(A);
    B = biased(B);
  }
  // -D is ~D + 1, where D is not 0.
  Value *IsLess = mask(less(A, B, false));
  return IR.CreateAdd(IR.CreateXor(subtract(A, B), IsLess),
                      IR.CreateAnd(IsLess, Low));
}

/// Of unsigned numbers: what is above the range of signed ones is its end.
Value *Lanes::saturatedToSigned(Value *V) {
  return IR.CreateAnd(IR.CreateOr(V, mask(V)), ~High);
}

Value *Lanes::sum(Value *V, Value *Onto) {
  if (Bits == 8)
    V = IR.CreateAdd(IR.CreateAnd(V, 0x00ff00ff),
                     IR.CreateAnd(IR.CreateLShr(V, 8), 0x00ff00ff));
  return IR.CreateAdd(
      Onto, IR.CreateAdd(IR.CreateAnd(V, 0xffff), IR.CreateLShr(V, 16)));
}

//===- Which instructions -------------------------------------------------===//

static std::optional<VideoName> videoName(StringRef Text) {
  if (!Text.consume_back(" $0,$1,$2,$3;"))
    return std::nullopt;
  SmallVector<StringRef, 5> Parts;
  Text.split(Parts, '.');
  VideoName Name;
  Name.Operation = Parts.front();
  if (Name.Operation.consume_back("4"))
    Name.Bits = 8;
  else if (Name.Operation.consume_back("2"))
    Name.Bits = 16;
  else
    return std::nullopt;
  // vset has no type of its result.
  const bool Compares = Name.Operation == "vset";
  const size_t Types = Compares ? 2 : 3;
  if (Parts.size() < 1 + Types || Parts.size() > 2 + Types ||
      (Parts[1] != "u32" && Parts[1] != "s32") ||
      !all_equal(ArrayRef(Parts).slice(1, Types)))
    return std::nullopt;
  Name.IsSigned = Parts[1] == "s32";
  const StringRef Last = Parts.size() > 1 + Types ? Parts.back() : StringRef();
  if (Compares)
    Name.Comparison = Last;
  Name.Saturates = Last == "sat";
  Name.Adds = Last == "add";
  return Compares || Last.empty() || Name.Saturates || Name.Adds
             ? std::optional(Name)
             : std::nullopt;
}

/// A flag of the comparison, or null.
static Value *compared(Lanes &In, IRBuilder<> &IR, const VideoName &Name,
                       Value *A, Value *B) {
  const StringRef How = Name.Comparison;
  if (How == "ne")
    return In.differs(A, B);
  if (How == "eq")
    return IR.CreateNot(In.differs(A, B));
  if (How == "lt")
    return In.less(A, B, Name.IsSigned);
  if (How == "gt")
    return In.less(B, A, Name.IsSigned);
  if (How == "ge")
    return IR.CreateNot(In.less(A, B, Name.IsSigned));
  if (How == "le")
    return IR.CreateNot(In.less(B, A, Name.IsSigned));
  return nullptr;
}

/// Multiplied by this the header makes a mask of vset's 1.
static bool makesMask(const User *U, unsigned Bits) {
  return match(U, m_Mul(m_Value(), m_SpecificInt((1U << Bits) - 1)));
}

/// In the place of \p Call; false: it stays.
static bool replaceComparison(CallBase &Call, const VideoName &Name,
                              bool IsWrong) {
  IRBuilder<> IR(&Call);
  Lanes In(IR, Name.Bits, IsWrong);
  Value *Flag =
      compared(In, IR, Name, Call.getArgOperand(0), Call.getArgOperand(1));
  if (!Flag)
    return false;
  Value *Mask = nullptr;
  for (User *U : make_early_inc_range(Call.users()))
    if (makesMask(U, Name.Bits)) {
      if (!Mask)
        Mask = In.mask(Flag);
      U->replaceAllUsesWith(Mask);
      cast<Instruction>(U)->eraseFromParent();
    }
  if (!Call.use_empty())
    Call.replaceAllUsesWith(In.one(Flag));
  Call.eraseFromParent();
  return true;
}

/// vabsdiff4 of unsigned numbers, which the chip has, or null.
static Value *byUnsigned(CallBase &Call, const VideoName &Name, Lanes &In,
                         IRBuilder<> &IR) {
  if (!Name.IsSigned || Name.Bits != 8)
    return nullptr;
  auto *Old = cast<InlineAsm>(Call.getCalledOperand());
  InlineAsm *New =
      InlineAsm::get(Old->getFunctionType(),
                     Name.Adds ? "vabsdiff4.u32.u32.u32.add $0,$1,$2,$3;"
                               : "vabsdiff4.u32.u32.u32 $0,$1,$2,$3;",
                     Old->getConstraintString(), /*hasSideEffects=*/false);
  CallInst *Made = IR.CreateCall(New, {In.biased(Call.getArgOperand(0)),
                                       In.biased(Call.getArgOperand(1)),
                                       Call.getArgOperand(2)});
  Made->setAttributes(Call.getAttributes());
  return Made;
}

static Value *difference(CallBase &Call, const VideoName &Name, Lanes &In,
                         IRBuilder<> &IR) {
  if (Name.Bits == 8 && !Name.IsSigned)
    return nullptr;
  Value *Result = byUnsigned(Call, Name, In, IR);
  const bool IsWhole = Result;
  if (!Result)
    Result = In.absoluteDifference(Call.getArgOperand(0), Call.getArgOperand(1),
                                   Name.IsSigned);
  if (Name.Saturates)
    return Name.IsSigned ? In.saturatedToSigned(Result) : Result;
  return Name.Adds && !IsWhole ? In.sum(Result, Call.getArgOperand(2)) : Result;
}

/// What \p Call gives, or null: it stays.
static Value *inWords(CallBase &Call, const VideoName &Name, bool IsWrong) {
  IRBuilder<> IR(&Call);
  Lanes In(IR, Name.Bits, IsWrong);
  Value *A = Call.getArgOperand(0), *B = Call.getArgOperand(1);
  if (Name.Operation == "vabsdiff")
    return difference(Call, Name, In, IR);
  if (Name.Adds)
    return nullptr;
  if (Name.Operation == "vadd")
    return Name.Saturates ? In.addSaturated(A, B, Name.IsSigned) : In.add(A, B);
  if (Name.Operation == "vsub")
    return Name.Saturates ? In.subtractSaturated(A, B, Name.IsSigned)
                          : In.subtract(A, B);
  if (Name.Saturates)
    return nullptr;
  if (Name.Operation == "vavrg")
    return In.average(A, B, Name.IsSigned);
  if (Name.Operation == "vmin")
    return In.choose(In.mask(In.less(A, B, Name.IsSigned)), A, B);
  if (Name.Operation == "vmax")
    return In.choose(In.mask(In.less(A, B, Name.IsSigned)), B, A);
  return nullptr;
}

/// \p Call as one of these instructions, which computes and does no more.
static std::optional<VideoName> videoOf(const CallBase &Call) {
  const auto *Code = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Code || Code->hasSideEffects() || !Call.getType()->isIntegerTy(32) ||
      Call.arg_size() != 3 ||
      StringRef(Code->getConstraintString()) != "=r,r,r,r" ||
      !all_of(Call.args(),
              [](const Use &U) { return U->getType()->isIntegerTy(32); }))
    return std::nullopt;
  return videoName(Code->getAsmString());
}

Rewritten sluice::computeInWords(Function &F, ChangeTest MayChange,
                                 bool IsWrong) {
  SmallVector<std::pair<CallBase *, VideoName>, 16> Found;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (auto Name = videoOf(*Call); Name && MayChange(I))
        Found.push_back({Call, *Name});
  Rewritten Done;
  for (auto &[Call, Name] : Found) {
    const DebugLoc At = Call->getDebugLoc();
    if (Name.Operation == "vset") {
      if (!replaceComparison(*Call, Name, IsWrong))
        continue;
    } else {
      Value *Result = inWords(*Call, Name, IsWrong);
      if (!Result)
        continue;
      Call->replaceAllUsesWith(Result);
      Call->eraseFromParent();
    }
    if (!Done.Count++)
      Done.At = At;
  }
  return Done;
}
