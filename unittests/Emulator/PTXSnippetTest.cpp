// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Inline PTX as clang presents it, most of it from CUDA's own headers.

#include "sluice/Emulator/PTXSnippet.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <string>

using namespace llvm;
using namespace sluice::emulator;

namespace {

PTXSnippet parse(StringRef Text) {
  Expected<PTXSnippet> Snippet = parsePTXSnippet(Text);
  if (Snippet)
    return std::move(*Snippet);
  ADD_FAILURE() << toString(Snippet.takeError());
  return {};
}
std::string messageFor(StringRef Text) {
  Expected<PTXSnippet> Snippet = parsePTXSnippet(Text);
  if (!Snippet)
    return toString(Snippet.takeError());
  return "";
}

// What was read, written back: $N, registers by number (a local name may be two
// registers), 'special', "symbol".
std::string str(const PTXSnippet &S);
std::string str(const PTXOperand &O) {
  std::string Text = O.Negated ? "!" : "";
  auto list = [&](char Open, char Close) {
    Text += Open;
    for (const PTXOperand &Element : O.Elements)
      Text += (&Element == &O.Elements.front() ? "" : ",") + str(Element);
    if (O.K == PTXOperand::Address && O.Value)
      Text += "+" + std::to_string(O.Value);
    Text += Close;
  };
  switch (O.K) {
  case PTXOperand::AsmOperand:
    Text += "$" + std::to_string(O.Index);
    break;
  case PTXOperand::Register:
    Text += "r" + std::to_string(O.Index);
    break;
  case PTXOperand::Immediate:
    Text += O.IsDecimalFloat
                ? std::to_string(bit_cast<double>(uint64_t(O.Value)))
                : std::to_string(O.Value);
    break;
  case PTXOperand::Special:
    Text += "'" + O.Name + "'";
    break;
  case PTXOperand::Symbol:
    Text += "\"" + O.Name + "\"";
    break;
  case PTXOperand::Vector:
    list('{', '}');
    break;
  case PTXOperand::Address:
    list('[', ']');
    break;
  case PTXOperand::Sink:
    Text += "_";
    break;
  }
  for (const PTXOperand &Second : O.Second)
    Text += "|" + str(Second);
  return Text;
}
std::string str(const PTXSnippet &S) {
  std::string Text;
  for (const PTXInstruction &I : S.Instructions) {
    if (I.Guard.K != PTXOperand::Sink)
      Text += "@" + str(I.Guard) + " ";
    Text += I.Opcode;
    for (const PTXOperand &O : I.Operands)
      Text += (&O == &I.Operands.front() ? " " : ", ") + str(O);
    Text += "\n";
  }
  return Text;
}

TEST(PTXSnippetTest, OneInstruction) {
  PTXSnippet S = parse("ld.global.cg.f32 $0, [$1];");
  ASSERT_EQ(S.Instructions.size(), 1u);
  EXPECT_EQ(S.Instructions[0].Opcode, "ld.global.cg.f32");
  EXPECT_EQ(S.Instructions[0].Offset, 0u);
  EXPECT_EQ(str(S), "ld.global.cg.f32 $0, [$1]\n");
  EXPECT_EQ(str(parse("mov.u32 $0, %lanemask_lt;")),
            "mov.u32 $0, 'lanemask_lt'\n");
  EXPECT_EQ(str(parse("mov.u32 ${0:x}, %ctaid.y;")), "mov.u32 $0, 'ctaid.y'\n");
  EXPECT_EQ(str(parse("griddepcontrol.wait;")), "griddepcontrol.wait\n");
  EXPECT_EQ(str(parse("")), "");
}

TEST(PTXSnippetTest, PredicateOfTwoDestinations) {
  // cub::ShuffleUp and scans.
  PTXSnippet S =
      parse("{  .reg .s32 r0;  .reg .pred p;  shfl.sync.up.b32 r0|p, $1, $2, "
            "$3, $5;  @p add.s32 r0, r0, $4;  mov.s32 $0, r0;}");
  EXPECT_EQ(str(S), "shfl.sync.up.b32 r0|r1, $1, $2, $3, $5\n"
                    "@r1 add.s32 r0, r0, $4\n"
                    "mov.s32 $0, r0\n");
  ASSERT_EQ(S.Registers.size(), 2u);
  EXPECT_EQ(S.Registers[0].Bits, 32u);
  EXPECT_EQ(S.Registers[1].Name, "p");
  EXPECT_EQ(S.Registers[1].Bits, 1u);
}

TEST(PTXSnippetTest, NegatedGuard) {
  // cub::MatchAny.
  EXPECT_EQ(str(parse("{\n    .reg .pred p;\n    and.b32 $0, $1, $2;"
                      "    setp.ne.u32 p, $0, 0;\n"
                      "    vote.ballot.sync.b32 $0, p, 0xffffffff;\n"
                      "    @!p not.b32 $0, $0;\n}\n")),
            "and.b32 $0, $1, $2\n"
            "setp.ne.u32 r0, $0, 0\n"
            "vote.ballot.sync.b32 $0, r0, 4294967295\n"
            "@!r0 not.b32 $0, $0\n");
}

TEST(PTXSnippetTest, EscapedDollarInNames) {
  // cuda_bf16.hpp's comparisons.
  PTXSnippet S =
      parse("{ .reg .pred __$$temp3;\n  setp.lt.bf16  __$$temp3, $1, "
            "$2;\n  selp.u16 $0, 1, 0, __$$temp3;}");
  EXPECT_EQ(S.Registers[0].Name, "__$temp3");
  EXPECT_EQ(str(S), "setp.lt.bf16 r0, $1, $2\nselp.u16 $0, 1, 0, r0\n");
}

TEST(PTXSnippetTest, InnerScopesHideOuterRegisters) {
  // cuda_fp16.hpp's hsin: the second block's p is a register of its own.
  PTXSnippet S = parse("{\n\t.reg.b16 r, p;\n{.reg.b16 p;\n  mov.b16 "
                       "p,0X2B7CU;\n}\n{.reg .b32 p, q;\n  mov.b16 r,p;\n}\n"
                       "  mov.b16 r, p;\n}\n");
  EXPECT_EQ(str(S), "mov.b16 r2, 11132\n"
                    "mov.b16 r0, r3\n"
                    "mov.b16 r0, r1\n");
  EXPECT_EQ(S.Registers[3].Bits, 32u);
}

TEST(PTXSnippetTest, VectorsAndSinks) {
  EXPECT_EQ(str(parse("{.reg .b16 low,high;\n  mov.b32 {low,high}, $1;\n"
                      "  mov.b32 $0, {high,low};}\n")),
            "mov.b32 {r0,r1}, $1\nmov.b32 $0, {r1,r0}\n");
  EXPECT_EQ(str(parse("mov.b64 {_, $0}, $1;")), "mov.b64 {_,$0}, $1\n");
  EXPECT_EQ(str(parse("{ .reg.f32 f;\n  mov.b32 f, {0,$1};\n}")),
            "mov.b32 r0, {0,$1}\n");
  EXPECT_EQ(str(parse("ld.relaxed.gpu.v2.u64 {$0, $1}, [$2];")),
            "ld.relaxed.gpu.v2.u64 {$0,$1}, [$2]\n");
}

TEST(PTXSnippetTest, Addresses) {
  EXPECT_EQ(str(parse("ld.u32 $0, [$1+4];")), "ld.u32 $0, [$1+4]\n");
  EXPECT_EQ(str(parse("ld.u32 $0, [$1 + -4];")), "ld.u32 $0, [$1+-4]\n");
  EXPECT_EQ(str(parse("ld.u32 $0, [$1 - 8];")), "ld.u32 $0, [$1+-8]\n");
  EXPECT_EQ(str(parse("ld.shared.u32 $0, [table+2*8];")),
            "ld.shared.u32 $0, [\"table\"+16]\n");
  EXPECT_EQ(str(parse("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                      "mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], "
                      "[$4];")),
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
            "complete_tx::bytes [$0], [$1,{$2,$3}], [$4]\n");
  EXPECT_EQ(str(parse("ld.global.L1::evict_first.L2::128B.b16 $0, [$1];")),
            "ld.global.L1::evict_first.L2::128B.b16 $0, [$1]\n");
  // An "n" operand as the offset.
  PTXSnippet S = parse("ld.u32 $0, [$1 + $2];");
  EXPECT_EQ(str(S), "ld.u32 $0, [$1]|$2\n");
}

