// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What every row of the table of techniques keeps, so that whoever goes over
/// the table may rely on it.

#include "sluice/Plan/Technique.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

Options parse(std::vector<std::string> Args) {
  return cantFail(parseOptions(Args));
}

/// A kernel of which each technique says something, with a loop.
KernelPlan fullKernel() {
  KernelPlan K;
  K.Name = "k";
  K.CarveoutPercent = 50;
  K.CarveoutWhy = "so";
  K.ResidentBlocks = 2;
  K.ClaimedSharedBytes = 1024;
  K.BlocksWhy = "so";
  K.CachedWarps = 4;
  K.BypassOf = BypassedCache::ReadOnly;
  K.BypassWhy = "so";
  K.MaxRegisters = 64;
  K.RegistersWhy = "so";
  K.RegisterPoints = {32, 40};
  K.OwnRegisters = 72;
  K.LoadRegisters = 64;
  K.ConditionsFirst = false;
  K.RelaxAtomics = false;
  K.ReadFirst = false;
  K.ArraysInRegisters = false;
  K.ConstantsThroughL1 = false;
  K.LoadsFirst = false;
  K.NarrowSync = false;
  K.FewerInstructions = false;
  K.MergesBlocks = false;
  K.AnglesOnce = false;
  K.SfuWarps = SfuWarpsOfSymbol;
  K.SfuBySlot = true;
  K.SfuOfFunctions = true;
  K.SfuWhy = "so";
  K.Loops.emplace_back();
  LoopPlan &L = K.Loops.back();
  L.Id.Place = {"k.cu", 3, 5};
  L.WarpGroups = 4;
  L.Promote = false;
  L.PromoteWhy = "so";
  L.Staged = {{L.Id}};
  L.ChunkBytes = 128;
  L.StagedWarps = 4;
  L.StagedFrom = 64;
  L.StagedWhy = "so";
  L.Unroll = 8;
  L.UnrollWhy = "so";
  K.Loads.push_back({L.Id, CacheHint(), "so"});
  return K;
}

KernelPlan fullBefore24() {
  KernelPlan K = fullKernel();
  K.MergesBlocks.reset();
  return K;
}

KernelPlan fullBefore23() {
  KernelPlan K = fullBefore24();
  K.ConditionsFirst.reset();
  return K;
}

KernelPlan fullBefore22() {
  KernelPlan K = fullBefore23();
  K.SfuOfFunctions = false;
  return K;
}

KernelPlan fullBefore20() {
  KernelPlan K = fullBefore22();
  K.FewerInstructions.reset();
  K.AnglesOnce.reset();
  return K;
}

KernelPlan fullBefore19() {
  KernelPlan K = fullBefore20();
  K.NarrowSync.reset();
  return K;
}

KernelPlan fullBefore18() {
  KernelPlan K = fullBefore19();
  K.LoadsFirst.reset();
  return K;
}

KernelPlan fullBefore17() {
  KernelPlan K = fullBefore18();
  K.ConstantsThroughL1.reset();
  return K;
}

KernelPlan fullBefore15() {
  KernelPlan K = fullBefore17();
  static_cast<BypassPlan &>(K) = {};
  return K;
}

KernelPlan fullBefore14() {
  KernelPlan K = fullBefore15();
  static_cast<SfuPlan &>(K) = {};
  return K;
}

KernelPlan fullBefore13() {
  KernelPlan K = fullBefore14();
  K.ArraysInRegisters.reset();
  return K;
}

/// But for what came with version 12, and later.
KernelPlan fullBefore12() {
  KernelPlan K = fullBefore13();
  static_cast<KeptRowsPlan &>(K) = {};
  static_cast<LoadsInKernelPlan &>(K) = {};
  K.ReadFirst.reset();
  static_cast<LoadsInFlightPlan &>(K.Loops.back()) = {};
  return K;
}

std::string textOf(const KernelPlan &K) {
  Plan P;
  P.GPU = "sm_90";
  P.Kernels = {K};
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(P, OS);
  return Text;
}

