// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Directives in PTX as clang and nvcc write it.

#include "sluice/Target/KernelDirectives.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

const char PTX[] = R"(
	// .globl	_Z4freePf               // -- Begin function: .entry none(
.visible .entry _Z4freePf(
	.param .u64 .ptr .align 1 _Z4freePf_param_0
)                                       // @_Z4freePf
{
	ret;
}
.entry bare
{
	ret;
}
.visible .entry _Z5boundPf(
	.param .align 8 .b8 _Z5boundPf_param_0[16]
)
.maxntid 128, 2, 1
.minnctapersm 3
{
	ret;
}
.visible .entry exact() .reqntid 64
.maxnreg 40 {
	ret;
}
.extern .entry declared(.param .u64 p);
)";

TEST(KernelDirectives, AreReadForEachKernel) {
  StringMap<KernelDirectives> All = directivesOf(PTX);
  ASSERT_EQ(All.size(), 4u);
  EXPECT_FALSE(All.at("_Z4freePf").boundRegisters());
  EXPECT_FALSE(All.at("bare").boundRegisters());
  EXPECT_EQ(All.at("_Z5boundPf").Threads, 256u);
  EXPECT_EQ(All.at("_Z5boundPf").MinBlocksPerSM, 3u);
  EXPECT_TRUE(All.at("_Z5boundPf").boundRegisters());
  EXPECT_EQ(All.at("exact").Threads, 64u);
  EXPECT_EQ(All.at("exact").MaxRegisters, 40u);
}

TEST(KernelDirectives, LimitGoesBeforeTheBody) {
  StringMap<unsigned> Limits = {{"_Z4freePf", 24}, {"bare", 32}};
  std::string Text = limitRegisters(PTX, Limits);
  EXPECT_NE(Text.find("// @_Z4freePf\n.maxnreg 24\n{"), std::string::npos);
  EXPECT_NE(Text.find(".entry bare\n.maxnreg 32\n{"), std::string::npos);
  StringMap<KernelDirectives> All = directivesOf(Text);
  EXPECT_EQ(All.at("_Z4freePf").MaxRegisters, 24u);
  EXPECT_FALSE(All.at("_Z5boundPf").MaxRegisters);
  EXPECT_EQ(All.at("exact").MaxRegisters, 40u) << "it was not asked for";
}

TEST(KernelDirectives, LimitTakesThePlaceOfAnother) {
  std::string Text = limitRegisters(PTX, {{"exact", 200}});
  StringMap<KernelDirectives> All = directivesOf(Text);
  EXPECT_EQ(All.at("exact").MaxRegisters, 200u);
  EXPECT_EQ(All.at("exact").Threads, 64u);
  EXPECT_EQ(StringRef(Text).count(".maxnreg"), 1u);
}

TEST(KernelDirectives, NothingToLimitIsTheSameText) {
  EXPECT_EQ(limitRegisters(PTX, {}), PTX);
  EXPECT_EQ(limitRegisters(PTX, {{"other", 24}}), PTX);
  EXPECT_EQ(limitRegisters("", {{"other", 24}}), "");
}

TEST(KernelDirectives, ThePragmaStandsInTheBody) {
  std::string Text = enableSharedSpills(PTX, {"bare", "exact", "declared"});
  EXPECT_NE(Text.find(".entry bare\n{\n\t.pragma \"enable_smem_spilling\";\n"
                      "\n\tret;"),
            std::string::npos);
  EXPECT_NE(Text.find(".maxnreg 40 {\n\t.pragma \"enable_smem_spilling\";"),
            std::string::npos);
  EXPECT_EQ(StringRef(Text).count(".pragma"), 2u);
  EXPECT_EQ(enableSharedSpills(PTX, {}), PTX);
}

} // namespace
