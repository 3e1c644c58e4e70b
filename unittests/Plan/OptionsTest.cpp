// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The options a user may give, and what is said of those that are wrong.

#include "sluice/Plan/Options.h"
#include "sluice/Plan/Technique.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

Options parse(const std::vector<std::string> &Args) {
  auto Parsed = parseOptions(Args);
  if (Parsed)
    return *Parsed;
  ADD_FAILURE() << toString(Parsed.takeError());
  return {};
}

std::string parseError(const std::vector<std::string> &Args) {
  auto Parsed = parseOptions(Args);
  return Parsed ? "no error" : toString(Parsed.takeError());
}

TEST(Options, Defaults) {
  Options O = parse({});
  EXPECT_EQ(O.PlanFile, "");
  EXPECT_EQ(O.EmitPlanFile, "");
  EXPECT_TRUE(O.Throttle);
  EXPECT_FALSE(O.ForcedWarpGroups);
  EXPECT_FALSE(O.L1KiB);
  EXPECT_FALSE(O.SMs);
  EXPECT_TRUE(O.Launches.empty());
  EXPECT_FALSE(O.TraceOnGPU);
}

TEST(Options, AllThatThisVersionHas) {
  Options O = parse(
      {"emit-plan=-", "throttle=8", "l1-kib=32", "sms=108", "launch=k:1:32"});
  EXPECT_EQ(parse({"plan=in.yaml"}).PlanFile, "in.yaml");
  EXPECT_TRUE(parse({"trace=gpu"}).TraceOnGPU);
  EXPECT_FALSE(parse({"remarks=auto"}).AllRemarks);
  EXPECT_TRUE(parse({"remarks=all"}).AllRemarks);
  EXPECT_FALSE(parse({}).AssemblyCacheFolder);
  EXPECT_EQ(parse({"assembly-cache=off"}).AssemblyCacheFolder, "");
  EXPECT_EQ(parse({"assembly-cache=a b"}).AssemblyCacheFolder, "a b");
  EXPECT_EQ(O.EmitPlanFile, "-");
  EXPECT_TRUE(O.Throttle);
  EXPECT_EQ(O.ForcedWarpGroups, 8u);
  EXPECT_EQ(O.L1KiB, 32u);
  EXPECT_EQ(O.SMs, 108u);
  EXPECT_EQ(O.Launches.size(), 1u);
}

TEST(Options, CarveoutMayBeLeftToTheDriver) {
  EXPECT_TRUE(parse({}).Carveout);
  EXPECT_TRUE(parse({"carveout=auto"}).Carveout);
  EXPECT_FALSE(parse({"carveout=off"}).Carveout);
  EXPECT_EQ(parseError({"carveout=50"}),
            "invalid value '50' for option 'carveout': expected auto or off");
}

TEST(Options, NoTransformButThoseAskedFor) {
  Options Off = parse({"transforms=off"});
  EXPECT_FALSE(Off.Throttle);
  EXPECT_FALSE(Off.Promote);
  EXPECT_FALSE(Off.Hints);

  // In either order.
  for (const std::vector<std::string> &Args :
       {std::vector<std::string>{"transforms=off", "throttle=4"},
        std::vector<std::string>{"throttle=4", "transforms=off"}}) {
    Options Throttled = parse(Args);
    EXPECT_TRUE(Throttled.Throttle);
    EXPECT_EQ(Throttled.ForcedWarpGroups, 4u);
    EXPECT_FALSE(Throttled.Promote);
    EXPECT_FALSE(Throttled.Hints);
  }
  EXPECT_TRUE(parse({"transforms=off", "throttle=auto"}).Throttle);
  EXPECT_TRUE(parse({"transforms=off", "promote=on"}).Promote);
  EXPECT_TRUE(parse({"transforms=off", "hints=auto"}).Hints);
  EXPECT_FALSE(Off.Atomics);
  EXPECT_TRUE(parse({"transforms=off", "atomics=auto"}).Atomics);

  Options Planned = parse({"transforms=off", "plan=in.yaml"});
  EXPECT_TRUE(Planned.Throttle);
  EXPECT_TRUE(Planned.Hints);
  EXPECT_FALSE(Planned.Promote);

  EXPECT_TRUE(parse({"transforms=auto"}).Throttle);
  EXPECT_EQ(parseError({"transforms=on"}),
            "invalid value 'on' for option 'transforms': expected auto or off");
}