TEST(Technique, HasAnOptionOfItsNameThatKnowsOff) {
  StringSet<> Names;
  for (const Technique *T : techniques()) {
    EXPECT_TRUE(Names.insert(T->name()).second) << T->name().str();
    ASSERT_FALSE(T->options().empty());
    EXPECT_EQ(T->options().front().Key, T->name());
    EXPECT_FALSE(T->isOn(parse({(T->name() + "=off").str()})))
        << T->name().str();
  }
}

TEST(Technique, IsOffWithTransformsOff) {
  Options Off = parse({"transforms=off"});
  for (const Technique *T : techniques()) {
    EXPECT_FALSE(T->isOn(Off)) << T->name().str();
    Options Switched;
    T->switchOff(Switched);
    EXPECT_FALSE(T->isOn(Switched)) << T->name().str();
  }
}

TEST(Technique, IsNotSaidByOptionsUnlessSomebodySaysIt) {
  for (const Technique *T : techniques()) {
    EXPECT_FALSE(T->isSaidByOptions(Options())) << T->name().str();
    EXPECT_FALSE(T->isSaidByOptions(parse({"plan=p.yaml", "transforms=off"})))
        << T->name().str();
  }
}

TEST(Technique, ChangesSomebodyAndOnlyTheHostByARecord) {
  for (const Technique *T : techniques()) {
    EXPECT_NE(T->changes(), 0U) << T->name().str();
    if (T->changes() == Technique::Host) {
      EXPECT_EQ(T->pass().Name, "sluice-host-record") << T->name().str();
    }
  }
}

TEST(Technique, HasFaultsThatOptionsKnow) {
  for (const Technique *T : techniques())
    for (const PlantedFault &Fault : T->faults()) {
      auto Opts = parseOptions({("test-wrong-rewrite=" + Fault.Name).str()});
      EXPECT_TRUE(bool(Opts)) << Fault.Name.str();
      consumeError(Opts.takeError());
    }
}

TEST(Technique, ForgetsWhatItSays) {
  KernelPlan K = fullKernel();
  std::string Full = textOf(K);
  for (const Technique *T : techniques()) {
    KernelPlan Without = K;
    T->forget(Without);
    EXPECT_NE(textOf(Without), Full) << T->name().str();
    EXPECT_LE(T->versionOf(K), T->newestVersion()) << T->name().str();
  }
}

TEST(Technique, TakesNothingOfAPlanThatSaysNothing) {
  KernelFacts Facts;
  for (const Technique *T : techniques()) {
    KernelPlan Ours = fullKernel(), Empty = fullKernel();
    T->takeGiven(nullptr, Facts, Ours);
    T->forget(Empty);
    // Promotion stays where a plan says nothing of it: it needs none.
    if (T->saidByPlans().empty())
      continue;
    EXPECT_EQ(T->versionOf(Ours), T->versionOf(Empty)) << T->name().str();
  }
}

