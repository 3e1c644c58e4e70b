// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Inline PTX, parsed: the instructions of one asm string with their operands
/// resolved to registers, asm operands, immediates and symbols.

#ifndef SLUICE_EMULATOR_PTXSNIPPET_H
#define SLUICE_EMULATOR_PTXSNIPPET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::emulator {

struct PTXOperand {
  enum Kind : uint8_t {
    AsmOperand, ///< $N or ${N:m}: Index is N.
    Register,   ///< A register declared in the snippet: Index into Registers.
    Immediate,  ///< Bits in Value: integers sign-extended to 64 bits, 0f… and
                ///< 0d… as they are, decimal floats as double bits with
                ///< IsDecimalFloat.
    Special,    ///< %tid.x, %laneid, %lanemask_lt, ...: Name without '%'.
    Symbol,     ///< A label or an outside symbol: Name.
    Vector,     ///< {a, b, ...}: Elements. `_` elements are Sink.
    Address,    ///< [base + offset]: Elements[0] is the base, Value the offset.
    Sink,       ///< `_`
  };
  Kind K = Sink;
  unsigned Index = 0;
  int64_t Value = 0;
  bool IsDecimalFloat = false;
  bool Negated = false; ///< `!p` on a predicate operand.
  std::string Name;
  std::vector<PTXOperand> Elements;
  /// The `q` of a `p|q` destination; empty if there is none.
  std::vector<PTXOperand> Second;
};

struct PTXInstruction {
  /// @p or @!p; K is Sink when there is none.
  PTXOperand Guard;
  std::string Opcode;               ///< With all modifiers: "ld.global.cg.f32".
  std::vector<PTXOperand> Operands; ///< Destinations first, as written.
  unsigned Offset = 0;              ///< Of the instruction in the asm string.
};

struct PTXRegister {
  std::string Name; ///< With '%' if it has one.
  unsigned Bits;    ///< 1 for .pred, else 8, 16, 32, 64, 128.
};

struct PTXSnippet {
  std::vector<PTXRegister> Registers;
  std::vector<PTXInstruction> Instructions;
  /// Label name and the number of the instruction it stands before.
  std::vector<std::pair<std::string, unsigned>> Labels;
};

/// Parses LLVM's inline-asm text: `$0`, `${0:x}`, `$$` for '$', braces with
/// scopes of their own (`.reg .b32 t, u;`, `.reg .pred p<4>;`), comments,
/// several instructions on one line. LLVM's asm dialect alternatives `$( | $)`
/// and `{:uid}` are resolved too. The error says what could not be parsed and
/// at which column of which line of \p Text.
llvm::Expected<PTXSnippet> parsePTXSnippet(llvm::StringRef Text);

} // namespace sluice::emulator

#endif