TEST(Options, APlanHasItsOwnFactors) {
  for (const char *Throttle : {"throttle=8", "throttle=off"}) {
    auto Parsed = parseOptions({"plan=in.yaml", Throttle});
    ASSERT_FALSE(bool(Parsed)) << Throttle;
    EXPECT_NE(llvm::toString(Parsed.takeError()).find("both given"),
              std::string::npos);
  }
}

TEST(Options, APlanHasItsOwnHintsAndCarveouts) {
  EXPECT_EQ(parseError({"plan=p.yaml", "hints=off"}),
            "options 'plan' and 'hints' are both given; the plan has its own "
            "hints, so leave 'hints' out");
  EXPECT_EQ(parseError({"transforms=off", "hints=off", "plan=p.yaml"}),
            parseError({"plan=p.yaml", "hints=off"}));
  EXPECT_EQ(parseError({"carveout=off", "plan=p.yaml"}),
            "options 'plan' and 'carveout' are both given; the plan has its "
            "own carveouts, so leave 'carveout' out");
  // What is so by default, and what no plan has.
  const Options Parsed = parse({"plan=p.yaml", "throttle=auto", "blocks=auto",
                                "hints=auto", "carveout=auto", "promote=off"});
  EXPECT_TRUE(Parsed.Hints);
  EXPECT_FALSE(Parsed.Promote);
}

TEST(Options, Throttle) {
  EXPECT_TRUE(parse({"throttle=auto"}).Throttle);
  EXPECT_FALSE(parse({"throttle=off"}).Throttle);
  for (unsigned N : {1, 2, 4, 8, 16, 32})
    EXPECT_EQ(parse({"throttle=" + std::to_string(N)}).ForcedWarpGroups, N);
  EXPECT_FALSE(parse({"throttle=4"}).ForcedResidentBlocks);
  EXPECT_EQ(parse({"throttle=4,3"}).ForcedWarpGroups, 4u);
  EXPECT_EQ(parse({"throttle=4,3"}).ForcedResidentBlocks, 3u);
}

TEST(Options, Blocks) {
  EXPECT_TRUE(parse({}).LimitBlocks);
  EXPECT_TRUE(parse({"blocks=auto", "throttle=1,4"}).LimitBlocks);
  EXPECT_FALSE(parse({"blocks=off", "throttle=2"}).LimitBlocks);
  EXPECT_FALSE(parse({"blocks=auto"}).PreferBlocks);
  EXPECT_TRUE(parse({"blocks=prefer"}).PreferBlocks);
  EXPECT_TRUE(parse({"blocks=prefer"}).LimitBlocks);
  EXPECT_EQ(parseError({"blocks=4"}), "invalid value '4' for option 'blocks': "
                                      "expected auto, prefer, or off");
  EXPECT_EQ(parseError({"blocks=off", "throttle=1,4"}),
            "options 'blocks=off' and 'throttle' with M are both given; leave "
            "one of them out");
  EXPECT_EQ(parseError({"plan=p.yaml", "blocks=off"}),
            "options 'plan' and 'blocks' are both given; the plan has its own "
            "resident-blocks, so leave 'blocks' out");
  EXPECT_EQ(parseError({"plan=p.yaml", "blocks=prefer"}),
            parseError({"plan=p.yaml", "blocks=off"}));
}

TEST(Options, Promote) {
  EXPECT_TRUE(parse({}).Promote);
  EXPECT_FALSE(parse({}).PromoteIsGiven);
  EXPECT_TRUE(parse({"promote=on"}).Promote);
  EXPECT_TRUE(parse({"promote=on"}).PromoteIsGiven);
  EXPECT_FALSE(parse({"promote=off"}).Promote);
  EXPECT_EQ(parseError({"promote=4"}),
            "invalid value '4' for option 'promote': expected on or off");
}

TEST(Options, AFileNameMayContainAnEqualsSign) {
  EXPECT_EQ(parse({"plan=a=b.yaml"}).PlanFile, "a=b.yaml");
}

//===--------------------------------------------------------------------===//
// launch=
//===--------------------------------------------------------------------===//

