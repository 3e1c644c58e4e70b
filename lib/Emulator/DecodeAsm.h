// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Inline PTX becomes the same Instructions as IR does. What only computes is a
/// lane function found by its opcode; memory, warp and barrier instructions
/// have their decoders. A guard predicate makes an instruction touch only the
/// lanes whose predicate holds.

#ifndef SLUICE_LIB_EMULATOR_DECODEASM_H
#define SLUICE_LIB_EMULATOR_DECODEASM_H

#include "Decoder.h"
#include "sluice/Emulator/PTXSnippet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace sluice::emulator {

class AsmDecoder {
public:
  AsmDecoder(FunctionDecoder &D, const PTXSnippet &P,
             llvm::SmallVectorImpl<Slot> &AsmOperands, ReadUse ResultUse)
      : D(D), P(P), AsmOperands(AsmOperands), ResultUse(ResultUse) {}
  /// False with Problem set if something cannot be run.
  bool run();
  std::string Problem;

private:
  // DecodeAsm.cpp
  bool decode(const PTXInstruction &I);
  bool decodeMove(const PTXInstruction &I);
  bool decodeComputation(const PTXInstruction &I);
  void extendConverted(Slot Into, unsigned Bits);
  std::optional<Slot> slotOf(const PTXOperand &O, unsigned Bits, bool Float);
  void copy(Slot To, Slot From);

  // DecodeAsmMemory.cpp
  bool decodeMemory(const PTXInstruction &I, bool IsStore);
  bool decodeAtomic(const PTXInstruction &I);
  bool decodeAddressConversion(const PTXInstruction &I);
  Slot address(const PTXOperand &O, int64_t &Offset);
  void emitAccess(GuardedAccess Access, L1Hint Hint = L1Hint::Normal);

  // DecodeAsyncCopies.cpp
  bool decodeAsyncCopy(const PTXInstruction &I);

  // DecodeMBarrier.cpp
  bool decodeMBarrier(const PTXInstruction &I);

  // DecodeAsmWarp.cpp
  bool decodeWarp(const PTXInstruction &I);
  bool decodeBarrier(const PTXInstruction &I);

  template <class T> void guard(T &Op) {
    Op.HasGuard = HasGuard;
    Op.GuardNegated = GuardNegated;
    Op.Guard = Guard;
  }

  FunctionDecoder &D;
  const PTXSnippet &P;
  llvm::SmallVectorImpl<Slot> &AsmOperands;
  const ReadUse ResultUse; ///< Of what the snippet gives.
  llvm::SmallVector<Slot, 8> Registers;
  llvm::SmallVector<llvm::StringRef, 8> Words; ///< Of the opcode, split at '.'.
  std::optional<Slot> Carry;
  bool HasGuard = false, GuardNegated = false;
  Slot Guard;
};

/// ".shared" -> Space::Shared
std::optional<Space> spaceOfWord(llvm::StringRef Word);

/// ".u32" -> 32 bits; 0 if it is no type.
unsigned typeBits(llvm::StringRef Word);

} // namespace sluice::emulator

#endif
