// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/XModel/CodeMix.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

const GPUModel &h100() { return **findGPUModel("sm_90"); }

CodeMix mixOf(StringRef Body) {
  const std::string PTX =
      (".visible .entry k(\n)\n{\n" + Body + "\n\tret;\n}\n").str();
  return codeMix(warpProgram(PTX, "k", h100()), h100());
}

} // namespace

TEST(CodeMix, DependentOperationsHaveNoParallelism) {
  std::string Body;
  for (int I = 0; I < 50; ++I)
    Body += "\tfma.rn.f32 %f1, %f1, %f1, %f1;\n";
  const CodeMix Mix = mixOf(Body);
  EXPECT_NEAR(Mix.Parallelism, 1, 0.05);
  EXPECT_EQ(Mix.Lanes, 4);
  EXPECT_EQ(Mix.Loads, 0);
}

TEST(CodeMix, IndependentOnesHaveAll) {
  std::string Body;
  for (int I = 0; I < 50; ++I)
    Body += "\tfma.rn.f32 %f" + std::to_string(I) + ", %r1, %r2, %r3;\n";
  EXPECT_NEAR(mixOf(Body).Parallelism, 4, 0.2);
}

TEST(CodeMix, WaitsOnceForLoadsThatAreUnderWayTogether) {
  const CodeMix Together = mixOf("\tld.global.f32 %f1, [%rd1];\n"
                                 "\tld.global.f32 %f2, [%rd2];\n"
                                 "\tadd.f32 %f3, %f1, %f2;\n");
  EXPECT_EQ(Together.Loads, 2);
  EXPECT_EQ(Together.Waits, 1);
  EXPECT_EQ(Together.loadsPerWait(), 2);
  const CodeMix Chain = mixOf("\tld.global.u64 %rd2, [%rd1];\n"
                              "\tld.global.u64 %rd3, [%rd2];\n"
                              "\tadd.u64 %rd4, %rd3, 1;\n");
  EXPECT_EQ(Chain.Loads, 2);
  EXPECT_EQ(Chain.Waits, 2);
}

TEST(CodeMix, SlowUnitsHaveFewerLanes) {
  const CodeMix Mix = mixOf("\tsin.approx.f32 %f1, %f2;\n"
                            "\tsin.approx.f32 %f3, %f4;\n");
  EXPECT_LT(Mix.Lanes, 1);
}

TEST(CodeMix, OfNothingIsAWholeMachine) {
  const CodeMix Mix = codeMix({}, h100());
  EXPECT_EQ(Mix.Lanes, 4);
  EXPECT_EQ(Mix.Parallelism, 1);
  EXPECT_EQ(Mix.loadsPerWait(), 1);
}
