// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Tables of instruction, operands and result, and words of every format.

#ifndef SLUICE_UNITTESTS_EMULATOR_LANETESTING_H
#define SLUICE_UNITTESTS_EMULATOR_LANETESTING_H

#include "sluice/Emulator/LaneFunctions.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <random>
#include <string>
#include <vector>

namespace sluice::emulator::testing {

using namespace llvm;

inline const LaneFunction *find(StringRef Name) {
  return Name.starts_with("llvm.") ? findIntrinsicFunction(Name)
                                   : findPTXFunction(Name);
}

/// What the function of that name makes of the operands; its second result too.
struct Answer {
  uint64_t First = 0;
  uint64_t Second = 0;
};
inline Answer ask(StringRef Name, std::vector<uint64_t> Operands) {
  const LaneFunction *F = find(Name);
  if (!F) {
    ADD_FAILURE() << Name.str() << " does not exist";
    return {};
  }
  EXPECT_EQ(F->Operands, Operands.size()) << Name.str();
  Operands.push_back(~uint64_t(0)); // Room for a second result.
  Answer A;
  A.First = F->Evaluate(Operands.data());
  A.Second = Operands[F->Operands];
  if (F->ResultBits < 64) {
    EXPECT_EQ(A.First >> F->ResultBits, 0u) << Name.str();
  }
  return A;
}
inline uint64_t eval(StringRef Name, std::vector<uint64_t> Operands) {
  return ask(Name, std::move(Operands)).First;
}

inline uint32_t bits(float F) { return bit_cast<uint32_t>(F); }
inline uint64_t bits(double D) { return bit_cast<uint64_t>(D); }

struct Case {
  const char *Name;
  std::vector<uint64_t> Operands;
  uint64_t Result;
};
inline void check(ArrayRef<Case> Cases) {
  for (const Case &C : Cases)
    EXPECT_EQ(eval(C.Name, C.Operands), C.Result)
        << C.Name << " of 0x" << std::hex << C.Operands[0];
}
struct CaseOfTwo {
  const char *Name;
  std::vector<uint64_t> Operands;
  uint64_t First, Second;
};
inline void check(ArrayRef<CaseOfTwo> Cases) {
  for (const CaseOfTwo &C : Cases) {
    const LaneFunction *F = find(C.Name);
    ASSERT_NE(F, nullptr) << C.Name;
    EXPECT_EQ(F->Results, 2u) << C.Name;
    Answer A = ask(C.Name, C.Operands);
    EXPECT_EQ(A.First, C.First) << C.Name;
    EXPECT_EQ(A.Second, C.Second) << C.Name;
  }
}

constexpr uint64_t Min32 = 0x80000000, Max32 = 0x7fffffff, Ones32 = 0xffffffff;
constexpr uint64_t Min64 = 0x8000000000000000, Ones64 = ~uint64_t(0);

/// A floating format's name in PTX, its semantics and width.
struct Format {
  const char *Name;
  const fltSemantics &(*Semantics)();
  unsigned Bits;
};
inline const Format Half = {"f16", APFloat::IEEEhalf, 16};
inline const Format Brain = {"bf16", APFloat::BFloat, 16};
inline const Format Single = {"f32", APFloat::IEEEsingle, 32};
inline const Format Double = {"f64", APFloat::IEEEdouble, 64};

struct Rounding {
  const char *Name;
  RoundingMode Mode;
};
inline const Rounding Roundings[] = {{"rn", RoundingMode::NearestTiesToEven},
                                     {"rz", RoundingMode::TowardZero},
                                     {"rm", RoundingMode::TowardNegative},
                                     {"rp", RoundingMode::TowardPositive}};

inline APFloat toAPFloat(const Format &F, uint64_t Word) {
  return APFloat(F.Semantics(), APInt(F.Bits, Word, false, true));
}
inline uint64_t wordOf(const APFloat &Value) {
  return Value.bitcastToAPInt().getZExtValue();
}

/// Words that meet: special values, neighbours of powers of two, and any bits.
class Words {
public:
  explicit Words(unsigned Seed) : Random(Seed) {}
  uint64_t next(const Format &F) {
    uint64_t Any = Random();
    unsigned Mantissa = APFloat::semanticsPrecision(F.Semantics()) - 1;
    uint64_t Word = Any;
    switch (Random() % 8) {
    case 0: // An exponent with a mantissa near its ends.
      Word = (Any >> Mantissa << Mantissa) + Random() % 5 - 2;
      break;
    case 1: // Few significant bits.
      Word = Any >> (Mantissa - 2) << (Mantissa - 2);
      break;
    case 2: // Subnormal or zero.
      Word = (Any & ((uint64_t(1) << Mantissa) - 1)) >> Random() % Mantissa;
      break;
    case 3: // Around 1, so that sums cancel.
      Word = (uint64_t(1) << (F.Bits - 2)) - (Random() % 7 << (Mantissa - 2)) +
             Random() % 3;
      break;
    default:
      break;
    }
    if (Any >> 62 == 0)
      Word ^= uint64_t(1) << (F.Bits - 1);
    return F.Bits == 64 ? Word : Word & ((uint64_t(1) << F.Bits) - 1);
  }

private:
  std::mt19937_64 Random;
};

inline uint64_t canonicalNaN(const Format &F) {
  return (uint64_t(1) << (F.Bits - 1)) - 1;
}

} // namespace sluice::emulator::testing

#endif
