// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// CATT's planner as tables: a gesummv whose numbers are round, with one thing
/// changed in each case, and the paper's own example.

#include "GesummvByHand.h"
#include <limits>

using namespace llvm;
using namespace sluice;
using namespace sluice::test;

namespace {

//===--------------------------------------------------------------------===//
// gesummv
//===--------------------------------------------------------------------===//

TEST(ThrottlePlanner, Gesummv) {
  KernelPlan Plan = Problem().plan();
  expectLoop(Plan, 0, 4,
             "footprint 524288 B (8 blocks of 512 lines) is beyond the L1 of "
             "229376 B; with N=4 it is 131072 B");
  EXPECT_EQ(Plan.Loops[0].FootprintBytes, 524288u);
  EXPECT_EQ(Plan.Loops[0].ThrottledFootprintBytes, 131072u);
}

TEST(ThrottlePlanner, DescribesTheKernel) {
  KernelPlan Plan = Problem().plan();
  EXPECT_EQ(Plan.Name, "_Z7gesummvPf");
  EXPECT_EQ(Plan.DisplayName, "gesummv");
  EXPECT_EQ(Plan.Registers, 32u);
  EXPECT_EQ(Plan.RegistersFrom, "assembler");
}

TEST(ThrottlePlanner, DescribesTheLaunch) {
  KernelPlan Plan = Problem().plan();
  ASSERT_EQ(Plan.Launches.size(), 1u);
  EXPECT_EQ(Plan.Launches[0].Grid, LaunchDim::known(1056));
  EXPECT_EQ(Plan.Launches[0].Block, LaunchDim::known(256));
  EXPECT_EQ(Plan.Launches[0].DynamicSharedBytes, 0u);
  EXPECT_EQ(Plan.Launches[0].Place.str(), "host.cu:20:3");
  EXPECT_EQ(Plan.Launches[0].BlocksPerSM, 8u);
  EXPECT_EQ(Plan.Launches[0].L1Bytes, 229376u);
}

TEST(ThrottlePlanner, DescribesTheAccesses) {
  Problem P;
  P.loop().Accesses[1].Id.Place = {"k.cu", 11, 20};
  KernelPlan Plan = P.plan();
  ASSERT_EQ(Plan.Loops[0].Accesses.size(), 2u);
  const AccessPlan &B = Plan.Loops[0].Accesses[1];
  EXPECT_EQ(B.Id.str(), "k.cu:11:20");
  EXPECT_EQ(B.Kind, "load");
  EXPECT_EQ(B.Bytes, 4u);
  EXPECT_EQ(B.Address, "arg1 + 2048*ctaid.x*ntid.x + 4*i0 + 2048*tid.x");
  EXPECT_EQ(B.LinesPerWarp, 32u);
  EXPECT_EQ(B.SectorsPerWarp, 32u);
  EXPECT_EQ(B.LinesPerBlock, 256u);
  EXPECT_EQ(B.IterationStride, 4);
}

TEST(ThrottlePlanner, UnknownStrideIsAQuestionMark) {
  Problem P;
  P.loop().Accesses.push_back(
      load(arg(2) + 4 * var(Variable::Loaded, /*Index=*/0)));
  P.Kernel.Unknowns = {{/*Loop=*/0}};
  const AccessPlan Unknown = P.plan().Loops[0].Accesses[2];
  ASSERT_TRUE(Unknown.IterationStride.has_value());
  EXPECT_EQ(*Unknown.IterationStride, std::nullopt);
}

//===--------------------------------------------------------------------===//
// gesummv with one thing changed
//===--------------------------------------------------------------------===//

/// The loop's loads of floats become those of doubles, rows as far apart.
void makeDoubles(Problem &P) {
  P.loop().Accesses = rowsPerThread(2, 0, 8);
  for (AccessPattern &A : P.loop().Accesses)
    A.Bytes = 8;
}

struct Change {
  const char *What;
  void (*Make)(Problem &);
  // Expected:
  unsigned N;
  const char *Why; ///< A part of it.
};

void PrintTo(const Change &C, std::ostream *OS) { *OS << C.What; }

class GesummvWith : public testing::TestWithParam<Change> {};

TEST_P(GesummvWith, IsPlanned) {
  Problem P;
  GetParam().Make(P);
  expectLoop(P.plan(), 0, GetParam().N, GetParam().Why);
}

void sixWarps(Problem &P) {
  P.launched().Block = LaunchDim::known(192);
  P.launched().Grid = LaunchDim::known(13200);
}

// What an SM holds (Eq. 1 to 4).
const Change Residence[] = {
    // One block an SM: 65536 B.
    {"a small grid",
     [](Problem &P) { P.launched().Grid = LaunchDim::known(132); }, 1,
     "footprint 65536 B (1 blocks of 512 lines) fits the L1 of 229376 B"},
    // Six blocks: 393216 B, and 196608 B with N=2. The carveout is the same.
    {"40 registers", [](Problem &P) { P.Registers.Count = 40; }, 2,
     "footprint 393216 B (6 blocks of 512 lines)"},
    // Room for 2 x 8 x 4 KiB leaves an L1 of 192 KiB.
    {"a little static shared memory",
     [](Problem &P) { P.Kernel.StaticSharedBytes = 3 << 10; }, 4,
     "footprint 524288 B (8 blocks of 512 lines) is beyond the L1 of 196608 "
     "B"},
    // (47 + 1) KiB a block: four blocks, L1 of 60 KiB.
    {"static shared memory",
     [](Problem &P) { P.Kernel.StaticSharedBytes = 47 << 10; }, 8,
     "footprint 262144 B (4 blocks of 512 lines) is beyond the L1 of 61440 B"},
    {"dynamic shared memory",
     [](Problem &P) { P.launched().DynamicSharedBytes = 47 << 10; }, 8,
     "footprint 262144 B (4 blocks of 512 lines) is beyond the L1 of 61440 B"},
    // Ten blocks of six warps: 245760 B with N=2. N=4 makes groups of two.
    {"six warps", sixWarps, 4,
     "footprint 491520 B (10 blocks of 384 lines) is beyond the L1 of 229376 "
     "B; with N=4 it is 163840 B"},
    {"six warps, N=2 fills the L1 exactly",
     [](Problem &P) {
       sixWarps(P);
       P.Options.L1KiB = 240;
     },
     2, "with N=2 it is 245760 B"},
    // N=8 has two empty groups and six of one warp.
    {"six warps, one at a time",
     [](Problem &P) {
       sixWarps(P);
       P.Options.L1KiB = 80;
     },
     8, "with N=8 it is 81920 B"},
    {"more SMs", [](Problem &P) { P.Options.SMs = 1056; }, 1,
     "(1 blocks of 512 lines) fits"},
    {"l1-kib=512, the footprint exactly",
     [](Problem &P) { P.Options.L1KiB = 512; }, 1, "fits the L1 of 524288 B"},
    {"l1-kib=511", [](Problem &P) { P.Options.L1KiB = 511; }, 1,
     "is 1.00 times the L1 of 523264 B, and below 1.10 turns do not pay"},
    {"l1-kib=466: 1.099 times the L1",
     [](Problem &P) { P.Options.L1KiB = 466; }, 1,
     "is 1.10 times the L1 of 477184 B, and below 1.10 turns do not pay"},
    {"l1-kib=465: 1.101 times the L1",
     [](Problem &P) { P.Options.L1KiB = 465; }, 2,
     "is beyond the L1 of 476160 B; with N=2 it is 262144 B"},
    {"l1-kib=128", [](Problem &P) { P.Options.L1KiB = 128; }, 4,
     "with N=4 it is 131072 B"},
    {"l1-kib=127", [](Problem &P) { P.Options.L1KiB = 127; }, 8,
     "with N=8 it is 65536 B"},
};
INSTANTIATE_TEST_SUITE_P(Residence, GesummvWith, testing::ValuesIn(Residence));

// The largest N (Eq. 9).
const Change Limits[] = {
    {"an L1 too small for a warp of each block",
     [](Problem &P) { P.Options.L1KiB = 25; }, 1,
     "one warp of each block runs"},
    // 65536 B of that is 2.37 times the L1.
    {"an L1 nearly large enough for a warp of each block",
     [](Problem &P) { P.Options.L1KiB = 27; }, 8,
     "beyond the L1 of 27648 B; with N=8 it is 65536 B, of which a part stays"},
    // 4 blocks of 96 lines that all their warps read and 256 of their own;
    // with N=8 as many and 32, twice the L1.
    {"nearly large enough, but warps share lines",
     [](Problem &P) {
       P.Options.L1KiB = 32;
       P.launched().Grid = LaunchDim::known(uint64_t(4) * 132);
       P.loop().Accesses.clear();
       for (int64_t Line = 0; Line < 96; ++Line)
         P.loop().Accesses.push_back(
             load(arg(0) + 128 * 96 * var(Variable::Ctaid, 0) +
                  AddressForm::constant(128 * Line) + 4 * iter(0)));
       P.loop().Instructions = 400;
       P.loop().Accesses.push_back(
           load(arg(1) + 2048 * globalX() + 4 * iter(0)));
     },
     1, "one warp of each block runs"},
    // 8 blocks of two warps and 16 KiB; with N=2 twice the L1.
    {"nearly large enough, but one block fits",
     [](Problem &P) {
       P.Options.L1KiB = 32;
       P.launched().Block = LaunchDim::known(64);
     },
     1, "one warp of each block runs"},
    // One block an SM, and N=8 would leave one of its eight warps.
    {"too few warps left",
     [](Problem &P) {
       P.launched().Grid = LaunchDim::known(132);
       P.Options.L1KiB = 8;
     },
     1, "N=8 would make it fit but leave 1 warps running"},
};
INSTANTIATE_TEST_SUITE_P(Limits, GesummvWith, testing::ValuesIn(Limits));

// What the loop does.
const Change Loops[] = {
    // atax: 262144 B, 1.14 times the L1.
    {"one matrix", [](Problem &P) { P.loop().Accesses = rowsPerThread(1); }, 2,
     "footprint 262144 B (8 blocks of 256 lines) is beyond the L1 of 229376 B; "
     "with N=2 it is 131072 B"},
    // kmeans: iterations are loaded together.
    {"one matrix, nothing written",
     [](Problem &P) {
       P.loop().Accesses = rowsPerThread(1);
       P.loop().WritesMemory = false;
     },
     1,
     "is 1.14 times the L1 of 229376 B, and below 1.60 turns do not pay for a "
     "loop that loads 4 iterations together"},
    {"one matrix, nothing written, too long to unroll",
     [](Problem &P) {
       P.loop().Accesses = rowsPerThread(1);
       P.loop().WritesMemory = false;
       P.loop().Instructions = 38;
     },
     2, "with N=2"},
    {"two matrices, nothing written, two iterations together",
     [](Problem &P) {
       P.loop().WritesMemory = false;
       P.loop().Instructions = 25;
     },
     4, "with N=4"},
    // The threads' distance.
    {"a row length that is an argument",
     [](Problem &P) {
       P.loop().Accesses[1].Address = arg(1) + arg(2) * globalX() + 4 * iter(0);
       P.loop().Accesses[1].Id.Place = {"k.cu", 11, 7};
     },
     1,
     "the footprint is unknown: the distance between the threads of a warp is "
     "not known at compile time for the load at k.cu:11:7"},
    {"a row length that is an argument, of a store without a place",
     [](Problem &P) {
       P.loop().Accesses[1].Address = arg(1) + arg(2) * globalX() + 4 * iter(0);
       P.loop().Accesses[1].IsStore = true;
     },
     1, "is not known at compile time for a store in it"},
    {"a row length that is an argument and known",
     [](Problem &P) {
       P.loop().Accesses[1].Address = arg(1) + arg(2) * globalX() + 4 * iter(0);
       P.launched().Arguments = {std::nullopt, std::nullopt, 2048};
     },
     4, "with N=4"},
    {"a row length that is an argument, and no reuse",
     [](Problem &P) {
       P.loop().Accesses = {load(arg(1) + arg(2) * globalX() + 512 * iter(0))};
     },
     1, "no load is known to touch its cache line again"},
    {"a row length that is an argument, but few threads",
     [](Problem &P) {
       P.loop().Accesses[1].Address = arg(1) + arg(2) * globalX() + 4 * iter(0);
       P.launched().Grid = LaunchDim::known(132);
     },
     1, "footprint of at most 65536 B (1 blocks of 512 lines) fits the L1"},
    {"an offset that is not known",
     [](Problem &P) {
       P.loop().Accesses[1].Address = arg(1) + arg(2) + 2048 * globalX() +
                                      var(Variable::Uniform, 0) + 4 * iter(0);
     },
     4, "with N=4"},
    // Five blocks: 327680 B, 1.43 times the L1.
    {"five blocks, nothing written, two iterations together",
     [](Problem &P) {
       P.Registers.Count = 48;
       P.loop().WritesMemory = false;
       P.loop().Instructions = 25;
     },
     1,
     "is 1.43 times the L1 of 229376 B, and below 1.60 turns do not pay for a "
     "loop that loads 2 iterations together"},
    // Six: 393216 B, 1.71 times.
    {"six blocks, nothing written, two iterations together",
     [](Problem &P) {
       P.Registers.Count = 40;
       P.loop().WritesMemory = false;
       P.loop().Instructions = 25;
     },
     2, "with N=2 it is 196608 B"},
    // Half of a sector's eight floats come in one request.
    {"two matrices, nothing written, four iterations together",
     [](Problem &P) { P.loop().WritesMemory = false; }, 4, "with N=4"},
    // All of them, but a half of what DRAM gives at a time.
    {"two matrices, nothing written, #pragma unroll 8",
     [](Problem &P) {
       P.loop().WritesMemory = false;
       P.loop().UnrollHint = 8;
     },
     4, "with N=4"},
    // The lines of 16 SMs stay in the L2.
    {"two matrices, nothing written, #pragma unroll 8, a part of the GPU",
     [](Problem &P) {
       P.loop().WritesMemory = false;
       P.loop().UnrollHint = 8;
       P.Options.SMs = 16;
     },
     1,
     "fills 8.0 sectors a warp and iteration, and 8.0 if all stayed in the L1: "
     "too little to save"},
    {"two matrices, nothing written, #pragma unroll 16",
     [](Problem &P) {
       P.loop().WritesMemory = false;
       P.loop().UnrollHint = 16;
     },
     1, "too little to save"},
    // Four of a sector's four doubles come together, of eight that DRAM gives.
    {"two matrices of doubles, nothing written",
     [](Problem &P) {
       P.loop().WritesMemory = false;
       makeDoubles(P);
     },
     4, "with N=4"},
    {"two matrices of doubles, nothing written, five blocks",
     [](Problem &P) {
       P.Registers.Count = 48;
       P.loop().WritesMemory = false;
       makeDoubles(P);
     },
     2, "with N=2"},
    {"two matrices of doubles, nothing written, a part of the GPU",
     [](Problem &P) {
       P.loop().WritesMemory = false;
       makeDoubles(P);
       P.Options.SMs = 16;
     },
     1, "too little to save"},
    {"one matrix, nothing written, #pragma unroll 1",
     [](Problem &P) {
       P.loop().Accesses = rowsPerThread(1);
       P.loop().WritesMemory = false;
       P.loop().UnrollHint = 1;
     },
     2, "with N=2"},
    {"a stride of two sectors",
     [](Problem &P) { P.loop().Accesses = rowsPerThread(2, 0, 64); }, 1,
     "too little to save"},
    {"a stride of more than a line",
     [](Problem &P) { P.loop().Accesses = rowsPerThread(2, 0, 132); }, 1,
     "no load is known to touch its cache line again"},
    {"no load", [](Problem &P) { P.loop().Accesses.clear(); }, 1,
     "no global load"},
    {"much arithmetic", [](Problem &P) { P.loop().Instructions = 2000; }, 1,
     "fills 64.0 sectors for 2000 instructions, so arithmetic binds"},
    {"some arithmetic", [](Problem &P) { P.loop().Instructions = 1000; }, 4,
     "with N=4"},
    {"7 iterations", [](Problem &P) { P.loop().TripCount = 7; }, 1,
     "lasts 7 iterations, and below 8 turns do not pay"},
    {"8 iterations", [](Problem &P) { P.loop().TripCount = 8; }, 4, "with N=4"},
    {"4 iterations by an argument",
     [](Problem &P) {
       P.loop().TripForm = arg(2);
       P.launched().Arguments = {std::nullopt, std::nullopt, 4};
     },
     1, "lasts 4 iterations"},
    {"63 iterations, some together",
     [](Problem &P) {
       P.loop().WritesMemory = false;
       P.loop().Instructions = 25;
       P.loop().TripCount = 63;
     },
     1,
     "lasts 63 iterations, and below 64 turns do not pay for a loop that loads "
     "2 iterations together"},
    {"64 iterations, some together",
     [](Problem &P) {
       P.loop().WritesMemory = false;
       P.loop().Instructions = 25;
       P.loop().TripCount = 64;
     },
     4, "with N=4"},
    {"an inner loop of unknown length",
     [](Problem &P) { P.addLoop({load(arg(0) + 4 * iter(1))}).Parent = 0; }, 1,
     "the footprint is unknown: its inner loop at k.cu:20:5"},
    {"an inner loop of unknown length without a place",
     [](Problem &P) {
       LoopFacts &Inner = P.addLoop({load(arg(0) + 4 * iter(1))});
       Inner.Parent = 0;
       Inner.Id.Place = {};
     },
     1,
     "the footprint is unknown: a loop inside it has an unknown number of "
     "iterations"},
};
INSTANTIATE_TEST_SUITE_P(Loops, GesummvWith, testing::ValuesIn(Loops));

// What is known of the launch.
const Change Launches[] = {
    {"no launch", [](Problem &P) { P.Kernel.Launches.clear(); }, 1, "launch="},
    {"an unknown grid", [](Problem &P) { P.launched().Grid = {}; }, 4,
     "footprint 524288 B (8 blocks of 512 lines) is beyond the L1"},
    {"an unknown block", [](Problem &P) { P.launched().Block = {}; }, 4,
     "with blocks of 1024 threads: footprint 524288 B (2 blocks of 2048 lines) "
     "is beyond the L1"},
    {"an unknown block and unknown dynamic shared memory",
     [](Problem &P) {
       P.launched().Block = {};
       P.launched().DynamicSharedBytes.reset();
     },
     1,
     "the launch at host.cu:20:3 has a block size and dynamic shared memory "
     "that are not known at compile time"},
    {"unknown dynamic shared memory",
     [](Problem &P) { P.launched().DynamicSharedBytes.reset(); }, 1,
     "the launch at host.cu:20:3 has dynamic shared memory of a size that is "
     "not known"},
    {"a launch from the command line",
     [](Problem &P) {
       P.launched().Place = {};
       P.launched().DynamicSharedBytes.reset();
     },
     1, "the given launch has dynamic shared memory"},
    {"too much shared memory",
     [](Problem &P) { P.launched().DynamicSharedBytes = 300 << 10; }, 1,
     "the launch at host.cu:20:3: 0 bytes static and 307200 bytes dynamic"},
    {"a second launch that agrees",
     [](Problem &P) { P.Kernel.Launches.push_back(launch(2112, 256, 30)); }, 4,
     "with N=4 it is 131072 B"},
    {"a second launch that fits",
     [](Problem &P) { P.Kernel.Launches.push_back(launch(132, 256, 30)); }, 4,
     "footprint 524288 B"},
    {"a second launch of the same sizes that fits",
     [](Problem &P) {
       P.loop().Accesses[1].Address = arg(1) + arg(2) * globalX() + 4 * iter(0);
       P.loop().Accesses[0].Address = P.loop().Accesses[1].Address;
       P.launched().Arguments = {std::nullopt, std::nullopt, 2048};
       P.Kernel.Launches.push_back(P.launched());
       P.Kernel.Launches[1].Arguments[2] = 4;
       P.Kernel.Launches[1].Place.Line = 30;
     },
     1, "the launch at host.cu:30:3: footprint 8192 B (8 blocks of 8 lines)"},
    {"two launches that fit",
     [](Problem &P) {
       P.Kernel.Launches = {launch(132, 256, 10), launch(264, 256, 20)};
     },
     1,
     "the launch at host.cu:10:3: footprint 65536 B (1 blocks of 512 lines) "
     "fits"},
    {"a second launch that could be any",
     [](Problem &P) {
       P.Kernel.Launches.push_back(launch(LaunchDim(), LaunchDim(), 30));
       P.Kernel.Launches[1].DynamicSharedBytes.reset();
     },
     1, "the launch at host.cu:30:3 has a block size and dynamic shared"},
};
INSTANTIATE_TEST_SUITE_P(Launches, GesummvWith, testing::ValuesIn(Launches));

// What the source or the user says.
const Change Words[] = {
    {"a region that may not be throttled",
     [](Problem &P) {
       P.loop().Region.Refusal = "contains a barrier (__syncthreads)";
       P.loop().Region.RefusalPlace = {"k.cu", 12, 7};
     },
     1,
     "the region at k.cu:10:5 contains a barrier (__syncthreads) at "
     "k.cu:12:7"},
    {"a region that may not be throttled and need not be",
     [](Problem &P) {
       P.loop().Region.Refusal = "contains a barrier (__syncthreads)";
       P.launched().Grid = LaunchDim::known(132);
     },
     1, "fits the L1"},
    {"sluice:off", [](Problem &P) { P.Kernel.Off = true; }, 1,
     "switches Sluice off"},
};
INSTANTIATE_TEST_SUITE_P(Words, GesummvWith, testing::ValuesIn(Words));

// throttle=N
const Change Forced[] = {
    {"N=2", [](Problem &P) { P.Options.ForcedWarpGroups = 2; }, 2,
     "N=2 was asked for"},
    {"N=1", [](Problem &P) { P.Options.ForcedWarpGroups = 1; }, 1,
     "N=1 was asked for"},
    {"more than the block has warps",
     [](Problem &P) { P.Options.ForcedWarpGroups = 32; }, 8,
     "N=32 was asked for, and a block has 8 warps"},
    {"N=2 and no launch",
     [](Problem &P) {
       P.Options.ForcedWarpGroups = 2;
       P.Kernel.Launches.clear();
     },
     2, "N=2 was asked for"},
    {"N=2 and an unknown launch",
     [](Problem &P) {
       P.Options.ForcedWarpGroups = 2;
       P.launched() = LaunchConfig();
     },
     2, "N=2 was asked for"},
    {"N=2 for a footprint that fits",
     [](Problem &P) {
       P.Options.ForcedWarpGroups = 2;
       P.launched().Grid = LaunchDim::known(132);
     },
     2, "N=2 was asked for"},
    {"N=2 for a loop without reuse",
     [](Problem &P) {
       P.Options.ForcedWarpGroups = 2;
       P.loop().Accesses = rowsPerThread(2, 0, 132);
     },
     1, "no load is known to touch its cache line again"},
    {"N=2 for a region that may not be throttled",
     [](Problem &P) {
       P.Options.ForcedWarpGroups = 2;
       P.loop().Region.Refusal = "contains a barrier (__syncthreads)";
     },
     1, "contains a barrier"},
    {"N=2 and sluice:off",
     [](Problem &P) {
       P.Options.ForcedWarpGroups = 2;
       P.Kernel.Off = true;
     },
     1, "switches Sluice off"},
};
INSTANTIATE_TEST_SUITE_P(Forced, GesummvWith, testing::ValuesIn(Forced));

//===--------------------------------------------------------------------===//
// The numbers beside a decision
//===--------------------------------------------------------------------===//

TEST(ThrottlePlanner, WithoutTurnsBothFootprintsAreOne) {
  for (void (*Make)(Problem &) : {
           +[](Problem &P) { P.Options.L1KiB = 25; },
           +[](Problem &P) { P.loop().TripCount = 4; },
           +[](Problem &P) { P.loop().Region.Refusal = "has a return"; },
       }) {
    Problem P;
    Make(P);
    LoopPlan Loop = P.plan().Loops[0];
    EXPECT_EQ(Loop.FootprintBytes, 524288u) << Loop.Why;
    EXPECT_EQ(Loop.ThrottledFootprintBytes, 524288u) << Loop.Why;
  }
}

TEST(ThrottlePlanner, FootprintOfAForcedN) {
  Problem P;
  P.Options.ForcedWarpGroups = 2;
  LoopPlan Loop = P.plan().Loops[0];
  EXPECT_EQ(Loop.FootprintBytes, 524288u);
  EXPECT_EQ(Loop.ThrottledFootprintBytes, 262144u);
}

// Two launches that differ in N: the first has the larger footprint and wants
// N=4; the second has four blocks an SM with an L1 of 60 KiB and wants N=8.
TEST(ThrottlePlanner, LaunchesThatDifferGetTheLargerN) {
  Problem P;
  P.Kernel.Launches.push_back(launch(1056, 256, 30));
  P.Kernel.Launches[1].DynamicSharedBytes = 47 << 10;
  LoopPlan Loop = P.plan().Loops[0];
  EXPECT_EQ(Loop.WarpGroups, 8u);
  EXPECT_EQ(Loop.FootprintBytes, 524288u) << "of the first launch";
  EXPECT_EQ(Loop.ThrottledFootprintBytes, 65536u) << "of the same, with N=8";
}

TEST(ThrottlePlanner, LaunchesThatDifferAreExplained) {
  Problem P;
  P.Kernel.Launches.push_back(launch(1056, 256, 30));
  P.Kernel.Launches[1].DynamicSharedBytes = 47 << 10;
  const char *OfTheSecond =
      "footprint 262144 B (4 blocks of 512 lines) is beyond the L1 of 61440 B; "
      "with N=8 it is 32768 B";
  expectLoop(P.plan(), 0, 8, OfTheSecond);
  std::swap(P.Kernel.Launches[0], P.Kernel.Launches[1]);
  expectLoop(P.plan(), 0, 8, OfTheSecond);
}

//===--------------------------------------------------------------------===//
// Registers
//===--------------------------------------------------------------------===//

TEST(AssumedRegisters, WhatTheLaunchBoundsLeave) {
  struct {
    std::optional<unsigned> MaxThreads, MinBlocks;
    unsigned Registers;
    const char *From;
  } Cases[] = {
      {std::nullopt, std::nullopt, 32, "assumed"},
      {256, std::nullopt, 32, "assumed"},
      {256, 8, 32, "launch bounds"},
      {256, 2, 128, "launch bounds"},
      {256, 3, 80, "launch bounds"}, // 85, in units of eight
      {1024, 1, 64, "launch bounds"},
      {128, 1, 255, "launch bounds"}, // 512, and no thread can name them
      {1024, 0, 32, "assumed"},
      {0, 4, 32, "assumed"},
      {1024, 64, 32, "assumed"}, // impossible
  };
  for (const auto &Case : Cases) {
    KernelFacts K;
    K.MaxThreadsPerBlock = Case.MaxThreads;
    K.MinBlocksPerSM = Case.MinBlocks;
    RegisterFact R = assumedRegisters(K, *cantFail(findGPUModel("sm_90")));
    EXPECT_EQ(R.Count, Case.Registers);
    EXPECT_EQ(R.From, Case.From) << Case.Registers;
  }
}

//===--------------------------------------------------------------------===//
// The paper's own example
//===--------------------------------------------------------------------===//

/// Eq. 6 to 9 alone.
ThrottleThresholds equationsAlone() {
  ThrottleThresholds T;
  T.MinOverflow = T.MinOverflowBatched = 0;
  T.MinTripCount = T.MinTripCountBatched = 0;
  T.MinFillRatio = 0;
  T.MinRunningWarps = 0;
  T.MaxInstructionsPerFill = std::numeric_limits<double>::infinity();
  return T;
}

/// tmp[i] += A[i * NX + j] * B[j] with NX = 40960 on a Titan V (figure 1 and
/// table 3): 256 threads, four blocks an SM of 80.
Problem atax() {
  Problem P;
  P.GPU = "sm_70";
  P.Options.SMs = 80;
  P.Thresholds = equationsAlone();
  P.Kernel.Launches = {launch(4 * 80, 256, 20)};
  P.loop().TripCount = 40960;
  P.loop().Accesses = {load(arg(2) + 4 * globalX()),
                       load(arg(0) + 163840 * globalX() + 4 * iter(0)),
                       load(arg(1) + 4 * iter(0))};
  return P;
}

// The paper counts 34 lines a warp, B's once for each: 4 x 8 x 34 lines are
// 136 KiB. B's line is one for all of a block's warps, so it is
// 4 x (8 x 33 + 1) lines: 132.5 KiB.
TEST(ThrottlePlannerPaper, AtaxFootprint) {
  LoopPlan Loop = atax().plan().Loops[0];
  EXPECT_EQ(Loop.FootprintBytes, 4u * (8 * 33 + 1) * 128);
}

// Table 3 gives warps that run of a block: 4 of 8 with the largest L1, 1 of 8
// with 32 KiB.
TEST(ThrottlePlannerPaper, AtaxFactors) {
  struct {
    unsigned L1KiB, N;
  } Cases[] = {{128, 2}, {32, 8}};
  for (const auto &Case : Cases) {
    Problem P = atax();
    P.Options.L1KiB = Case.L1KiB;
    expectLoop(P.plan(), 0, Case.N, "beyond the L1");
  }
}

TEST(ThrottlePlannerPaper, AtaxLaunch) {
  KernelPlan Plan = atax().plan();
  EXPECT_EQ(Plan.Launches[0].BlocksPerSM, 4u);
  EXPECT_EQ(Plan.Launches[0].L1Bytes, 128u << 10);
}

// ATAX#2, tmp[i] and A[i * NX + j] with neighbours j: (8,4), not throttled.
TEST(ThrottlePlannerPaper, AtaxSecondKernelIsNotThrottled) {
  Problem P = atax();
  P.loop().Accesses = {load(arg(2) + 4 * globalX()),
                       load(arg(0) + 4 * globalX() + 163840 * iter(0)),
                       load(arg(1) + 4 * iter(0))};
  for (unsigned L1KiB : {32, 128}) {
    P.Options.L1KiB = L1KiB;
    expectLoop(P.plan(), 0, 1, "fits the L1");
  }
}

} // namespace
