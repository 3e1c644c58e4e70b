// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The parts of the inline-PTX parser below its grammar: LLVM's markup taken
/// out of the asm string, and constant expressions.

#ifndef SLUICE_LIB_EMULATOR_PTXSNIPPETTEXT_H
#define SLUICE_LIB_EMULATOR_PTXSNIPPETTEXT_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace sluice::emulator {

/// An operand of the asm statement, in the text without markup: this character,
/// the number, and the same character again.
constexpr char OperandMark = '\x01';

/// The asm string without LLVM's markup.
struct PlainText {
  std::string Text;
  std::vector<unsigned>
      Where; ///< Of each character, its place in the original.

  void add(llvm::StringRef S, size_t At) {
    Text += S;
    Where.insert(Where.end(), S.size(), unsigned(At));
  }
  unsigned place(size_t At, size_t End) const {
    return At < Where.size() ? Where[At] : unsigned(End);
  }
};

/// "inline PTX, line 1, column 7: ..."
llvm::Error errorInPTX(llvm::StringRef Original, size_t Offset,
                       const llvm::Twine &Message);

/// Resolves $N, ${N:m}, $$, $( a $| b $), ${:uid}.
llvm::Expected<PlainText> withoutMarkup(llvm::StringRef Asm);

inline bool isNameStart(char C) {
  return llvm::isAlpha(C) || C == '_' || C == '$' || C == '%';
}
inline bool isNamePart(char C) {
  return llvm::isAlnum(C) || C == '_' || C == '$';
}
/// The place at or after \p At that is neither blank nor comment.
size_t skipPTXSpace(llvm::StringRef Text, size_t At);

struct PTXConstant {
  enum Kind { Integer, Single, Double, Decimal } K = Integer;
  uint64_t Bits = 0; ///< Of a decimal number: as a double.
};

/// Reads a constant expression.
class PTXConstantReader {
public:
  PTXConstantReader(llvm::StringRef Text, size_t At) : Text(Text), At(At) {}

  /// Nothing on a mistake; place() and problem() tell which.
  std::optional<PTXConstant> read() { return readBinary(0); }
  /// Where reading stopped.
  size_t place() const { return At; }
  const std::string &problem() const { return Problem; }

private:
  llvm::StringRef Text;
  size_t At;
  std::string Problem;

  std::nullopt_t fail(const char *Message) {
    Problem = Message;
    return std::nullopt;
  }
  bool eat(char C) {
    At = skipPTXSpace(Text, At);
    if (At >= Text.size() || Text[At] != C)
      return false;
    ++At;
    return true;
  }
  std::optional<PTXConstant> readBinary(unsigned Level);
  std::optional<PTXConstant> readUnary();
  std::optional<PTXConstant> readNumber();
  std::optional<uint64_t> readDigits(size_t Prefix, unsigned Radix,
                                     llvm::StringRef Digits);
  std::optional<PTXConstant> readDecimal();
};

} // namespace sluice::emulator

#endif
