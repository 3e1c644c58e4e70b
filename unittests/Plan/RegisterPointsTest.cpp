// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The tuner's choice of registers: critical points and no others.

#include "sluice/Plan/LaunchShapes.h"
#include "sluice/Plan/Technique.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;
using testing::ElementsAre;

namespace {

const GPUModel &sm90() { return *cantFail(findGPUModel("sm_90")); }

/// Takes what it may, from 24 to 70 registers.
Expected<AssembledKernels> assembleAnything(const AssemblyRequest &Request) {
  AssembledKernels Kernels;
  for (const auto &[Name, D] : directivesOf(Request.PTX))
    Kernels[Name].Registers =
        std::min(std::max(D.MaxRegisters.value_or(70), 24u), 70u);
  return Kernels;
}

LaunchPlan launch(uint64_t Threads) {
  LaunchPlan Launch;
  Launch.Grid = LaunchDim::known(10000);
  Launch.Block = LaunchDim::known(Threads);
  return Launch;
}

KernelPlan kernel(std::string Name, std::vector<LaunchPlan> Launches) {
  KernelPlan Kernel;
  Kernel.Name = std::move(Name);
  Kernel.Launches = std::move(Launches);
  return Kernel;
}

Plan planWithPoints() {
  Plan P;
  P.SMs = 132;
  P.Kernels = {kernel("free", {launch(256)}), kernel("bound", {launch(256)}),
               kernel("unknown", {}), kernel("not-compiled", {launch(256)})};
  AssemblyCache Cache({"", assembleAnything}, "");
  cantFail(findRegisterPoints(
      Cache,
      {".entry free() {}\n.entry bound() .maxntid 256 {}\n.entry unknown() {}",
       "sm_90"},
      sm90(), P));
  return P;
}

std::vector<Choice> knobs(const KernelPlan &Kernel) {
  return registersTechnique().knobs(Kernel, sm90());
}

TEST(RegisterPoints, AreThoseOfKernelsThatMayBeLimited) {
  Plan P = planWithPoints();
  EXPECT_THAT(P.Kernels[0].RegisterPoints, ElementsAre(32, 40, 48, 64, 70));
  for (unsigned I : {1, 2, 3})
    EXPECT_TRUE(P.Kernels[I].RegisterPoints.empty()) << P.Kernels[I].Name;
}

TEST(RegisterPoints, AClaimLeavesMoreRegistersToFewerBlocks) {
  auto PointsOf = [](uint64_t Claimed) {
    std::vector<unsigned> Registers;
    for (const CriticalPoint &P :
         criticalPoints(sm90(), shapeOf(launch(256), Claimed)->block({}),
                        {24, 255}, 10000, 132))
      Registers.push_back(P.Registers);
    return Registers;
  };
  EXPECT_THAT(PointsOf(0), ElementsAre(32, 40, 48, 64, 80, 128, 255));
  EXPECT_THAT(PointsOf(100 * 1024), ElementsAre(128, 255)); // two blocks
}

TEST(RegisterPoints, AreTheKnobsValues) {
  Plan P = planWithPoints();
  std::vector<Choice> Knobs = knobs(P.Kernels[0]);
  ASSERT_EQ(Knobs.size(), 1u);
  const Choice &C = Knobs.front();
  EXPECT_EQ(C.Name, "registers");
  EXPECT_THAT(C.Values, ElementsAre("auto", "70", "64", "48", "40", "32"));
  EXPECT_EQ(C.Planned, 0u);
  EXPECT_EQ(C.Goes, Choice::InCode);
  KernelPlan K = P.Kernels[0];
  C.Set(K, 3);
  EXPECT_EQ(K.MaxRegisters, 48u);
  EXPECT_FALSE(K.RegistersWhy.empty());
  C.Set(K, 0);
  EXPECT_FALSE(K.MaxRegisters);
  EXPECT_TRUE(K.RegistersWhy.empty());
}

TEST(RegisterPoints, WithWhatIsPlanned) {
  KernelPlan K = planWithPoints().Kernels[0];
  K.MaxRegisters = 48;
  EXPECT_EQ(knobs(K).front().Planned, 3u);
  K.MaxRegisters = 50;
  Choice C = knobs(K).front();
  EXPECT_THAT(C.Values,
              ElementsAre("auto", "70", "64", "50", "48", "40", "32"));
  EXPECT_EQ(C.Planned, 3u);
}

// One step, or none that is known: nothing to choose.
TEST(RegisterPoints, NoKnobWithoutSteps) {
  KernelPlan K = kernel("k", {});
  EXPECT_TRUE(knobs(K).empty());
  K.RegisterPoints = {32};
  EXPECT_TRUE(knobs(K).empty());
}

} // namespace
