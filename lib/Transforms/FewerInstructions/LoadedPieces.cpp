// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small struct that begins at any byte, and whose members are used:
//
//   struct Pixel { unsigned char r, g, b, a; };
//   Pixel p = image[i];  ... p.r ... p.g ...
//
//   %p = load i32, ptr %from, align 1
//   %r = trunc i32 %p to i8
//   %1 = lshr i32 %p, 8
//   %g = trunc i32 %1 to i8
// becomes
//   %r = load i8, ptr %from
//   %g = load i8, ptr %from + 1
//
// LLVM copies a struct of 2, 4 or 8 bytes as one number. The code generator
// reads that byte by byte, as it may begin anywhere, and joins the bytes by
// shifts, only for them to be taken apart again. It is done where all that is
// used are pieces that an access of their alignment reads.

#include "FewerInstructions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

static constexpr unsigned ByteBits = 8;

namespace {

/// Of a number that is loaded, from its lowest bit on.
struct Piece {
  Instruction *I; ///< Has it: as it is, or with zeros above.
  unsigned Offset, Bits;
};

} // namespace

/// The piece that \p I is of a number whose bits from \p Offset on it has as
/// operand; none: more than one.
static std::optional<Piece> pieceOf(Instruction &I, unsigned Offset) {
  const APInt *Mask;
  if (isa<TruncInst>(I))
    return Piece{&I, Offset, I.getType()->getScalarSizeInBits()};
  if (match(&I, m_And(m_Value(), m_APInt(Mask))) && !Mask->isZero())
    return Piece{&I, Offset,
                 unsigned(PowerOf2Ceil(alignTo(Mask->getActiveBits(), 8)))};
  return std::nullopt;
}

/// What takes \p Load apart, from its first byte on; none: something uses more
/// of it.
static SmallVector<Piece, 8> piecesOf(LoadInst &Load) {
  SmallVector<Piece, 8> Pieces;
  const unsigned Bits = Load.getType()->getIntegerBitWidth();
  auto Add = [&](User *U, unsigned Offset) {
    const auto P = pieceOf(*cast<Instruction>(U), Offset);
    if (P)
      Pieces.push_back(*P);
    return P.has_value();
  };
  for (User *U : Load.users()) {
    uint64_t Shift;
    if (!match(U, m_LShr(m_Specific(&Load), m_ConstantInt(Shift))) ||
        Shift >= Bits) {
      if (!Add(U, 0))
        return {};
      continue;
    }
    const size_t Before = Pieces.size();
    if (!U->use_empty() &&
        all_of(U->users(), [&](User *Of) { return Add(Of, unsigned(Shift)); }))
      continue;
    // All above it, with zeros.
    Pieces.truncate(Before);
    Pieces.push_back(
        {cast<Instruction>(U), unsigned(Shift), Bits - unsigned(Shift)});
  }
  llvm::sort(Pieces, [](const Piece &A, const Piece &B) {
    return std::pair(A.Offset, A.Bits) < std::pair(B.Offset, B.Bits);
  });
  return Pieces;
}

/// Does an access of \p Load's alignment, or less, read \p P and nothing
/// beyond?
static bool isWhole(const Piece &P, const LoadInst &Load) {
  return P.Bits % ByteBits == 0 && isPowerOf2_32(P.Bits) &&
         P.Bits <= Load.getAlign().value() * ByteBits &&
         P.Offset % P.Bits == 0 &&
         P.Offset + P.Bits <= Load.getType()->getIntegerBitWidth();
}

static Value *readPiece(LoadInst &Load, unsigned Offset, unsigned Bits) {
  IRBuilder<> B(&Load);
  const unsigned From = Offset / ByteBits;
  auto *Part = B.CreateAlignedLoad(
      B.getIntNTy(Bits),
      B.CreateInBoundsPtrAdd(Load.getPointerOperand(), B.getInt64(From)),
      commonAlignment(Load.getAlign(), From));
  Part->copyMetadata(Load,
                     {LLVMContext::MD_noalias, LLVMContext::MD_alias_scope,
                      LLVMContext::MD_invariant_load});
  return Part;
}

static void readPieces(LoadInst &Load, ArrayRef<Piece> Pieces, bool IsWrong) {
  const unsigned Bits = Load.getType()->getIntegerBitWidth();
  DenseMap<std::pair<unsigned, unsigned>, Value *> Read;
  SmallSetVector<Instruction *, 8> Shifts;
  for (const Piece &P : Pieces) {
    Value *&V = Read[{P.Offset, P.Bits}];
    if (!V)
      V = readPiece(Load, IsWrong ? (P.Offset + P.Bits) % Bits : P.Offset,
                    P.Bits);
    if (auto *Shift = dyn_cast<Instruction>(P.I->getOperand(0)); Shift != &Load)
      Shifts.insert(Shift);
    IRBuilder<> B(P.I);
    Value *Whole = B.CreateZExt(V, P.I->getType());
    if (P.I->getOpcode() == Instruction::And) {
      P.I->setOperand(0, Whole);
      continue;
    }
    P.I->replaceAllUsesWith(Whole);
    P.I->eraseFromParent();
  }
  for (Instruction *Shift : Shifts)
    Shift->eraseFromParent();
  Load.eraseFromParent();
}

/// Is \p Load read piece by piece, as it may begin anywhere?
static bool isSplit(const LoadInst &Load, const DataLayout &Layout) {
  if (!Load.isSimple() || !Load.getType()->isIntegerTy())
    return false;
  const TypeSize Size = Layout.getTypeStoreSize(Load.getType());
  return Load.getAlign().value() < Size && Size <= sizeof(uint64_t);
}

Rewritten sluice::loadPieces(Function &F, ChangeTest MayChange, bool IsWrong) {
  SmallVector<LoadInst *, 8> Loads;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && isSplit(*Load, F.getDataLayout()) && MayChange(*Load))
      Loads.push_back(Load);
  Rewritten Done;
  for (LoadInst *Load : Loads) {
    const auto Pieces = piecesOf(*Load);
    if (Pieces.empty() ||
        !all_of(Pieces, [&](const Piece &P) { return isWhole(P, *Load); }))
      continue;
    if (!Done.Count++)
      Done.At = Load->getDebugLoc();
    readPieces(*Load, Pieces, IsWrong);
  }
  return Done;
}
