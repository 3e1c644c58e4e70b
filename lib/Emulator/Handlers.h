// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The handlers that do arithmetic, memory accesses and control flow on whole
/// warps. They are compiled once for each instruction set (Handlers.inc) and
/// the decoder picks from the table of the set that this CPU has.

#ifndef SLUICE_LIB_EMULATOR_HANDLERS_H
#define SLUICE_LIB_EMULATOR_HANDLERS_H

#include "Program.h"

namespace sluice::emulator {

enum class Arithmetic : uint8_t {
  // Integers of 8, 16, 32 and 64 bits.
  Add,
  Sub,
  Mul,
  And,
  Or,
  Xor,
  Shl,
  LShr,
  AShr,
  UDiv,
  SDiv,
  URem,
  SRem,
  SMin,
  SMax,
  UMin,
  UMax,
  // Floats of 32 and 64 bits.
  FAdd,
  FSub,
  FMul,
  FDiv,
  FMin,
  FMax,
  NumOps,
};

enum class Comparison : uint8_t {
  Eq,
  Ne,
  Ult,
  Ule,
  Ugt,
  Uge,
  Slt,
  Sle,
  Sgt,
  Sge, // integers
  FOeq,
  FOne,
  FOlt,
  FOle,
  FOgt,
  FOge,
  FOrd,
  FUeq,
  FUne,
  FUlt,
  FUle,
  FUgt,
  FUge,
  FUno,
  NumOps,
};

enum class Conversion : uint8_t {
  ZExt,
  SExt,
  Trunc,
  UIToFP,
  SIToFP,
  FPConvert,
  NumOps,
};

/// log2 of the element's bytes.
constexpr unsigned NumSizes = 4;
/// Operand kinds: bit 0 set if A is uniform, bit 1 if B is.
constexpr unsigned NumForms = 4;

struct HandlerTable {
  const char *Name;
  /// [op][size][form]; null where the op has no such type. Form 3 is uniform.
  Handler Arith[unsigned(Arithmetic::NumOps)][NumSizes][NumForms];
  Handler Compare[unsigned(Comparison::NumOps)][NumSizes][NumForms];
  /// [op][from size][to size][A is uniform]
  Handler Convert[unsigned(Conversion::NumOps)][NumSizes][NumSizes][2];
  Handler Fma[2][8];  ///< f32, f64; bits: A, B, E uniform.
  Handler FNeg[2][2]; ///< f32, f64; A uniform.
  Handler FAbs[2][2];
  Handler FSqrt[2][2];
  Handler Select[NumSizes][NumForms]; ///< E: the condition's bits.
  /// D = A + sext(B) * Imm, addresses; [B is i64][form].
  Handler Lea[2][NumForms];
  Handler AddImmediate[2]; ///< D = A + Imm, 64 bits; A uniform.
  Handler AndImmediate[2];
  /// Masked moves for phis and calls: [size][A uniform].
  Handler Move[NumSizes][2];
  Handler MoveUniform, MoveBits, SelectUniform;
  Handler Broadcast[NumSizes]; ///< A uniform to D, all lanes.
  Handler BitsAnd, BitsOr, BitsXor, BitsNot, BitsSelect;
  Handler BitsToInt[NumSizes]; ///< zext i1, to a varying slot.
  Handler BitsToUniform, BitsToUniformSigned;
  Handler BitsToIntSigned[NumSizes];
  Handler IntToBits[NumSizes]; ///< trunc to i1
  Handler UniformToBits;
  /// [space][size][address uniform]; first of a vector checks all of it.
  Handler Load[4][NumSizes][2];
  /// The further components of a vector, at the addresses just checked.
  Handler LoadNext[NumSizes];
  /// [space][size][address and value form]
  Handler Store[4][NumSizes][NumForms];
  Handler Block, Jump, BranchUniform;
  Handler BranchDivergent[2]; ///< Which edge goes first: if true, if false.
  Handler Call, Return, Exit, Trap;
  Handler Generic[16]; ///< See GenericOp.
};

enum class GenericOp : uint8_t {
  LaneCall,
  Repack,
  Special,
  WarpOp,
  Barrier,
  Atomic,
  System,
  Observe,
  Guarded,
  IsSpace,
  Nothing,
  ObserveBlock,
  MBarrier,
  AsyncGroup,
};

const HandlerTable &baseHandlers();
const HandlerTable &avx2Handlers();
const HandlerTable &avx512Handlers();

/// The table for \p ISA ("base", "avx2", "avx512"), or the best for this CPU
/// when empty. Null if this CPU cannot run it or there is no such name.
const HandlerTable *selectHandlers(llvm::StringRef ISA);

} // namespace sluice::emulator

#endif
