// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What one lane computes: the PTX instructions and NVVM intrinsics that touch
/// nothing but their operands, each as a plain function. The decoder looks a
/// function up by name and the engine calls it for every active lane.
///
/// Values travel as 64-bit words: an integer of w bits in the low w bits (the
/// others zero), a float, double, half or bfloat16 as its bits, f16x2, bf16x2
/// and other packed types as the 32 bits they are in PTX, a predicate as
/// 0 or 1.
///
/// Rounding, saturation, flush to zero and NaN results follow the PTX ISA.
/// "approx" functions have no bit-exact definition: they are computed in double
/// precision and rounded, which is at least as accurate as the hardware.

#ifndef SLUICE_EMULATOR_LANEFUNCTIONS_H
#define SLUICE_EMULATOR_LANEFUNCTIONS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace sluice::emulator {

/// \p Operands: as many words as LaneFunction::Operands. Returns the result;
/// where an instruction has two results (a predicate beside a value, or the
/// carry flag) the second goes to Operands[Operands count].
using LaneEvaluator = uint64_t (*)(uint64_t *Operands);

struct LaneFunction {
  LaneEvaluator Evaluate = nullptr;
  unsigned Operands = 0; ///< Words read.
  unsigned Results = 1;  ///< 1 or 2.
  /// Bits of the result (1, 8, 16, 32, 64); what is above is zero.
  unsigned ResultBits = 32;
};

/// The function of a PTX instruction, by its opcode with all modifiers as
/// written ("fma.rn.ftz.f32", "cvt.rn.bf16x2.f32", "prmt.b32", "setp.lt.f16",
/// "add.cc.u32", "lop3.b32"). Null when there is none: memory, control, warp
/// and special-register instructions are not here.
///
/// * setp: the result is the predicate; Results is 2 with a second destination
///   (p|q).
/// * add.cc and the like: Results is 2, the second is the carry (CC.CF); addc
///   and the like take the carry as their last operand.
/// * selp: operands a, b, predicate. slct likewise.
const LaneFunction *findPTXFunction(llvm::StringRef Opcode);

/// The function of an LLVM intrinsic, by its full name ("llvm.nvvm.fma.rn.f",
/// "llvm.nvvm.mulhi.ui", "llvm.nvvm.prmt", "llvm.fma.f32", "llvm.ctpop.i64",
/// "llvm.nvvm.add.rn.ftz.f", "llvm.fshl.i32", "llvm.uadd.with.overflow.i32").
/// For vector types ask for the scalar name: the decoder splits them. Null when
/// there is none.
const LaneFunction *findIntrinsicFunction(llvm::StringRef Name);

} // namespace sluice::emulator

#endif
