// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which kernels compute approximately, by whose word, and in how many warps.

#include "sluice/Plan/Technique.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

/// Three kernels: 'ns::wave', 'plain', and 'marked', whose source says 3.
struct Planned {
  std::vector<KernelFacts> Facts;
  std::vector<KernelPlan> Plans;
  std::vector<Remark> Remarks;
  std::vector<std::string> Warnings;

  explicit Planned(std::vector<std::string> Args,
                   void (*Change)(KernelFacts &Wave) = nullptr)
      : Facts(3), Plans(3) {
    Facts[0].Name = "_ZN2ns4waveEPf";
    Facts[0].DisplayName = "ns::wave(float *)";
    Facts[0].Names = {"ns::wave", "wave"};
    Facts[1].Name = "plain";
    Facts[2].Name = "marked";
    Facts[2].SfuWarps = 3;
    if (Change)
      Change(Facts[0]);
    const Options Opts = cantFail(parseOptions(Args));
    PlanningContext Context{Opts,    *cantFail(findGPUModel("sm_90")),
                            132,     false,
                            {},      {},
                            {},      Remarks,
                            Warnings};
    for (size_t I = 0; I < Facts.size(); ++I)
      Context.Kernels.push_back({Facts[I], nullptr, Plans[I]});
    sfuTechnique().plan(Context);
  }

  std::vector<int> warps() const {
    std::vector<int> Result;
    for (const KernelPlan &K : Plans)
      Result.push_back(K.SfuWarps ? int(*K.SfuWarps) : -1);
    return Result;
  }
};

using Warps = std::vector<int>;

TEST(Sfu, IsOnlyWhereSomebodyAsks) {
  EXPECT_EQ(Planned({}).warps(), Warps({-1, -1, 3}));
  EXPECT_EQ(Planned({"sfu=auto"}).warps(), Warps({-1, -1, 3}));
  EXPECT_EQ(Planned({"sfu=off"}).warps(), Warps({-1, -1, -1}));
  EXPECT_EQ(Planned({"transforms=off"}).warps(), Warps({-1, -1, -1}));
  EXPECT_EQ(Planned({"transforms=off", "sfu=8"}).warps(), Warps({8, 8, 3}));
  EXPECT_EQ(Planned({"sfu=0"}).warps(), Warps({0, 0, 3}));
  EXPECT_EQ(Planned({"sfu=64"}).warps(), Warps({64, 64, 3}));
  EXPECT_EQ(Planned({"sfu=symbol"}).warps(),
            Warps({int(SfuWarpsOfSymbol), int(SfuWarpsOfSymbol), 3}));
}

TEST(Sfu, TakesKernelsByAnyName) {
  for (const char *Name :
       {"wave", "ns::wave", "ns::wave(float *)", "_ZN2ns4waveEPf"}) {
    Planned P({"sfu=8", std::string("sfu-kernels=") + Name});
    EXPECT_EQ(P.warps(), Warps({8, -1, 3})) << Name;
    EXPECT_TRUE(P.Warnings.empty()) << Name;
  }
  EXPECT_EQ(Planned({"sfu=8", "sfu-kernels=wave", "sfu-kernels=plain"}).warps(),
            Warps({8, 8, 3}));
}

TEST(Sfu, WarnsOfWhatItIsAskedInVain) {
  Planned Unknown({"sfu=8", "sfu-kernels=wav"});
  EXPECT_EQ(Unknown.Warnings,
            std::vector<std::string>(
                {"sfu-kernels=wav: no kernel of that name in this file"}));
  EXPECT_EQ(Unknown.warps(), Warps({-1, -1, 3}));
  EXPECT_EQ(Planned({"sfu-kernels=wave"}).Warnings,
            std::vector<std::string>(
                {"sfu-kernels=wave has no effect without sfu=LAMBDA"}));
}

TEST(Sfu, WarnsOfResultsThatVary) {
  Planned Slots({"sfu=8", "sfu-index=slot"});
  EXPECT_TRUE(Slots.Plans[0].SfuBySlot);
  ASSERT_EQ(Slots.Warnings.size(), 1U);
  EXPECT_NE(Slots.Warnings[0].find("vary from run to run"), std::string::npos);
  EXPECT_TRUE(Planned({"sfu=8", "sfu-index=block"}).Warnings.empty());
}

TEST(Sfu, LeavesOtherPeoplesKernels) {
  auto IsLibrarys = [](KernelFacts &K) { K.IsLibrarys = true; };
  EXPECT_EQ(Planned({"sfu=8"}, IsLibrarys).warps(), Warps({-1, 8, 3}));
  EXPECT_EQ(Planned({"sfu=8", "sfu-kernels=wave"}, IsLibrarys).warps(),
            Warps({8, -1, 3}));
  Planned Off({"sfu=8"}, [](KernelFacts &K) { K.Off = true; });
  EXPECT_EQ(Off.warps(), Warps({-1, 8, 3}));
  EXPECT_EQ(Off.Plans[0].SfuWhy,
            "the source switches Sluice off for this kernel");
}

