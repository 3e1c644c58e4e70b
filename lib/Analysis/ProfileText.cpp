// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Numbers in few characters.

#include "ProfileText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstddef>
#include <iterator>

using namespace llvm;

/// \p N with \p Decimals digits behind the point.
static std::string decimal(double N, int Decimals, StringRef Unit = "") {
  std::string Text;
  raw_string_ostream(Text) << format("%.*f", Decimals, N) << Unit;
  return Text;
}

std::string sluice::compact(double N) {
  static constexpr const char *Units[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t Unit = 0;
  // What three digits would show as 1000 is 1.00 of the next unit.
  for (; N >= 999.5 && Unit + 1 < std::size(Units); ++Unit)
    N /= 1000;
  return decimal(N, N < 9.995 ? 2 : N < 99.95 ? 1 : 0, Units[Unit]);
}

std::string sluice::compact(uint64_t N) {
  return N < 10000 ? std::to_string(N) : compact(double(N));
}

std::string sluice::compactRatio(uint64_t Part, uint64_t Whole) {
  return Whole == 0 ? "-" : compact(double(Part) / double(Whole));
}

std::string sluice::percentage(uint64_t Part, uint64_t Whole) {
  if (Whole == 0)
    return "-";
  if (Part == 0 || Part == Whole)
    return Part == 0 ? "0.0" : "100.0";
  return decimal(std::clamp(100.0 * double(Part) / double(Whole), 0.1, 99.9),
                 1);
}
