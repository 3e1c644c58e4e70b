// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/LiveRegisters.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

unsigned liveIn(
    const std::string &Body, function_ref<bool(const Value &)> IsUniform =
                                 [](const Value &) { return false; }) {
  LLVMContext Context;
  SMDiagnostic Problem;
  auto M = parseAssemblyString(
      "define void @f(ptr %p, i32 %n, ptr byval(i32) %s) {\n" + Body + "\n}\n",
      Problem, Context);
  EXPECT_TRUE(M) << Problem.getMessage().str();
  return M ? liveRegisters(*M->getFunction("f"), IsUniform) : ~0u;
}

/// Defined before a change of block, used behind it.
unsigned liveAcross(
    const std::string &Definitions, const std::string &Uses,
    function_ref<bool(const Value &)> IsUniform = [](const Value &) {
      return false;
    }) {
  return liveIn(Definitions + "br label %use\nuse:\n" + Uses + "ret void",
                IsUniform);
}

TEST(LiveRegisters, ParametersHoldNone) {
  EXPECT_EQ(liveAcross("%a = load i32, ptr %s\n", "store i32 %n, ptr %p\n"
                                                  "store i32 %a, ptr %p\n"),
            0u);
}

TEST(LiveRegisters, CountsWhatIsLiveTogether) {
  EXPECT_EQ(liveAcross("%a = load volatile i32, ptr %p\n"
                       "store i32 %a, ptr %p\n"
                       "%b = load volatile i32, ptr %p\n",
                       "store i32 %b, ptr %p\n"),
            1u);
  EXPECT_EQ(liveAcross("%a = load volatile i32, ptr %p\n"
                       "%b = load volatile i32, ptr %p\n",
                       "store i32 %a, ptr %p\n"
                       "store i32 %b, ptr %p\n"),
            2u);
}

TEST(LiveRegisters, CountsBits) {
  EXPECT_EQ(liveAcross("%a = load volatile double, ptr %p\n"
                       "%b = load volatile <4 x float>, ptr %p\n"
                       "%c = load volatile i8, ptr %p\n",
                       "store double %a, ptr %p\n"
                       "store <4 x float> %b, ptr %p\n"
                       "store i8 %c, ptr %p\n"),
            7u);
}

// What is read holds registers; what is computed from it, of integers and
// addresses, can be computed again.
TEST(LiveRegisters, CountsWhatCannotBeHadAgain) {
  EXPECT_EQ(liveAcross("%q = load volatile ptr, ptr %p\n"
                       "%q8 = getelementptr i8, ptr %q, i64 8\n"
                       "%less = icmp slt i32 %n, 3\n"
                       "%m = mul i32 %n, 3\n",
                       "store volatile i32 %m, ptr %q8\n"
                       "store i1 %less, ptr %q\n"),
            2u);
  EXPECT_EQ(liveAcross("%b = uitofp i32 %n to float\n",
                       "store volatile float %b, ptr %p\n"),
            1u);
}

// The counter and the sum of a loop, and what it leaves for later.
const char *const Loop = "  %after = load volatile i32, ptr %p\n"
                         "  br label %loop\n"
                         "loop:\n"
                         "  %i = phi i32 [ 0, %0 ], [ %next, %loop ]\n"
                         "  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]\n"
                         "  %x = load volatile float, ptr %p\n"
                         "  %more = fadd float %sum, %x\n"
                         "  %next = add i32 %i, 1\n"
                         "  %done = icmp eq i32 %next, %n\n"
                         "  br i1 %done, label %end, label %loop\n"
                         "end:\n"
                         "  store float %more, ptr %p\n"
                         "  store i32 %after, ptr %p\n"
                         "  ret void";

TEST(LiveRegisters, FollowsLoops) {
  EXPECT_EQ(liveIn(Loop, [](const Value &) { return false; }), 3u);
}

TEST(LiveRegisters, UniformCountersHoldNone) {
  EXPECT_EQ(liveIn(Loop, [](const Value &) { return true; }), 2u);
}

TEST(LiveRegisters, OneWayOfABranchOnly) {
  EXPECT_EQ(liveIn("  %less = icmp slt i32 %n, 3\n"
                   "  br i1 %less, label %a, label %b\n"
                   "a:\n"
                   "  %x = load volatile i32, ptr %p\n"
                   "  br label %a2\n"
                   "a2:\n"
                   "  store i32 %x, ptr %p\n"
                   "  br label %b\n"
                   "b:\n"
                   "  %y = load volatile i64, ptr %p\n"
                   "  br label %c\n"
                   "c:\n"
                   "  store i64 %y, ptr %p\n"
                   "  ret void",
                   [](const Value &) { return false; }),
            2u);
}

} // namespace