TEST(Options, Launch) {
  struct {
    const char *Text;
    const char *Kernel;
    LaunchDim Grid, Block;
    uint64_t SharedBytes;
  } Cases[] = {
      {"k:1024:256", "k", LaunchDim::known(1024), LaunchDim::known(256), 0},
      {"k:1024:256:4096", "k", LaunchDim::known(1024), LaunchDim::known(256),
       4096},
      {"k:8x4:16x16", "k", LaunchDim::known(8, 4), LaunchDim::known(16, 16), 0},
      {"k:8x4x2:4x4x4:0", "k", LaunchDim::known(8, 4, 2),
       LaunchDim::known(4, 4, 4), 0},
      {"_ZN2ns1kEPf:1:1", "_ZN2ns1kEPf", LaunchDim::known(1),
       LaunchDim::known(1), 0},
      {"ns::k:1024:256", "ns::k", LaunchDim::known(1024), LaunchDim::known(256),
       0},
      {"ns::k<float, 4>:1024:256", "ns::k<float, 4>", LaunchDim::known(1024),
       LaunchDim::known(256), 0},
      {"ns::k<a::b, 4>:2x2:64:128", "ns::k<a::b, 4>", LaunchDim::known(2, 2),
       LaunchDim::known(64), 128},
  };
  for (const auto &Case : Cases) {
    Options O = parse({std::string("launch=") + Case.Text});
    ASSERT_EQ(O.Launches.size(), 1u) << Case.Text;
    EXPECT_EQ(O.Launches[0].Kernel, Case.Kernel);
    EXPECT_EQ(O.Launches[0].Config.Grid, Case.Grid) << Case.Text;
    EXPECT_EQ(O.Launches[0].Config.Block, Case.Block) << Case.Text;
    EXPECT_EQ(O.Launches[0].Config.DynamicSharedBytes, Case.SharedBytes);
    EXPECT_FALSE(O.Launches[0].Config.Place.isKnown());
  }
}

TEST(Options, LaunchMayBeRepeated) {
  Options O = parse({"launch=a:1:32", "launch=b:2:64", "launch=a:3:96"});
  ASSERT_EQ(O.Launches.size(), 3u);
  EXPECT_EQ(O.Launches[2].Kernel, "a");
}

TEST(Options, LaunchRefuses) {
  for (std::string Value :
       {"", "k", "k:1024", ":1:32", "1:32", "1:2:3", "ns:::1:32", "k:0:32",
        "k:1:0", "k:1:32:", "k:1:32:4k", "k:1x2x3x4:32", "k:x:32", "k:1x:32",
        "k:1:-32", "k:1:1025", "k:1:32x33", "k:1:2147483647x2147483647x4",
        "k:1:32:1:1"})
    EXPECT_EQ(parseError({"launch=" + Value}),
              "invalid value '" + Value +
                  "' for option 'launch': expected KERNEL:GRID:BLOCK[:SMEM] "
                  "with GRID and BLOCK as X, XxY or XxYxZ, at most 1024 "
                  "threads in a block, and SMEM in bytes");
}

//===--------------------------------------------------------------------===//
// Errors
//===--------------------------------------------------------------------===//

TEST(OptionsError, UnknownOption) {
  std::string Valid = "valid options are plan=, emit-plan=, profile=, "
                      "profile-dir=, transforms=, ";
  for (const Technique *T : techniques())
    for (const OptionSpec &Spec : T->options())
      if (!Spec.Hidden)
        Valid += (Spec.Key + "=, ").str();
  Valid += "chip=, l1-kib=, launch=, sms=, trace=, remarks=, assembly-cache=";
  EXPECT_EQ(parseError({"foo=1"}), "unknown option 'foo'; " + Valid);
  EXPECT_EQ(parseError({"=1"}), "unknown option ''; " + Valid);
  EXPECT_EQ(parseError({"throtle=4"}),
            "unknown option 'throtle'; did you mean 'throttle'? " + Valid);
  EXPECT_EQ(parseError({"emit_plan=x"}),
            "unknown option 'emit_plan'; did you mean 'emit-plan'? " + Valid);
}

