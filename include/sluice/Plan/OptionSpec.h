// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// One option in the table of options.

#ifndef SLUICE_PLAN_OPTIONSPEC_H
#define SLUICE_PLAN_OPTIONSPEC_H

#include "llvm/ADT/StringRef.h"

namespace sluice {

struct Options;

enum class ParseResult { OK, Bad };

struct OptionSpec {
  llvm::StringLiteral Key;
  llvm::StringLiteral Values;   ///< As the help shows them.
  llvm::StringLiteral Default;  ///< As the help shows it.
  llvm::StringLiteral Expected; ///< Ends the sentence "... expected".
  llvm::StringLiteral Help;
  /// Stores a value; Bad where it is not one of the expected.
  ParseResult (*Parse)(llvm::StringRef Value, Options &Result);
  bool Repeatable = false;
  bool Hidden = false; ///< For tests of the tests: in no help, in no list.
};

inline ParseResult check(bool Valid) {
  return Valid ? ParseResult::OK : ParseResult::Bad;
}

/// A decimal number in [Min, Max].
inline bool parseNumber(llvm::StringRef Text, uint64_t Min, uint64_t Max,
                        uint64_t &Number) {
  return !Text.getAsInteger(10, Number) && Number >= Min && Number <= Max;
}

inline bool isNumber(llvm::StringRef Text, uint64_t Min, uint64_t Max) {
  uint64_t Number;
  return parseNumber(Text, Min, Max, Number);
}

/// What a warp count is at most: a block has 1024 threads.
inline constexpr unsigned MaxWarpsPerBlock = 32;
/// What an SM holds at most: 32 on the architectures with the most.
inline constexpr unsigned MaxBlocksPerSM = 32;

} // namespace sluice

#endif
