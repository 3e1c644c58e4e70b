// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// N by launch: what the planner puts into a table for which launches, and
/// what tables say.

#include "sluice/Plan/LaunchTable.h"
#include "GesummvByHand.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::test;

namespace {

/// "256x1x1: 2@397 4@793, 64-96: 2@10", or "N=4" where one N is all.
std::string describe(const LoopPlan &Loop) {
  if (Loop.ByLaunch.empty())
    return "N=" + std::to_string(Loop.WarpGroups);
  std::string Text, Last;
  for (const LaunchRow &Row : Loop.ByLaunch) {
    std::string Block;
    raw_string_ostream OS(Block);
    if (Row.Block)
      OS << (*Row.Block)[0] << "x" << (*Row.Block)[1] << "x" << (*Row.Block)[2];
    else
      OS << Row.MinThreads << "-" << Row.MaxThreads;
    if (Block != Last)
      Text += (Last.empty() ? "" : ", ") + Block + ":";
    Last = Block;
    Text += " " + std::to_string(Row.WarpGroups) + "@" +
            std::to_string(Row.MinBlocks);
  }
  return Text;
}

//===--------------------------------------------------------------------===//
// What the planner makes
//===--------------------------------------------------------------------===//

struct Change {
  const char *What;
  void (*Make)(Problem &);
  const char *Table; ///< Expected.
};

void PrintTo(const Change &C, std::ostream *OS) { *OS << C.What; }

class ByLaunch : public testing::TestWithParam<Change> {};

TEST_P(ByLaunch, IsPlanned) {
  Problem P;
  GetParam().Make(P);
  LoopPlan Loop = P.plan().Loops[0];
  EXPECT_EQ(describe(Loop), GetParam().Table) << Loop.Why;
  EXPECT_EQ(faultOf(Loop.ByLaunch), "");
}

// 65536 B a block: 3 blocks fit 229376 B, 4 are 1.14 times that, 7 are twice
// and do not fit with N=2. An SM has 4 from 3 x 132 + 1 blocks on.
const Change Grids[] = {
    {"an unknown grid", [](Problem &P) { P.launched().Grid = {}; },
     "256x1x1: 2@397 4@925"},
    {"a grid of one unknown side",
     [](Problem &P) { P.launched().Grid = {{8, std::nullopt, 1}}; },
     "256x1x1: 2@397 4@925"},
    {"another GPU's SMs",
     [](Problem &P) {
       P.launched().Grid = {};
       P.Options.SMs = 10;
     },
     "256x1x1: 2@31 4@71"},
    {"a block of two dimensions",
     [](Problem &P) {
       P.launched().Grid = {};
       P.launched().Block = LaunchDim::known(16, 16);
     },
     "N=1"}, // 16 rows only
    {"a block of two dimensions, and a row for each of its threads",
     [](Problem &P) {
       P.launched().Grid = {};
       P.launched().Block = LaunchDim::known(64, 2, 2);
       for (unsigned A : {0, 1})
         P.loop().Accesses[A].Address =
             arg(A) +
             2048 * (var(Variable::Tid, 0) + 64 * var(Variable::Tid, 1) +
                     128 * var(Variable::Tid, 2)) +
             4 * iter(0);
     },
     "64x2x2: 2@397 4@925"},
    {"a footprint that fits with all blocks there can be",
     [](Problem &P) {
       P.launched().Grid = {};
       P.Options.L1KiB = 512;
     },
     "N=1"},
    {"turns do not pay with four blocks",
     [](Problem &P) {
       P.launched().Grid = {};
       P.Thresholds.MinOverflow = 1.2;
     },
     "256x1x1: 2@529 4@925"},
    // Each N lets the blocks' warps run by N: at least four of them must. From
    // five blocks on N=8 does not fit, but nearly.
    {"too few warps left of three blocks",
     [](Problem &P) {
       P.launched().Grid = {};
       P.Options.L1KiB = 32;
     },
     "256x1x1: 2@1 4@133 1@265 8@397"},
    {"one N from the first block on",
     [](Problem &P) {
       P.launched().Grid = {};
       P.Options.L1KiB = 56;
       P.Registers.Count = 255;
     },
     "N=2"},
    {"a distance that is not known",
     [](Problem &P) {
       P.launched().Grid = {};
       P.loop().Accesses[1].Address = arg(1) + arg(2) * globalX() + 4 * iter(0);
     },
     "N=1"},
    {"trips by the grid, which are not known then",
     [](Problem &P) {
       P.launched().Grid = {};
       P.loop().TripForm = var(Variable::Nctaid, 0);
     },
     "256x1x1: 2@397 4@925"},
    {"few trips",
     [](Problem &P) {
       P.launched().Grid = {};
       P.loop().TripCount = 7;
     },
     "N=1"},
    {"a region that may not be throttled",
     [](Problem &P) {
       P.launched().Grid = {};
       P.loop().Region.Refusal = "has a return";
     },
     "N=1"},
    {"unknown dynamic shared memory",
     [](Problem &P) {
       P.launched().Grid = {};
       P.launched().DynamicSharedBytes.reset();
     },
     "N=1"},
    {"throttle=4",
     [](Problem &P) {
       P.launched().Grid = {};
       P.Options.ForcedWarpGroups = 4;
     },
     "N=4"},
};
INSTANTIATE_TEST_SUITE_P(Grids, ByLaunch, testing::ValuesIn(Grids));

const char *const AnyBlock = "?";

const Change Blocks[] = {
    {"an unknown block",
     [](Problem &P) {
       P.launched() = LaunchConfig();
       P.launched().DynamicSharedBytes = 0;
     },
     AnyBlock},
    {"no launch, and no dynamic shared memory",
     [](Problem &P) {
       P.Kernel.Launches.clear();
       P.Kernel.UsesDynamicShared = false;
     },
     AnyBlock},
    {"no launch, and dynamic shared memory",
     [](Problem &P) { P.Kernel.Launches.clear(); }, "N=1"},
    {"no launch, and switched off",
     [](Problem &P) {
       P.Kernel.Launches.clear();
       P.Kernel.UsesDynamicShared = false;
       P.Kernel.Off = true;
     },
     "N=1"},
    // One block an SM: 8192 B a warp, so 18 warps are 1.125 times the L1.
    {"a known grid that has a block for each SM",
     [](Problem &P) {
       P.launched().Block = {};
       P.launched().Grid = LaunchDim::known(132);
       P.Options.L1KiB = 128;
     },
     "576-1024: 2@132"},
    {"at most 128 threads by the launch bounds",
     [](Problem &P) {
       P.launched().Grid = {};
       P.launched().Block = {};
       P.Kernel.MaxThreadsPerBlock = 128;
       P.Options.L1KiB = 224;
     },
     "64-64: 2@1981 1@3697, 96-96: 2@1321 4@1849, 128-128: 2@925 4@1849"},
    {"an unknown y: it may be 1",
     [](Problem &P) {
       P.launched().Grid = {};
       P.launched().Block = {{256, std::nullopt, 1}};
     },
     "256-256: 2@397 4@925"},
    {"an unknown y, and no whole warps",
     [](Problem &P) {
       P.launched().Grid = {};
       P.launched().Block = {{16, std::nullopt, 1}};
     },
     "N=1"},
    {"an unknown x of two rows",
     [](Problem &P) {
       P.launched().Grid = {};
       P.launched().Block = {{std::nullopt, 2, 1}};
     },
     "N=1"},
};

TEST(ByLaunchOf, Blocks) {
  for (const Change &C : Blocks) {
    Problem P;
    C.Make(P);
    LoopPlan Loop = P.plan().Loops[0];
    EXPECT_EQ(faultOf(Loop.ByLaunch), "") << C.What;
    if (C.Table != AnyBlock) {
      EXPECT_EQ(describe(Loop), C.Table) << C.What << ": " << Loop.Why;
      continue;
    }
    LaunchTable Table = LaunchTable::of(Loop);
    // A block of 32 threads has only one group to make.
    EXPECT_EQ(Table.warpGroups({32, 1, 1}, 1 << 20), 1u) << C.What;
    EXPECT_EQ(Table.warpGroups({256, 1, 1}, 396), 1u) << C.What;
    EXPECT_EQ(Table.warpGroups({256, 1, 1}, 397), 2u) << C.What;
    EXPECT_EQ(Table.warpGroups({256, 1, 1}, 925), 4u) << C.What;
    EXPECT_EQ(Table.warpGroups({1024, 1, 1}, 264), 4u) << C.What;
    for (BlockShape NotCovered :
         {BlockShape{250, 1, 1}, {256, 2, 1}, {256, 1, 2}, {16, 16, 1}})
      EXPECT_EQ(Table.warpGroups(NotCovered, 1 << 20), 1u) << C.What;
  }
}

// Each candidate of an unknown block is planned as if it were known.
TEST(ByLaunchOf, AnUnknownBlockIsEachBlock) {
  Problem Any;
  Any.launched().Grid = Any.launched().Block = {};
  LaunchTable Table = LaunchTable::of(Any.plan().Loops[0]);
  for (unsigned Threads = 32; Threads <= 1024; Threads += 32)
    for (uint64_t Blocks : {1, 132, 133, 400, 700, 1000, 2000, 4000}) {
      Problem Known;
      Known.Kernel.Launches = {launch(Blocks, Threads, 20)};
      EXPECT_EQ(Table.warpGroups({Threads, 1, 1}, Blocks),
                Known.plan().Loops[0].WarpGroups)
          << Blocks << " blocks of " << Threads;
    }
}

const Change Several[] = {
    {"two known launches that agree",
     [](Problem &P) { P.Kernel.Launches.push_back(launch(2112, 256, 30)); },
     "N=4"},
    {"one wants turns",
     [](Problem &P) { P.Kernel.Launches.push_back(launch(132, 256, 30)); },
     "256x1x1: 4@1056"},
    {"the larger one does not",
     [](Problem &P) {
       P.Kernel.Launches.push_back(launch(2112, 512, 30));
       P.Kernel.Launches[1].DynamicSharedBytes = 300 << 10;
     },
     "256x1x1: 4@1056"},
    {"different N for different blocks",
     [](Problem &P) {
       P.Kernel.Launches.push_back(launch(396, 512, 30));
       P.Kernel.Launches.push_back(launch(132, 32, 30));
     },
     "256x1x1: 4@1056, 512x1x1: 2@396"},
    {"different N for different grids",
     [](Problem &P) {
       P.Kernel.Launches = {launch(1056, 256, 20), launch(528, 256, 30),
                            launch(660, 256, 40), launch(132, 256, 50)};
     },
     "256x1x1: 2@528 4@1056"},
    {"a known and an unknown grid that agree",
     [](Problem &P) {
       P.Kernel.Launches.push_back(launch({}, LaunchDim::known(256), 30));
     },
     "256x1x1: 2@397 4@925"},
    // By their arguments they differ, on the grid that both could be.
    {"a known grid that wants none, and an unknown one",
     [](Problem &P) {
       for (AccessPattern &A : P.loop().Accesses)
         A.Address = arg(1) + arg(2) * globalX() + 4 * iter(0);
       P.loop().Accesses[1].Address = arg(0) + arg(2) * globalX() + 4 * iter(0);
       P.launched().Arguments = {std::nullopt, std::nullopt, 4};
       P.Kernel.Launches.push_back(launch({}, LaunchDim::known(256), 30));
       P.Kernel.Launches[1].Arguments = {std::nullopt, std::nullopt, 2048};
     },
     "256x1x1: 2@397 4@925 1@1056 4@1057"},
    {"an unknown block, and a known one of two dimensions",
     [](Problem &P) {
       P.Kernel.MaxThreadsPerBlock = 128;
       P.Kernel.Launches.push_back(launch(LaunchDim(), LaunchDim(), 30));
       P.launched().Block = LaunchDim::known(32, 4);
       P.launched().Grid = LaunchDim::known(9999);
     },
     "64-64: 2@1981 1@3697, 96-96: 2@1321 4@1849, 128-128: 2@925 4@1849"},
    // The known one does not fit on an SM, so blocks of 128 get none.
    {"an unknown block, and a known one of the same",
     [](Problem &P) {
       P.Kernel.MaxThreadsPerBlock = 128;
       P.Kernel.Launches.push_back(launch(LaunchDim(), LaunchDim(), 30));
       P.launched().Block = LaunchDim::known(128);
       P.launched().Grid = {};
       P.launched().DynamicSharedBytes = 300 << 10;
     },
     "64-64: 2@1981 1@3697, 96-96: 2@1321 4@1849"},
};

TEST(ByLaunchOf, SeveralLaunches) {
  for (const Change &C : Several) {
    Problem P;
    C.Make(P);
    LoopPlan Loop = P.plan().Loops[0];
    EXPECT_EQ(describe(Loop), C.Table) << C.What << ": " << Loop.Why;
    EXPECT_EQ(faultOf(Loop.ByLaunch), "") << C.What;
  }
}

TEST(ByLaunchOf, NumbersAreOfTheLargestFootprint) {
  Problem P;
  P.launched().Grid = {};
  KernelPlan Plan = P.plan();
  EXPECT_EQ(Plan.Loops[0].WarpGroups, 4u);
  EXPECT_EQ(Plan.Loops[0].FootprintBytes, 524288u);
  EXPECT_EQ(Plan.Loops[0].ThrottledFootprintBytes, 131072u);
  EXPECT_EQ(Plan.Launches[0].BlocksPerSM, 8u) << "at most";
  EXPECT_EQ(Plan.Launches[0].L1Bytes, 229376u);
}

TEST(ByLaunchOf, LoopsOfOneRegionShareTheirTable) {
  Problem P;
  P.launched().Grid = {};
  P.addLoop(rowsPerThread(1, /*Loop=*/1)).Region = P.loop().Region;
  KernelPlan Plan = P.plan();
  EXPECT_EQ(describe(Plan.Loops[0]), "256x1x1: 2@397 4@925");
  EXPECT_EQ(describe(Plan.Loops[1]), "256x1x1: 2@397 4@925");
  EXPECT_TRUE(StringRef(Plan.Loops[1].Why)
                  .contains("throttled together with the loop at k.cu:10:5"));
}

TEST(ByLaunchOf, TheInnerLoopIsThrottled) {
  Problem P;
  P.launched().Grid = {};
  P.loop().Accesses.clear();
  LoopFacts &Inner = P.addLoop(rowsPerThread(2, /*Loop=*/1));
  Inner.Parent = 0;
  Inner.TripCount = 16;
  KernelPlan Plan = P.plan();
  EXPECT_EQ(describe(Plan.Loops[0]), "N=1");
  EXPECT_EQ(describe(Plan.Loops[1]), "256x1x1: 2@397 4@925");
}

//===--------------------------------------------------------------------===//
// Tables
//===--------------------------------------------------------------------===//

LaunchRow row(BlockShape Block, uint64_t MinBlocks, unsigned N) {
  LaunchRow Row;
  Row.Block = Block;
  Row.MinBlocks = MinBlocks;
  Row.WarpGroups = N;
  return Row;
}
LaunchRow row(unsigned Min, unsigned Max, uint64_t MinBlocks, unsigned N) {
  LaunchRow Row;
  Row.MinThreads = Min;
  Row.MaxThreads = Max;
  Row.MinBlocks = MinBlocks;
  Row.WarpGroups = N;
  return Row;
}
LaunchTable table(std::vector<LaunchRow> Rows) {
  EXPECT_EQ(faultOf(Rows), "");
  LoopPlan Loop;
  Loop.ByLaunch = std::move(Rows);
  return LaunchTable::of(Loop);
}
LaunchTable always(unsigned N) {
  LoopPlan Loop;
  Loop.WarpGroups = N;
  return LaunchTable::of(Loop);
}

TEST(LaunchTable, LooksUp) {
  LaunchTable T = table({row({256, 1, 1}, 1, 1), row({16, 16, 1}, 10, 2),
                         row({16, 16, 1}, 20, 8), row(64, 512, 5, 4)});
  EXPECT_EQ(T.warpGroups({256, 1, 1}, 1000), 1u) << "its row goes first";
  EXPECT_EQ(T.warpGroups({16, 16, 1}, 9), 1u);
  EXPECT_EQ(T.warpGroups({16, 16, 1}, 10), 2u);
  EXPECT_EQ(T.warpGroups({16, 16, 1}, ~0ull), 8u);
  EXPECT_EQ(T.warpGroups({64, 1, 1}, 4), 1u);
  EXPECT_EQ(T.warpGroups({512, 1, 1}, 5), 4u);
  EXPECT_EQ(T.warpGroups({544, 1, 1}, 5), 1u);
  EXPECT_EQ(T.warpGroups({65, 1, 1}, 5), 1u);
  EXPECT_EQ(T.warpGroups({1056, 1, 1}, 5), 1u);
  EXPECT_EQ(T.most(), 8u);
}

TEST(LaunchTable, RowsComeBackAsTheyWere) {
  LoopPlan Loop;
  Loop.ByLaunch = {row({16, 16, 1}, 10, 2), row({16, 16, 1}, 20, 8),
                   row({256, 1, 1}, 1, 1), row(64, 512, 5, 4),
                   row(1024, 1024, 1, 2)};
  LoopPlan Again;
  Again.ByLaunch = LaunchTable::of(Loop).rows();
  EXPECT_EQ(describe(Again), describe(Loop));
}

TEST(LaunchTable, OneNHasNoRows) {
  EXPECT_TRUE(always(4).rows().empty());
  EXPECT_EQ(always(4).warpGroups({7, 3, 1}, 1), 4u);
}

TEST(LaunchTable, LargerOfTwoIsSoForEachLaunch) {
  LaunchTable Tables[] = {
      always(1), always(2),
      table({row({256, 1, 1}, 7, 4), row({16, 16, 1}, 3, 2)}),
      table({row(32, 256, 1, 2), row(32, 256, 10, 1), row(512, 1024, 3, 8)}),
      table({row({256, 1, 1}, 1, 1), row(64, 1024, 5, 4)})};
  for (const LaunchTable &A : Tables)
    for (const LaunchTable &B : Tables) {
      LaunchTable Larger = largerOf(A, B);
      for (BlockShape Block : {BlockShape{32, 1, 1},
                               {256, 1, 1},
                               {288, 1, 1},
                               {1024, 1, 1},
                               {16, 16, 1},
                               {33, 1, 1}})
        for (uint64_t Blocks = 1; Blocks < 14; ++Blocks)
          EXPECT_EQ(Larger.warpGroups(Block, Blocks),
                    std::max(A.warpGroups(Block, Blocks),
                             B.warpGroups(Block, Blocks)))
              << A.str() << " | " << B.str() << " at " << Blocks
              << " blocks of " << Block[0];
    }
}

TEST(LaunchTable, IsSaidBriefly) {
  EXPECT_EQ(table({row({256, 1, 1}, 265, 2), row({256, 1, 1}, 529, 4)}).str(),
            "256 threads: N=2 from 265 blocks, N=4 from 529 blocks");
  EXPECT_EQ(table({row({16, 16, 1}, 1, 2), row({8, 8, 4}, 9, 4)}).str(),
            "8x8x4 threads: N=4 from 9 blocks; 16x16 threads: N=2");
  EXPECT_EQ(table({row(64, 256, 1, 2), row(512, 512, 2, 4)}).str(),
            "64 to 256 threads: N=2; 512 threads: N=4 from 2 blocks");
  std::vector<LaunchRow> Many;
  for (unsigned Threads = 64; Threads <= 1024; Threads += 32)
    Many.push_back(row(Threads, Threads, Threads, 2));
  EXPECT_EQ(table(Many).str(),
            "128 threads: N=2 from 128 blocks; 256 threads: N=2 from 256 "
            "blocks; 512 threads: N=2 from 512 blocks; 1024 threads: N=2 from "
            "1024 blocks; more in the plan");
}

} // namespace
