// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between types. An integer of an odd width lives zero-extended in
// the next container.

#include "Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice::emulator;

static const char *floatName(const Type *T) {
  return T->isHalfTy()     ? "f16"
         : T->isBFloatTy() ? "bf16"
         : T->isFloatTy()  ? "f32"
                           : "f64";
}

void FunctionDecoder::convert(Conversion Op, Slot D, Slot X) {
  emit(H.Convert[unsigned(Op)][sizeIndex(X.Bytes)][sizeIndex(D.Bytes)]
                [X.Uniform],
       D.Offset, X.Offset);
}

/// Casts that keep the bits, with zeros or nothing in place of those that only
/// one of the types has.
void FunctionDecoder::decodeReinterpretation(const Slots &D, const Slots &A) {
  if (D.size() == 1 && A.size() == 1) {
    if (D[0].Bytes == A[0].Bytes)
      return copy(D[0], A[0], false);
    if (D[0].Bytes && A[0].Bytes) {
      Slot X = D[0].Uniform ? A[0] : varying(A[0]);
      X.Uniform = D[0].Uniform;
      return convert(
          D[0].Bytes < X.Bytes ? Conversion::Trunc : Conversion::ZExt, D[0], X);
    }
  }
  Repack R;
  R.From.append(A.begin(), A.end());
  R.To.append(D.begin(), D.end());
  emit(GenericOp::Repack).Extra = keep(std::move(R));
}

/// Of integers and i1, to wider integers and to floating point.
bool FunctionDecoder::decodeExtension(unsigned Opcode, Type *From, Type *To,
                                      Slot D, Slot X) {
  using O = llvm::Instruction;
  bool Signed = Opcode == O::SExt || Opcode == O::SIToFP;
  bool ToFloat = Opcode == O::UIToFP || Opcode == O::SIToFP;
  if (X.isMask()) {
    Slot Int = ToFloat ? newSlot(4, D.Uniform) : D;
    if (Int.Uniform)
      emit(Signed ? H.BitsToUniformSigned : H.BitsToUniform, Int.Offset,
           X.Offset);
    else
      emit((Signed ? H.BitsToIntSigned : H.BitsToInt)[sizeIndex(Int.Bytes)],
           Int.Offset, X.Offset);
    X = Int;
  } else {
    unsigned Bits = From->getIntegerBitWidth();
    if (Signed && Bits != X.Bytes * 8u)
      X = signExtended(X, Bits, D.Uniform);
    if (!ToFloat && D.Bytes == X.Bytes)
      copy(D, X, false);
    else if (!ToFloat)
      convert(Signed ? Conversion::SExt : Conversion::ZExt, D, X);
  }
  if (!ToFloat) {
    unsigned Bits = To->getIntegerBitWidth();
    if (Signed && Bits != D.Bytes * 8u)
      clearAbove(D, Bits);
    return true;
  }
  if (To->isFloatTy() || To->isDoubleTy()) {
    convert(Signed ? Conversion::SIToFP : Conversion::UIToFP, D, X);
    return true;
  }
  std::string Name = std::string("cvt.rn.") + floatName(To) +
                     (Signed ? ".s" : ".u") + utostr(uint64_t(X.Bytes) * 8);
  return laneCallByName(findPTXFunction(Name), {X}, {D});
}

bool FunctionDecoder::decodeCastComponent(unsigned Opcode, Type *From, Type *To,
                                          Slot D, Slot X) {
  using O = llvm::Instruction;
  if (!D.Uniform && !X.isMask() && !D.isMask())
    X = varying(X);
  if (D.Uniform && !X.Uniform)
    return false;
  switch (Opcode) {
  case O::ZExt:
  case O::UIToFP:
  case O::SExt:
  case O::SIToFP:
    return decodeExtension(Opcode, From, To, D, X);
  case O::Trunc:
    if (D.isMask()) {
      if (X.Uniform)
        emit(H.UniformToBits, D.Offset, X.Offset);
      else
        emit(H.IntToBits[sizeIndex(X.Bytes)], D.Offset, X.Offset);
      return true;
    }
    if (D.Bytes == X.Bytes)
      copy(D, X, false);
    else
      convert(Conversion::Trunc, D, X);
    if (unsigned Bits = To->getIntegerBitWidth(); Bits != D.Bytes * 8u)
      clearAbove(D, Bits);
    return true;
  case O::FPExt:
  case O::FPTrunc:
    if ((From->isFloatTy() && To->isDoubleTy()) ||
        (From->isDoubleTy() && To->isFloatTy())) {
      convert(Conversion::FPConvert, D, X);
      return true;
    }
    return laneCallByName(
        findPTXFunction(std::string(Opcode == O::FPExt ? "cvt." : "cvt.rn.") +
                        floatName(To) + "." + floatName(From)),
        {X}, {D});
  case O::FPToSI:
  case O::FPToUI: {
    Slot R = D.isMask() ? newSlot(4, D.Uniform) : D;
    std::string Name =
        std::string("cvt.rzi.") + (Opcode == O::FPToSI ? "s" : "u") +
        utostr(std::max(16, R.Bytes * 8)) + "." + floatName(From);
    Slot Wide = R.Bytes == 1 ? newSlot(2, D.Uniform) : R;
    if (!laneCallByName(findPTXFunction(Name), {X}, {Wide}))
      return false;
    if (R.Bytes == 1)
      convert(Conversion::Trunc, R, Wide);
    if (D.isMask())
      emit(R.Uniform ? H.UniformToBits : H.IntToBits[2], D.Offset, R.Offset);
    return true;
  }
  default:
    return false;
  }
}

void FunctionDecoder::decodeCast(CastInst &I) {
  using O = llvm::Instruction;
  const Slots D = slots(&I), A = slots(I.getOperand(0));
  unsigned Opcode = I.getOpcode();
  if (Opcode == O::BitCast || Opcode == O::PtrToInt || Opcode == O::IntToPtr ||
      Opcode == O::PtrToAddr)
    return decodeReinterpretation(D, A);
  Type *From = I.getSrcTy()->getScalarType(),
       *To = I.getDestTy()->getScalarType();
  for (auto [DS, AS] : zip(D, A))
    if (!decodeCastComponent(Opcode, From, To, DS, AS)) {
      std::string Text;
      raw_string_ostream(Text) << I;
      return unsupported("the conversion" + Text);
    }
}