/// What is planned for the first kernel, which calls these.
Planned calling(std::vector<MarkedFunction> Functions,
                std::vector<std::string> Args = {},
                std::optional<unsigned> Own = std::nullopt) {
  static std::vector<MarkedFunction> OfWave;
  static std::optional<unsigned> OwnOfWave;
  OfWave = std::move(Functions);
  OwnOfWave = Own;
  return Planned(std::move(Args), [](KernelFacts &K) {
    K.SfuFunctions = OfWave;
    K.SfuWarps = OwnOfWave;
  });
}

TEST(Sfu, IsOfFunctionsThatAskForIt) {
  Planned P = calling({{"f", 4}});
  EXPECT_EQ(P.warps(), Warps({4, -1, 3}));
  EXPECT_TRUE(P.Plans[0].SfuOfFunctions);
  EXPECT_FALSE(P.Plans[2].SfuOfFunctions);
  EXPECT_EQ(P.Plans[0].SfuWhy, "the source asks for it, of functions");
  // The source has the last word, and off is off.
  Planned Asked = calling({{"f", 4}}, {"sfu=8"});
  EXPECT_EQ(Asked.warps(), Warps({4, 8, 3}));
  EXPECT_TRUE(Asked.Plans[0].SfuOfFunctions);
  EXPECT_EQ(calling({{"f", 4}}, {"sfu=symbol", "sfu-kernels=wave"}).warps(),
            Warps({4, -1, 3}));
  EXPECT_EQ(calling({{"f", 4}}, {"sfu=off"}).warps(), Warps({-1, -1, -1}));
  EXPECT_TRUE(calling({{"f", 4}}, {"sfu-index=slot"}).Plans[0].SfuBySlot);
  EXPECT_EQ(calling({{"f", 100}}).warps(), Warps({64, -1, 3}));
}

TEST(Sfu, IsOneNumberForAllFunctionsOfAKernel) {
  EXPECT_EQ(calling({{"f", 4}, {"g", 4}}).warps(), Warps({4, -1, 3}));
  Planned P = calling({{"f", 4}, {"g", 2}});
  EXPECT_EQ(P.warps(), Warps({-1, -1, 3}));
  EXPECT_EQ(P.Plans[0].SfuWhy, "'g' asks for 2 warps and 'f' for 4");
  ASSERT_EQ(P.Remarks.size(), 1U);
  EXPECT_EQ(P.Remarks[0].Message, "nothing is computed approximately: 'g' asks "
                                  "for 2 warps and 'f' for 4");
  EXPECT_TRUE(calling({{"f", 4}}).Remarks.empty());
}

TEST(Sfu, IsOfTheWholeKernelWhereThatSaysSo) {
  Planned Same = calling({{"f", 4}}, {}, 4);
  EXPECT_EQ(Same.warps(), Warps({4, -1, 3}));
  EXPECT_FALSE(Same.Plans[0].SfuOfFunctions);
  Planned Other = calling({{"f", 4}}, {}, 2);
  EXPECT_EQ(Other.warps(), Warps({-1, -1, 3}));
  EXPECT_EQ(Other.Plans[0].SfuWhy,
            "'f' asks for 4 warps and the kernel for 2");
  EXPECT_EQ(calling({{"f", 4}}, {}, 0).warps(), Warps({0, -1, 3}));
}

TEST(Sfu, TakesWhatAPlanSays) {
  KernelFacts Facts;
  KernelPlan Given, Ours;
  Given.SfuWarps = 5;
  Given.SfuBySlot = true;
  Given.SfuOfFunctions = true;
  sfuTechnique().takeGiven(&Given, Facts, Ours);
  EXPECT_EQ(Ours.SfuWarps, 5U);
  EXPECT_TRUE(Ours.SfuBySlot);
  EXPECT_TRUE(Ours.SfuOfFunctions);
  sfuTechnique().takeGiven(nullptr, Facts, Ours);
  EXPECT_FALSE(Ours.SfuWarps);
  Facts.Off = true;
  sfuTechnique().takeGiven(&Given, Facts, Ours);
  EXPECT_FALSE(Ours.SfuWarps);
  auto Both = parseOptions({"plan=p.yaml", "sfu=4"});
  ASSERT_FALSE(bool(Both));
  EXPECT_EQ(toString(Both.takeError()),
            "options 'plan' and 'sfu' are both given; the plan has its own "
            "sfu-warps, so leave 'sfu' out");
}

TEST(Sfu, IsNoChoiceOfTheTuner) {
  KernelPlan K;
  K.SfuWarps = 5;
  EXPECT_TRUE(
      sfuTechnique().knobs(K, *cantFail(findGPUModel("sm_90"))).empty());
}

} // namespace