TEST(Technique, ReadsWhatItWrites) {
  std::string Text = textOf(fullKernel());
  auto Read = parsePlans(Text, "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(textOf(Read->front().Kernels.front()), Text);
}

TEST(Technique, ReadsWhatItWritesOfMergedBlocks) {
  const std::string Text = textOf(fullKernel());
  EXPECT_NE(Text.find("sluice-plan:     24"), std::string::npos) << Text;
  EXPECT_NE(Text.find("merged-blocks:   false"), std::string::npos) << Text;
  EXPECT_EQ(textOf(fullBefore24()).find("merged-blocks"), std::string::npos);
}

TEST(Technique, ReadsWhatItWritesOfConditions) {
  const std::string Text = textOf(fullBefore24());
  EXPECT_NE(Text.find("sluice-plan:     23"), std::string::npos) << Text;
  EXPECT_NE(Text.find("conditions-first: false"), std::string::npos) << Text;
  EXPECT_EQ(textOf(fullBefore23()).find("conditions-first"), std::string::npos);
}

TEST(Technique, ReadsWhatItWritesOfFewerInstructions) {
  const std::string Text = textOf(fullBefore22());
  EXPECT_NE(Text.find("sluice-plan:     20"), std::string::npos) << Text;
  EXPECT_NE(Text.find("fewer-instructions: false"), std::string::npos) << Text;
}

TEST(Technique, ReadsWhatItWritesOfAngles) {
  const std::string Text = textOf(fullBefore22());
  EXPECT_NE(Text.find("sluice-plan:     20"), std::string::npos) << Text;
  EXPECT_NE(Text.find("angles-once:     false"), std::string::npos) << Text;
}

TEST(Technique, ReadsWhatItWritesOfSynchronisation) {
  const std::string Text = textOf(fullBefore20());
  EXPECT_NE(Text.find("sluice-plan:     19"), std::string::npos) << Text;
  EXPECT_NE(Text.find("narrow-sync:     false"), std::string::npos) << Text;
}

TEST(Technique, ReadsWhatItWritesOfEarlyLoads) {
  const std::string Text = textOf(fullBefore19());
  EXPECT_NE(Text.find("sluice-plan:     18"), std::string::npos) << Text;
  EXPECT_NE(Text.find("loads-first:     false"), std::string::npos) << Text;
}

TEST(Technique, ReadsWhatItWritesOfConstantArrays) {
  const std::string Text = textOf(fullBefore18());
  EXPECT_NE(Text.find("sluice-plan:     17"), std::string::npos) << Text;
  EXPECT_NE(Text.find("constants-through-l1: false"), std::string::npos)
      << Text;
}

TEST(Technique, ReadsWhatItWritesOfBypassing) {
  KernelPlan K = fullBefore17();
  std::string Text = textOf(K);
  EXPECT_NE(Text.find("sluice-plan:     15"), std::string::npos) << Text;
  for (const char *Key : {"cached-warps:    4", "bypass-of:       read-only",
                          "bypass-why:      so"})
    EXPECT_NE(Text.find(Key), std::string::npos) << Key << " in " << Text;
  K.CachedWarps.reset();
  K.SamplesWarps = true;
  Text = textOf(K);
  EXPECT_NE(Text.find("cached-warps:    sampled"), std::string::npos) << Text;
  auto Read = parsePlans(Text, "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(textOf(Read->front().Kernels.front()), Text);
}

TEST(Technique, ReadsWhatItWritesOfSfu) {
  KernelPlan K = fullBefore15();
  std::string Text = textOf(K);
  EXPECT_NE(Text.find("sluice-plan:     14"), std::string::npos) << Text;
  EXPECT_NE(Text.find("sfu-warps:       symbol"), std::string::npos) << Text;
  EXPECT_NE(Text.find("sfu-index:       slot"), std::string::npos) << Text;
  K.SfuWarps = 6;
  K.SfuBySlot = false;
  Text = textOf(K);
  EXPECT_NE(Text.find("sfu-warps:       6"), std::string::npos) << Text;
  EXPECT_EQ(Text.find("sfu-index"), std::string::npos) << Text;
  auto Read = parsePlans(Text, "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(textOf(Read->front().Kernels.front()), Text);
  for (auto [From, To, Error] :
       {std::tuple("sfu-warps:       6", "sfu-warps: 65",
                   "sfu-warps must be a number from 0 to 64, or symbol"),
        std::tuple("sfu-why", "sfu-index: warp\n    sfu-why",
                   "sfu-index must be block or slot")}) {
    std::string Wrong = Text;
    Wrong.replace(Wrong.find(From), StringRef(From).size(), To);
    auto Bad = parsePlans(Wrong, "p.yaml");
    ASSERT_FALSE(bool(Bad)) << Wrong;
    EXPECT_NE(toString(Bad.takeError()).find(Error), std::string::npos);
  }
}

TEST(Technique, ReadsWhatItWritesOfSfuOfFunctions) {
  KernelPlan K = fullBefore15();
  K.SfuOfFunctions = true;
  const std::string Text = textOf(K);
  EXPECT_NE(Text.find("sluice-plan:     22"), std::string::npos) << Text;
  EXPECT_NE(Text.find("sfu-of:          functions"), std::string::npos) << Text;
  auto Read = parsePlans(Text, "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(textOf(Read->front().Kernels.front()), Text);
  std::string Wrong = Text;
  Wrong.replace(Wrong.find("functions"), StringRef("functions").size(), "all");
  auto Bad = parsePlans(Wrong, "p.yaml");
  ASSERT_FALSE(bool(Bad)) << Wrong;
  EXPECT_NE(toString(Bad.takeError()).find("sfu-of must be kernel or functions"),
            std::string::npos);
}

TEST(Technique, ReadsWhatItWritesOfLocalArrays) {
  const std::string Text = textOf(fullBefore14());
  EXPECT_NE(Text.find("sluice-plan:     13"), std::string::npos) << Text;
  EXPECT_NE(Text.find("arrays-in-registers: false"), std::string::npos) << Text;
}

TEST(Technique, ReadsWhatItWritesOfLoadsInFlight) {
  KernelPlan K = fullBefore13();
  const std::string Text = textOf(K);
  EXPECT_NE(Text.find("sluice-plan:     12"), std::string::npos) << Text;
  for (const char *Key : {"own-registers:   72", "load-registers:  64",
                          "unroll:          8", "unroll-why:      so"})
    EXPECT_NE(Text.find(Key), std::string::npos) << Key << " in " << Text;
  auto Read = parsePlans(Text, "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(textOf(Read->front().Kernels.front()), Text);
}

TEST(Technique, ReadsWhatItWritesOfLines) {
  KernelPlan K = fullBefore12();
  LoopPlan &L = K.Loops.back();
  static_cast<StagingPlan &>(L) = {};
  L.Lines = {{L.Id}};
  L.LinesPerThread = 3;
  L.LineThreads = 256;
  L.LinesMonitored = true;
  L.LinesWhy = "so";
  const std::string Text = textOf(K);
  EXPECT_NE(Text.find("sluice-plan:     11"), std::string::npos) << Text;
  for (const char *Key :
       {"lines:", "lines-per-thread: 3", "line-threads:    256",
        "lines-monitored: true", "lines-why:       so"})
    EXPECT_NE(Text.find(Key), std::string::npos) << Key << " in " << Text;
  auto Read = parsePlans(Text, "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(textOf(Read->front().Kernels.front()), Text);
}

TEST(Technique, ReadsWhatItWritesOfRowsInRegisters) {
  KernelPlan K = fullBefore12();
  K.RelaxAtomics.reset(); // of a later version
  LoopPlan &L = K.Loops.back();
  static_cast<StagingPlan &>(L) = {};
  L.Widened = {{L.Id}};
  L.WidenedWhy = "so";
  const std::string Text = textOf(K);
  EXPECT_NE(Text.find("sluice-plan:     9"), std::string::npos) << Text;
  auto Read = parsePlans(Text, "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(textOf(Read->front().Kernels.front()), Text);
}

TEST(Technique, KnobsFindWhatIsPlanned) {
  KernelPlan K = fullKernel();
  const GPUModel &GPU = *cantFail(findGPUModel("sm_90"));
  for (const Technique *T : techniques())
    for (const Choice &C : T->knobs(K, GPU)) {
      ASSERT_LT(C.Planned, C.Values.size()) << C.Name;
      KernelPlan Set = K;
      C.Set(Set, C.Planned);
      EXPECT_EQ(Set.Loops[0].WarpGroups, K.Loops[0].WarpGroups) << C.Name;
      EXPECT_EQ(Set.Loops[0].Promote, K.Loops[0].Promote) << C.Name;
      EXPECT_EQ(Set.MaxRegisters, K.MaxRegisters) << C.Name;
    }
}

TEST(Technique, TriesNumbersOfWarpsOnlyWherePartitioned) {
  KernelPlan K = fullKernel();
  const GPUModel &GPU = *cantFail(findGPUModel("sm_90"));
  LaunchPlan Launch;
  Launch.Block = LaunchDim::known(256);
  K.Launches = {Launch};
  K.CachedWarps = 3;
  std::vector<Choice> Knobs = bypassTechnique().knobs(K, GPU);
  ASSERT_EQ(Knobs.size(), 1u);
  EXPECT_EQ(Knobs[0].Values,
            (std::vector<std::string>{"all", "0", "1", "2", "3", "4", "5", "6",
                                      "7"}));
  EXPECT_EQ(Knobs[0].Values[Knobs[0].Planned], "3");
  Knobs[0].Set(K, 0);
  EXPECT_FALSE(K.CachedWarps);
  EXPECT_TRUE(bypassTechnique().knobs(K, GPU).empty());
}

} // namespace
