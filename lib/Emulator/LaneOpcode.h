// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How the lane functions are found: an opcode is cut at its dots, and each
/// topic takes the modifiers it knows out of it. What is left over at the end
/// means that no such instruction exists.

#ifndef SLUICE_LIB_EMULATOR_LANEOPCODE_H
#define SLUICE_LIB_EMULATOR_LANEOPCODE_H

#include "sluice/Emulator/LaneFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <initializer_list>

namespace sluice::emulator {

/// "fma.rn.ftz.f32": Name is fma, Modifiers are those not yet taken.
struct LaneOpcode {
  llvm::StringRef Name;
  llvm::SmallVector<llvm::StringRef, 8> Modifiers;

  explicit LaneOpcode(llvm::StringRef Text) {
    Text.split(Modifiers, '.');
    Name = Modifiers.front();
    Modifiers.erase(Modifiers.begin());
    // CUDA's headers have "max.s32.relu" too: the type is to be the last.
    for (llvm::StringRef Trailing : {"ftz", "relu", "sat"})
      if (!Modifiers.empty() && Modifiers.back() == Trailing)
        Modifiers.insert(Modifiers.begin(), Modifiers.pop_back_val());
  }

  /// Whether the modifier is there; takes it.
  bool take(llvm::StringRef Modifier) {
    auto *Found = llvm::find(Modifiers, Modifier);
    if (Found == Modifiers.end())
      return false;
    Modifiers.erase(Found);
    return true;
  }
  /// Takes the first of \p Choices that is there; its number, else -1.
  int takeOneOf(std::initializer_list<llvm::StringRef> Choices) {
    for (auto [Number, Choice] : llvm::enumerate(Choices))
      if (take(Choice))
        return int(Number);
    return -1;
  }
  /// The last modifier, taken: the type in most instructions.
  llvm::StringRef takeLast() {
    return Modifiers.empty() ? llvm::StringRef() : Modifiers.pop_back_val();
  }
  bool done() const { return Modifiers.empty(); }
};

/// Nothing found.
inline LaneFunction noLaneFunction() { return {}; }

/// make(T()) with the type T that is named u32, s32, u64 or s64.
template <class Make> LaneFunction for32And64(llvm::StringRef Type, Make make) {
  if (Type == "u32")
    return make(uint32_t());
  if (Type == "s32")
    return make(int32_t());
  if (Type == "u64")
    return make(uint64_t());
  if (Type == "s64")
    return make(int64_t());
  return noLaneFunction();
}
/// The same from u16 on.
template <class Make> LaneFunction for16To64(llvm::StringRef Type, Make make) {
  if (Type == "u16")
    return make(uint16_t());
  if (Type == "s16")
    return make(int16_t());
  return for32And64(Type, make);
}

// The topics. Each answers a function with a null Evaluate for what is not its
// own; each may take modifiers even then, and so gets a copy.
LaneFunction resolveInteger(LaneOpcode Op);
LaneFunction resolveCarry(LaneOpcode Op);
LaneFunction resolveBits(LaneOpcode Op);
LaneFunction resolvePackedIntegers(LaneOpcode Op);
LaneFunction resolveCompare(LaneOpcode Op);
LaneFunction resolveFloat(LaneOpcode Op);
LaneFunction resolveHalf(LaneOpcode Op);
LaneFunction resolveFloatMinMax(LaneOpcode Op);
LaneFunction resolveApproximate(LaneOpcode Op);
LaneFunction resolveConversion(LaneOpcode Op);
LaneFunction resolvePackedConversion(LaneOpcode Op);

/// \p Name without "llvm.nvvm.".
LaneFunction resolveNVVMIntrinsic(llvm::StringRef Name);
/// \p Name without "llvm.".
LaneFunction resolveIntegerIntrinsic(llvm::StringRef Name);
/// On integers of \p Width bits, 1 to 63; \p Name without that ("abs").
LaneFunction resolveOddInteger(llvm::StringRef Name, unsigned Width);
LaneFunction resolveFloatIntrinsic(llvm::StringRef Name);

/// Tries every topic; null Evaluate when none has it.
LaneFunction resolvePTX(llvm::StringRef Opcode);

} // namespace sluice::emulator

#endif
