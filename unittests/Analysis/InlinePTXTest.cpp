// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/InlinePTX.h"
#include "gtest/gtest.h"

using namespace sluice;

TEST(InlinePTX, NothingComputes) {
  EXPECT_EQ(classifyInlinePTX(""), InlinePTX::Computes);
  EXPECT_EQ(classifyInlinePTX(" ;\n\t;"), InlinePTX::Computes);
}

TEST(InlinePTX, RegistersFromRegisters) {
  EXPECT_EQ(classifyInlinePTX("mov.u32 $0, %laneid;"), InlinePTX::Computes);
  EXPECT_EQ(classifyInlinePTX("lop3.b32 $0, $1, $2, $3, 0x96;"),
            InlinePTX::Computes);
  EXPECT_EQ(classifyInlinePTX("{ .reg .pred p; setp.ne.u32 p, $1, 0;"
                              " @!p add.s32 $0, $1, 1; }"),
            InlinePTX::Computes);
  EXPECT_EQ(classifyInlinePTX("mov.b64 {$0, $1}, $2;"), InlinePTX::Computes);
}

TEST(InlinePTX, TheMostOfAllCounts) {
  EXPECT_EQ(classifyInlinePTX("add.s32 $0, $1, 1; st.global.u32 [$2], $0;"),
            InlinePTX::Accesses);
  EXPECT_EQ(classifyInlinePTX("ld.global.v4.f32 {$0, $1, $2, $3}, [$4];"),
            InlinePTX::Accesses);
  EXPECT_EQ(classifyInlinePTX("ld.global.L1::no_allocate.f32 $0, [$1];"),
            InlinePTX::Accesses);
  EXPECT_EQ(classifyInlinePTX("cp.async.cg.shared.global [$0], [$1], 16;"),
            InlinePTX::Accesses);
  EXPECT_EQ(classifyInlinePTX("cp.async.wait_group 0;"), InlinePTX::Accesses);
}

TEST(InlinePTX, WhatMayWaitIsUnknown) {
  for (const char *Text :
       {"bar.sync 1, 64;", "barrier.sync 0;", "bra next;",
        "next: add.s32 $0,"
        " $0, 1;",
        "call f;", "exit;",
        "mbarrier.try_wait.shared.b64 p, [$0], "
        "$1;",
        "cp.async.bulk.wait_group 0;",
        "cp.async.mbarrier.arrive.b64 "
        "[$0];",
        "wgmma.wait_group.sync.aligned 0;", "griddepcontrol.wait;",
        "setmaxnreg.inc.sync.aligned.u32 64;", ".pragma \"x\";",
        "add.s32 $0, $1, 1; @p bra next;", "{ @$0 bar.sync 1; }"})
    EXPECT_EQ(classifyInlinePTX(Text), InlinePTX::Unknown) << Text;
}

TEST(InlinePTX, CommentsAreNotLookedInto) {
  EXPECT_EQ(classifyInlinePTX("add.s32 $0, $1, 1; // bra"), InlinePTX::Unknown);
  EXPECT_EQ(classifyInlinePTX("/* x */ add.s32 $0, $1, 1;"),
            InlinePTX::Unknown);
}
