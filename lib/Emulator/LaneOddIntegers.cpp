// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// LLVM's own integer intrinsics on integers of other widths, as i4, which it
/// makes where only so many bits are used.

#include "LaneOpcode.h"
#include "llvm/ADT/APInt.h"
#include <array>
#include <utility>

using namespace llvm;
using namespace sluice::emulator;

namespace {

/// The second result is for operations that say if they overflowed.
using Operation = APInt (*)(const APInt *O, bool &Overflows);

APInt countOnes(const APInt *O, bool &) {
  return APInt(O->getBitWidth(), O->popcount());
}
// The second operand says that zero is poison; it is defined here all the same.
APInt leadingZeros(const APInt *O, bool &) {
  return APInt(O->getBitWidth(), O->countl_zero());
}
APInt trailingZeros(const APInt *O, bool &) {
  return APInt(O->getBitWidth(), O->countr_zero());
}
APInt reverse(const APInt *O, bool &) { return O->reverseBits(); }
APInt absolute(const APInt *O, bool &) { return O->abs(); }
APInt signedMin(const APInt *O, bool &) { return APIntOps::smin(O[0], O[1]); }
APInt signedMax(const APInt *O, bool &) { return APIntOps::smax(O[0], O[1]); }
APInt unsignedMin(const APInt *O, bool &) { return APIntOps::umin(O[0], O[1]); }
APInt unsignedMax(const APInt *O, bool &) { return APIntOps::umax(O[0], O[1]); }
APInt funnelLeft(const APInt *O, bool &) {
  return APIntOps::fshl(O[0], O[1], O[2]);
}
APInt funnelRight(const APInt *O, bool &) {
  return APIntOps::fshr(O[0], O[1], O[2]);
}
template <APInt (APInt::*Of)(const APInt &) const>
APInt saturating(const APInt *O, bool &) {
  return (O[0].*Of)(O[1]);
}
template <APInt (APInt::*Of)(const APInt &, bool &) const>
APInt overflowing(const APInt *O, bool &Overflows) {
  return (O[0].*Of)(O[1], Overflows);
}
template <Operation Of, unsigned Operands, unsigned Results, unsigned Width>
uint64_t evaluate(uint64_t *O) {
  std::array<APInt, Operands> Values;
  for (unsigned I = 0; I < Operands; ++I)
    Values[I] = APInt(Width, O[I], /*isSigned=*/false, /*implicitTrunc=*/true);
  bool Overflows = false;
  const APInt Result = Of(Values.data(), Overflows);
  if constexpr (Results == 2)
    O[Operands] = Overflows;
  return Result.getZExtValue();
}

template <Operation Of, unsigned Operands, unsigned Results, size_t... Widths>
LaneEvaluator forWidth(unsigned Width, std::index_sequence<Widths...>) {
  static constexpr LaneEvaluator Table[] = {
      evaluate<Of, Operands, Results, Widths + 1>...};
  return Table[Width - 1];
}

/// \p Words: of a call; what follows the operands says what is poison.
template <Operation Of, unsigned Operands, unsigned Results = 1>
LaneFunction make(unsigned Width, unsigned Words) {
  return {
      forWidth<Of, Operands, Results>(Width, std::make_index_sequence<63>()),
      Words, Results, Width};
}

} // namespace

LaneFunction sluice::emulator::resolveOddInteger(StringRef Name,
                                                 unsigned Width) {
  if (!Width || Width > 63)
    return noLaneFunction();
  if (Name == "ctpop")
    return make<countOnes, 1>(Width, 1);
  if (Name == "ctlz")
    return make<leadingZeros, 1>(Width, 2);
  if (Name == "cttz")
    return make<trailingZeros, 1>(Width, 2);
  if (Name == "bitreverse")
    return make<reverse, 1>(Width, 1);
  if (Name == "abs")
    return make<absolute, 1>(Width, 2);
  if (Name == "smin")
    return make<signedMin, 2>(Width, 2);
  if (Name == "smax")
    return make<signedMax, 2>(Width, 2);
  if (Name == "umin")
    return make<unsignedMin, 2>(Width, 2);
  if (Name == "umax")
    return make<unsignedMax, 2>(Width, 2);
  if (Name == "fshl")
    return make<funnelLeft, 3>(Width, 3);
  if (Name == "fshr")
    return make<funnelRight, 3>(Width, 3);
  if (Name == "sadd.with.overflow")
    return make<overflowing<&APInt::sadd_ov>, 2, 2>(Width, 2);
  if (Name == "uadd.with.overflow")
    return make<overflowing<&APInt::uadd_ov>, 2, 2>(Width, 2);
  if (Name == "ssub.with.overflow")
    return make<overflowing<&APInt::ssub_ov>, 2, 2>(Width, 2);
  if (Name == "usub.with.overflow")
    return make<overflowing<&APInt::usub_ov>, 2, 2>(Width, 2);
  if (Name == "smul.with.overflow")
    return make<overflowing<&APInt::smul_ov>, 2, 2>(Width, 2);
  if (Name == "umul.with.overflow")
    return make<overflowing<&APInt::umul_ov>, 2, 2>(Width, 2);
  if (Name == "sadd.sat")
    return make<saturating<&APInt::sadd_sat>, 2>(Width, 2);
  if (Name == "uadd.sat")
    return make<saturating<&APInt::uadd_sat>, 2>(Width, 2);
  if (Name == "ssub.sat")
    return make<saturating<&APInt::ssub_sat>, 2>(Width, 2);
  if (Name == "usub.sat")
    return make<saturating<&APInt::usub_sat>, 2>(Width, 2);
  return noLaneFunction();
}