TEST(OptionsError, InvalidValue) {
  struct {
    const char *Key;
    std::vector<const char *> Values;
    const char *Expected;
  } Cases[] = {
      {"chip", {"h100", "H200", "sm_90", ""}, "auto or h200"},
      {"throttle",
       {"", "on", "0", "3", "64", "-4", "4.0", "0x4", "AUTO", "4,", ",4",
        "auto,2", "4,0", "4,33", "3,2", "4,2,1", "4,x"},
       "auto, off, N (a power of two up to 32), or N,M (M up to 32)"},
      {"plan", {""}, "a file name, or - for stdin"},
      {"profile-dir", {""}, "a folder"},
      {"emit-plan", {""}, "a file name, or - for stdout"},
      {"hints", {"", "on", "4"}, "auto, off, or profile"},
      {"bypass",
       {"", "on", "33"},
       "auto, off, footprint, profile, dynamic, or PI (a number of warps up to "
       "32)"},
      {"bypass-of", {"", "L1", "off"}, "l1, read-only, or l2"},
      {"sfu",
       {"", "on", "65", "-1"},
       "auto, off, LAMBDA (a number of warps up to 64), or symbol"},
      {"sfu-kernels", {""}, "a kernel's name"},
      {"sync", {"", "on", "AUTO"}, "auto, all or off"},
      {"fewer-instructions", {"", "on", "AUTO"}, "auto or off"},
      {"angle-reduction", {"", "on", "AUTO"}, "auto or off"},
      {"sfu-index", {"", "warp"}, "block or slot"},
      {"registers",
       {"0", "15", "256", "all", "crat-time"},
       "auto, off, crat, crat-whole, step, or N (registers of a thread, 16 to "
       "255)"},
      {"enough-blocks",
       {"", "4", ":4", "k:", "k:0", "k:33", "k:x"},
       "KERNEL:M with M from 1 to 32"},
      {"shared-spills", {"", "on", "local"}, "auto, off, ptxas, or own"},
      {"software-l1", {"on", "1"}, "auto, off, registers, staged, or shared"},
      {"atomics", {"", "on", "relaxed"}, "auto or off"},
      {"l1-kib", {"0", "auto", "1025"}, "a number of KiB from 1 to 1024"},
      {"assembly-cache", {""}, "a folder, or off"},
      {"sms",
       {"0", "auto", "99999999999999999999"},
       "a number of SMs from 1 to 1024"},
  };
  for (const auto &Case : Cases)
    for (std::string Value : Case.Values)
      EXPECT_EQ(parseError({Case.Key + ("=" + Value)}),
                "invalid value '" + Value + "' for option '" + Case.Key +
                    "': expected " + Case.Expected);
}

TEST(OptionsError, WithoutAValue) {
  EXPECT_EQ(parseError({"throttle"}),
            "option 'throttle' has no value; write throttle=auto|off|N[,M]");
}

TEST(OptionsError, GivenTwice) {
  EXPECT_EQ(parseError({"throttle=4", "sms=1", "throttle=4"}),
            "option 'throttle' is given twice");
}

TEST(OptionsError, PlanAndProfile) {
  EXPECT_EQ(parseError({"plan=p.yaml", "profile=r.yaml"}),
            "options 'plan' and 'profile' are both given; where there is a "
            "plan none is made, so leave 'profile' out");
  EXPECT_EQ(parseError({"hints=profile"}),
            "option 'hints=profile' needs a profile; make one with 'sluice "
            "profile' and give it with 'profile=FILE' or 'profile-dir=DIR'");
  EXPECT_EQ(parseError({"plan=p.yaml", "profile-dir=d"}),
            "options 'plan' and 'profile-dir' are both given; where there is a "
            "plan none is made, so leave 'profile-dir' out");
  EXPECT_EQ(parseError({"profile=r.yaml", "profile-dir=d"}),
            "options 'profile' and 'profile-dir' are both given; put the "
            "profile into the folder, or leave one of them out");
  EXPECT_TRUE(parse({"hints=profile", "profile-dir=d"}).HintsNeedProfile);
  EXPECT_EQ(parse({"profile-dir=d"}).ProfileFolder, "d");
  EXPECT_TRUE(parse({"hints=profile", "profile=r.yaml"}).HintsNeedProfile);
  EXPECT_EQ(parseError({"profile="}),
            "invalid value '' for option 'profile': expected a file name, or - "
            "for stdin");
}

TEST(Options, HelpHasALineForEach) {
  std::string Text;
  raw_string_ostream OS(Text);
  printOptionsHelp(OS, "--sluice-");
  for (const char *Line :
       {"  --sluice-plan=FILE                                     carry out "
        "the plan in "
        "FILE "
        "instead of computing one (default: none: compute one)\n",
        "  --sluice-throttle=auto|off|N[,M]                       let the "
        "warps "
        "of a block "
        "run a loop in N groups, taking turns, and M blocks stay on an SM "
        "(default: auto)\n",
        "  --sluice-bypass-of=l1|read-only|l2                     with "
        "bypass=PI, footprint or profile: the cache that the other warps do "
        "not use (default: l1)\n"})
    EXPECT_NE(Text.find(Line), std::string::npos) << Line << "in\n" << Text;
  EXPECT_EQ(StringRef(Text).count('\n'), 40u);
}

} // namespace