TEST(PTXSnippetTest, Immediates) {
  EXPECT_EQ(str(parse("mov.u32 $0, -1;")), "mov.u32 $0, -1\n");
  EXPECT_EQ(str(parse("mov.u32 $0, 0XffU;")), "mov.u32 $0, 255\n");
  EXPECT_EQ(str(parse("mov.u32 $0, 0b101;")), "mov.u32 $0, 5\n");
  EXPECT_EQ(str(parse("mov.u32 $0, 017;")), "mov.u32 $0, 15\n");
  EXPECT_EQ(str(parse("mov.u32 $0, WARP_SZ;")), "mov.u32 $0, 32\n");
  EXPECT_EQ(str(parse("mov.u32 $0, (1 << 4) | 3 + 2 * 2;")),
            "mov.u32 $0, 23\n");
  EXPECT_EQ(str(parse("mov.u32 $0, ~0 & !0;")), "mov.u32 $0, 1\n");
  EXPECT_EQ(str(parse("mov.f32 $0, 0f3F800000;")), "mov.f32 $0, 1065353216\n");
  EXPECT_EQ(str(parse("mov.f64 $0, 0d3FF0000000000000;")),
            "mov.f64 $0, 4607182418800017408\n");
  EXPECT_EQ(str(parse("mov.f32 $0, -1.5e1;")), "mov.f32 $0, -15.000000\n");
  EXPECT_EQ(str(parse("mov.f32 $0, 2.;")), "mov.f32 $0, 2.000000\n");
  PTXSnippet S = parse("mov.f32 $0, 0.5;");
  EXPECT_TRUE(S.Instructions[0].Operands[1].IsDecimalFloat);
}

TEST(PTXSnippetTest, RegisterRanges) {
  PTXSnippet S = parse(".reg .pred p<2>; .reg .b64 %rd<3>, x; "
                       "@p1 mov.b64 %rd2, x; mov.b64 x, %rd9;");
  EXPECT_EQ(S.Registers.size(), 6u);
  EXPECT_EQ(S.Registers[4].Name, "%rd2");
  EXPECT_EQ(str(S), "@r1 mov.b64 r4, r5\nmov.b64 r5, 'rd9'\n");
}

TEST(PTXSnippetTest, LabelsOfBlocksAreTheirOwn) {
  // A wait loop as in mbarrier code, twice.
  PTXSnippet S = parse("{\n.reg .pred P1;\nLAB_${:uid}:\n"
                       "mbarrier.try_wait.shared.b64 P1, [$0], $1;\n"
                       "@P1 bra DONE;\nbra LAB_${:uid};\nDONE:\n}\n"
                       "{ bra.uni DONE; DONE: }");
  ASSERT_EQ(S.Labels.size(), 3u);
  EXPECT_EQ(S.Labels[0], (std::pair<std::string, unsigned>("LAB_0", 0)));
  EXPECT_EQ(S.Labels[1], (std::pair<std::string, unsigned>("DONE", 3)));
  EXPECT_EQ(S.Labels[2].second, 4u);
  EXPECT_EQ(S.Instructions[1].Operands[0].Name, "DONE");
  EXPECT_EQ(S.Instructions[3].Operands[0].Name, S.Labels[2].first);
  EXPECT_NE(S.Labels[1].first, S.Labels[2].first);
}

TEST(PTXSnippetTest, CommentsAndLayout) {
  EXPECT_EQ(str(parse("// one; two\n\tadd.u32 $0, /* a */ $1, $2; "
                      "mul .lo .u32 $0,$0,$0 ; ; membar.gl")),
            "add.u32 $0, $1, $2\nmul.lo.u32 $0, $0, $0\nmembar.gl\n");
  EXPECT_EQ(str(parse(".pragma \"nounroll\"; exit; /* open")), "exit\n");
}

TEST(PTXSnippetTest, DialectAlternatives) {
  EXPECT_EQ(str(parse("mov.u32 $$x, $(1$|2$);")), "mov.u32 \"$x\", 1\n");
}

TEST(PTXSnippetTest, CallsAndTwoPredicates) {
  EXPECT_EQ(str(parse("call.uni ($0), vprintf, ($1, $2);")),
            "call.uni {$0}, \"vprintf\", {$1,$2}\n");
  EXPECT_EQ(str(parse("{.reg .pred p,q; setp.lt.and.s32 p|q, $1, $2, !q; "
                      "setp.eq.f16x2 _|q, $1, $2;}")),
            "setp.lt.and.s32 r0|r1, $1, $2, !r1\n"
            "setp.eq.f16x2 _|r1, $1, $2\n");
}

TEST(PTXSnippetTest, OffsetsTellThePlace) {
  PTXSnippet S =
      parse("{\n  add.u32 $$a, ${1:x}, $2;\n  sub.u32 $0, $1, 1;\n}");
  EXPECT_EQ(S.Instructions[0].Offset, 4u);
  EXPECT_EQ(S.Instructions[1].Offset, 31u);
}

TEST(PTXSnippetTest, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(messageFor("add.u32 $0, $1 $2;"),
            "inline PTX, line 1, column 16: ';' is missing");
  EXPECT_EQ(messageFor("{\n  add.u32 $0, ;\n}"),
            "inline PTX, line 2, column 15: an operand is expected");
  EXPECT_EQ(messageFor("{ exit;"),
            "inline PTX, line 1, column 8: '{' is not closed");
  EXPECT_EQ(messageFor("exit; }"),
            "inline PTX, line 1, column 7: '}' without '{'");
  EXPECT_EQ(messageFor(".shared .b32 x;"),
            "inline PTX, line 1, column 1: this directive is not known");
  EXPECT_EQ(messageFor(".reg .v4 .b32 x;"),
            "inline PTX, line 1, column 7: registers of type '.v4' are not "
            "known");
  EXPECT_EQ(messageFor("L: L: exit;"),
            "inline PTX, line 1, column 4: the label 'L' is there twice");
  EXPECT_EQ(messageFor("mov.u32 $0, 1 / 0;"),
            "inline PTX, line 1, column 15: this cannot be computed");
  EXPECT_EQ(messageFor("mov.u32 $x, 1;"),
            "inline PTX, line 1, column 9: '$' is not followed by an operand's "
            "number");
  EXPECT_EQ(messageFor("mov.u32 r$0, 1;"),
            "inline PTX, line 1, column 10: an operand within a name is not "
            "supported");
  // Whatever is cut off ends in a message, never in a crash.
  StringRef Whole =
      "{ .reg .b32 r<4>; @!p add.s32 r0|q, [r1+0x10], {a, -1.5e3}; "
      "L: mov.b32 ${0:x}, $(1$|2$); }";
  for (size_t Length = 1; Length < Whole.size(); ++Length)
    consumeError(parsePTXSnippet(Whole.take_front(Length)).takeError());
}

} // namespace
