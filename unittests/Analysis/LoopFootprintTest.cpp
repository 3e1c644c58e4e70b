// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the lanes of hand-made loops touch: CATT's Eq. 7 as tables, and what
/// enumerating the lanes counts right where a product of coefficients could
/// not. Lines are 128 bytes and sectors 32, as on every architecture.

#include "KernelsByHand.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

namespace {

//===--------------------------------------------------------------------===//
// Eq. 7: lines of one warp
//===--------------------------------------------------------------------===//

// REQ_warp is 1 for C_tid = 0 and Min(C_tid, 32) else, C_tid in 4-byte
// elements. Sectors likewise, four to a line.
TEST(LoopFootprintEq7, EnumerationAgreesForAlignedRows) {
  for (unsigned CTid = 0; CTid <= 40; ++CTid) {
    AccessFootprint F =
        footprintOf(load(arg(0) + (4 * CTid) * tid() + 4 * iter(0)), block(32));
    EXPECT_EQ(F.LinesPerWarp, CTid == 0 ? 1 : std::min(CTid, 32u)) << CTid;
    EXPECT_EQ(F.SectorsPerWarp, CTid == 0 ? 1 : std::min(4 * CTid, 32u))
        << CTid;
  }
}

TEST(LoopFootprintEq7, ByHand) {
  struct {
    int64_t CTid;
    unsigned Lines, Sectors;
  } Cases[] = {
      {0, 1, 1},    {1, 1, 4},    {2, 2, 8},     {8, 8, 32},
      {16, 16, 32}, {32, 32, 32}, {512, 32, 32}, {40960, 32, 32},
  };
  for (const auto &Case : Cases) {
    AccessFootprint F =
        footprintOf(load(arg(0) + 4 * Case.CTid * tid()), block(32));
    EXPECT_EQ(F.LinesPerWarp, Case.Lines) << Case.CTid;
    EXPECT_EQ(F.SectorsPerWarp, Case.Sectors) << Case.CTid;
    EXPECT_FALSE(F.Assumed);
  }
}

TEST(LoopFootprintEq7, DescendingLanesAreAsAscendingOnes) {
  for (int64_t CTid : {1, 8, 32}) {
    AddressForm Backwards = arg(0) + 4 * CTid * 31 - 4 * CTid * tid();
    EXPECT_EQ(footprintOf(load(Backwards), block(32)).LinesPerWarp,
              unsigned(CTid))
        << CTid;
  }
}

TEST(LoopFootprintEq7, BelowTheBaseAreOtherLines) {
  // Lane 0 at 0, the others at -4 to -124: in the line before.
  EXPECT_EQ(footprintOf(load(arg(0) - 4 * tid()), block(32)).LinesPerWarp, 2u);
}

//===--------------------------------------------------------------------===//
// Lines of one access, by form and block
//===--------------------------------------------------------------------===//

struct OneAccess {
  const char *What;
  AccessPattern Access;
  LaunchConfig Launch;
  // Expected:
  unsigned LinesPerWarp, SectorsPerWarp;
  uint64_t LinesPerBlock;
};

void PrintTo(const OneAccess &Case, std::ostream *OS) { *OS << Case.What; }

class OneAccessTest : public testing::TestWithParam<OneAccess> {};

TEST_P(OneAccessTest, CountsDistinctLines) {
  const OneAccess &Case = GetParam();
  AccessFootprint F = footprintOf(Case.Access, Case.Launch);
  EXPECT_EQ(F.LinesPerWarp, Case.LinesPerWarp);
  EXPECT_EQ(F.SectorsPerWarp, Case.SectorsPerWarp);
  EXPECT_EQ(F.LinesPerBlock, Case.LinesPerBlock);
  EXPECT_FALSE(F.Assumed);
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, OneAccessTest,
    testing::Values(
        OneAccess{"row per thread", rowPerThread(), block(256), 32, 32, 256},
        OneAccess{"coalesced", coalesced(), block(256), 1, 4, 8},
        OneAccess{"uniform", uniform(), block(256), 1, 1, 1},
        // Not a multiple of 32: the last warp has fewer lanes.
        OneAccess{"48 threads, row per thread", rowPerThread(), block(48), 32,
                  32, 48},
        // All blocks but the first begin amid a line.
        OneAccess{"33 threads, coalesced", coalesced(), block(33), 2, 5, 2},
        OneAccess{"one thread", rowPerThread(), block(1), 1, 1, 1},
        // syr2k, 32x8: tid.x picks a row of B, the same 32 rows for all warps.
        OneAccess{"syr2k's B", load(arg(0) + 4096 * tid(0) + 4 * iter(0)),
                  block(32, 8), 32, 32, 32},
        OneAccess{"syr2k's A", load(arg(0) + 4096 * tid(1) + 4 * iter(0)),
                  block(32, 8), 1, 1, 8},
        // A warp of 16x16 is two rows of 64 bytes.
        OneAccess{"16x16 tile", load(arg(0) + 4096 * tid(1) + 4 * tid(0)),
                  block(16, 16), 2, 4, 16},
        // 20x3: warp 0 is row 0 and part of row 1; warp 1 the rest of row 1,
        // and row 2.
        OneAccess{"20x3, a line a row", load(arg(0) + 4096 * tid(1)),
                  block(20, 3), 2, 2, 3},
        // A warp of 8x4x2 is one z.
        OneAccess{"8x4x2, all axes",
                  load(arg(0) + 4096 * tid(2) + 512 * tid(1) + 4 * tid(0)),
                  block(8, 4, 2), 4, 4, 8},
        OneAccess{"8x4x2, by z", load(arg(0) + 4096 * tid(2)), block(8, 4, 2),
                  1, 1, 2},
        // 4x4x4: a warp is two z.
        OneAccess{"4x4x4, by z", load(arg(0) + 4096 * tid(2)), block(4, 4, 4),
                  2, 2, 4}));

// The numbers of a warp are those of the warp with the most.
INSTANTIATE_TEST_SUITE_P(
    UnlikeWarps, OneAccessTest,
    testing::Values(
        // Lines 0 to 31, then 32 to 40.
        OneAccess{"first warp",
                  load(arg(0) + 128 * op(AddressOp::UMin, tid(), 40)),
                  block(64), 32, 32, 41},
        // Line 40, then 40 to 63.
        OneAccess{"last warp",
                  load(arg(0) + 128 * op(AddressOp::UMax, tid(), 40)),
                  block(64), 24, 24, 24}));

// A[tid / 16][tid % 16], rows of 2 KiB, in the ways a compiler writes it.
INSTANTIATE_TEST_SUITE_P(
    DivisionAndRemainder, OneAccessTest,
    testing::Values(
        OneAccess{"div and mod",
                  load(arg(0) + 2048 * op(AddressOp::UDiv, tid(), 16) +
                       4 * op(AddressOp::URem, tid(), 16)),
                  block(256), 2, 4, 16},
        OneAccess{"shift and mask",
                  load(arg(0) + 2048 * op(AddressOp::LShr, tid(), 4) +
                       4 * op(AddressOp::And, tid(), 15)),
                  block(256), 2, 4, 16},
        OneAccess{"only the row",
                  load(arg(0) + 2048 * op(AddressOp::UDiv, tid(), 16)),
                  block(256), 2, 2, 16},
        OneAccess{"only the column",
                  load(arg(0) + 4 * op(AddressOp::URem, tid(), 16)), block(256),
                  1, 2, 1},
        // (tid / 4) % 4: of a sum of operations in operations.
        OneAccess{"nested",
                  load(arg(0) + 2048 * op(AddressOp::URem,
                                          op(AddressOp::UDiv, tid(), 4), 4)),
                  block(256), 4, 4, 4}));

INSTANTIATE_TEST_SUITE_P(
    WideAccesses, OneAccessTest,
    testing::Values(
        OneAccess{"bytes", load(arg(0) + tid(), 1), block(256), 1, 1, 2},
        OneAccess{"8 bytes, coalesced", load(arg(0) + 8 * tid(), 8), block(256),
                  2, 8, 16},
        OneAccess{"16 bytes, coalesced", load(arg(0) + 16 * tid(), 16),
                  block(256), 4, 16, 32},
        OneAccess{"8 bytes across lines", load(arg(0) + 124, 8), block(256), 2,
                  2, 2},
        OneAccess{"16 bytes across sectors", load(arg(0) + 24, 16), block(256),
                  1, 2, 1},
        OneAccess{"16 bytes of rows, across lines",
                  load(arg(0) + 2048 * tid() + 120, 16), block(256), 64, 64,
                  512}));

//===--------------------------------------------------------------------===//
// Lines of a block whose warps take turns
//===--------------------------------------------------------------------===//

TEST(WarpsOfGroup, DividesRoundingUp) {
  using Range = std::pair<unsigned, unsigned>;
  struct {
    unsigned Warps, Groups;
    std::vector<Range> Ranges;
  } Cases[] = {
      {8, 1, {{0, 8}}},
      {8, 2, {{0, 4}, {4, 8}}},
      {8, 4, {{0, 2}, {2, 4}, {4, 6}, {6, 8}}},
      {5, 2, {{0, 3}, {3, 5}}},
      // ceil(6 / 4) = 2 warps a group: the fourth is empty.
      {6, 4, {{0, 2}, {2, 4}, {4, 6}, {6, 6}}},
      {1, 2, {{0, 1}, {1, 1}}},
      {9, 8, {{0, 2}, {2, 4}, {4, 6}, {6, 8}, {8, 9}, {9, 9}, {9, 9}, {9, 9}}},
  };
  for (const auto &Case : Cases)
    for (unsigned Group = 0; Group < Case.Groups; ++Group)
      EXPECT_EQ(warpsOfGroup(Case.Warps, Case.Groups, Group),
                Case.Ranges[Group])
          << Case.Warps << " warps, group " << Group << " of " << Case.Groups;
}

TEST(LoopFootprint, TurnsDivideWhatWarpsDoNotShare) {
  struct {
    const char *What;
    AccessPattern Access;
    LaunchConfig Launch;
    uint64_t Lines1, Lines2, Lines4, Lines8;
  } Cases[] = {
      {"row per thread", rowPerThread(), block(256), 256, 128, 64, 32},
      {"coalesced", coalesced(), block(256), 8, 4, 2, 1},
      {"uniform", uniform(), block(256), 1, 1, 1, 1},
      {"syr2k's B", load(arg(0) + 4096 * tid(0)), block(32, 8), 32, 32, 32, 32},
      // 6 warps: groups of 3, 2 and 1.
      {"6 warps", rowPerThread(), block(192), 192, 96, 64, 32},
      // 2 warps: the group with the most has 32 lines, the other 9.
      {"unlike warps", load(arg(0) + 128 * op(AddressOp::UMin, tid(), 40)),
       block(64), 41, 32, 32, 32},
  };
  for (const auto &Case : Cases) {
    KernelFacts K = kernel({Case.Access});
    LoopFootprint F = footprint(K, Case.Launch);
    EXPECT_EQ(F.linesPerBlock(1), Case.Lines1) << Case.What;
    EXPECT_EQ(F.linesPerBlock(2), Case.Lines2) << Case.What;
    EXPECT_EQ(F.linesPerBlock(4), Case.Lines4) << Case.What;
    EXPECT_EQ(F.linesPerBlock(8), Case.Lines8) << Case.What;
  }
}

TEST(LoopFootprint, CountsWarps) {
  struct {
    LaunchConfig Launch;
    unsigned Warps;
  } Cases[] = {{block(1), 1},       {block(32), 1},    {block(33), 2},
               {block(256), 8},     {block(20, 3), 2}, {block(32, 8), 8},
               {block(8, 4, 2), 2}, {block(1024), 32}};
  for (const auto &Case : Cases) {
    KernelFacts K = kernel({uniform()});
    EXPECT_EQ(footprint(K, Case.Launch).WarpsPerBlock, Case.Warps)
        << *Case.Launch.Block.total() << " threads";
  }
}

//===--------------------------------------------------------------------===//
// Several accesses
//===--------------------------------------------------------------------===//

TEST(LoopFootprint, AccessesOffOneBaseShareLines) {
  AddressForm Row = arg(0) + 2048 * globalX() + 4 * iter(0);
  struct {
    const char *What;
    AddressForm Second;
    uint64_t Lines; // of a warp, both together
  } Cases[] = {
      {"A[i*n+j] again", Row, 32},
      {"A[i*n+j+1]", Row + 4, 32},
      {"A[i*n+j+32]", Row + 128, 64},
      {"A[(i+1)*n+j]", Row + 2048, 33},
      {"B[i*n+j]", Row - arg(0) + arg(1), 64},
  };
  for (const auto &Case : Cases) {
    KernelFacts K = kernel({load(Row), load(Case.Second)});
    LoopFootprint F = footprint(K, block(32));
    ASSERT_EQ(F.Accesses.size(), 2u);
    EXPECT_EQ(F.linesPerBlock(1), Case.Lines) << Case.What;
    EXPECT_EQ(F.Accesses[1].LinesPerBlock, 32u) << "of the second by itself";
  }
}

TEST(LoopFootprint, NamesTheAccessOfEachFootprint) {
  KernelFacts K = kernel({rowPerThread(), uniform()});
  LoopFootprint F = footprint(K, block(256));
  ASSERT_EQ(F.Accesses.size(), 2u);
  EXPECT_EQ(F.Accesses[0].Access, &K.Loops[0].Accesses[0]);
  EXPECT_EQ(F.Accesses[1].Access, &K.Loops[0].Accesses[1]);
}

TEST(LoopFootprint, StoresCountWhereTheL1AllocatesOnThem) {
  KernelFacts K = kernel({rowPerThread(), store(arg(1) + 4 * globalX())});
  GPUModel GPU = sm90();
  for (bool Allocates : {false, true}) {
    GPU.L1AllocatesOnStore = Allocates;
    LoopFootprint F = computeLoopFootprint(K, 0, block(256), GPU);
    EXPECT_EQ(F.Accesses.size(), Allocates ? 2u : 1u);
    EXPECT_EQ(F.linesPerBlock(1), Allocates ? 256u + 8 : 256u);
  }
  EXPECT_EQ(footprint(K, block(256)).linesPerBlock(1), 256u + 8)
      << "the L1 of sm_90 was seen to";
}

TEST(LoopFootprint, AStoreSharesTheLinesOfALoad) {
  // y[i] += ...
  AddressForm Y = arg(1) + 4 * globalX();
  KernelFacts K = kernel({rowPerThread(), load(Y), store(Y)});
  EXPECT_EQ(footprint(K, block(256)).linesPerBlock(1), 256u + 8);
}

TEST(LoopFootprint, StoresHaveNoReuse) {
  KernelFacts K = kernel({store(arg(0) + 4 * iter(0))});
  LoopFootprint F = footprint(K, block(256));
  ASSERT_EQ(F.Accesses.size(), 1u);
  EXPECT_EQ(F.Accesses[0].IterationStride, 4);
  EXPECT_FALSE(F.Accesses[0].HasReuse);
  EXPECT_FALSE(F.HasReuse);
}

//===--------------------------------------------------------------------===//
// What is not known at compile time
//===--------------------------------------------------------------------===//

TEST(LoopFootprintUnknown, RowLengthOfAnArgument) {
  // A[i * n + j]
  AccessPattern A = load(arg(0) + 4 * arg(1) * globalX() + 4 * iter(0));
  AccessFootprint F = footprintOf(A, block(256));
  expectOnlyIf(F, "argument 1 >= 32", 256);
  EXPECT_TRUE(F.HasReuse) << "j still moves by 4 bytes";
}

TEST(LoopFootprintUnknown, ConstantArgumentIsExact) {
  AccessPattern A = load(arg(0) + 4 * arg(1) * globalX() + 4 * iter(0));
  LaunchConfig Launch = block(256);
  Launch.Arguments = {std::nullopt, 512};
  AccessFootprint F = footprintOf(A, Launch);
  EXPECT_FALSE(F.UnknownDistance);
  EXPECT_EQ(str(F.OnlyIf), "");
  EXPECT_EQ(F.LinesPerBlock, 256u);
}

TEST(LoopFootprintUnknown, ConstantDivisorIsExact) {
  AccessPattern A = load(
      arg(0) + 2048 * AddressForm::operation(AddressOp::UDiv, tid(), arg(1)));
  LaunchConfig Launch = block(256);
  expectUnknownDistance(footprintOf(A, Launch), 256);
  Launch.Arguments = {std::nullopt, 16};
  EXPECT_EQ(footprintOf(A, Launch).LinesPerBlock, 16u);
}

TEST(LoopFootprintUnknown, UniformBaseIsExact) {
  AccessFootprint F = footprintOf(
      load(arg(0) + 4 * var(Variable::Uniform, 0) + 4 * tid()), block(256));
  EXPECT_FALSE(F.UnknownDistance);
  EXPECT_EQ(F.LinesPerBlock, 8u);
}

TEST(LoopFootprintUnknown, DistanceOfLanes) {
  AddressForm U = var(Variable::Uniform, 0), V = var(Variable::Varying, 0);
  struct {
    const char *What;
    AddressForm Address;
    LaunchConfig Launch;
    bool Unknown;
    unsigned LinesPerWarp;
    uint64_t LinesPerBlock;
  } Cases[] = {
      {"a stride that is read, the same for all", arg(0) + U * tid(),
       block(256), true, 32, 256},
      {"a base of each thread", V, block(256), true, 32, 256},
      {"and a stride", V + 4 * tid(), block(256), true, 32, 256},
      {"a base of the only thread", V, block(1), false, 1, 1},
      {"an offset of all", arg(0) + 4 * arg(1) * U + 2048 * tid(), block(256),
       false, 32, 256},
      {"rows of one warp each", arg(0) + arg(1) * tid(1), block(32, 8), false,
       1, 8},
      {"rows of one warp each, coalesced", arg(0) + arg(1) * tid(1) + 4 * tid(),
       block(32, 8), false, 1, 8},
      {"two rows a warp", arg(0) + U * tid(1) + 4 * tid(), block(16, 16), true,
       2, 16},
      {"rows of an axis of one thread", arg(0) + arg(1) * tid(1) + 4 * tid(),
       block(256), false, 1, 8},
      {"a stride by the outer iterations", arg(0) + 4 * iter(1) * tid(),
       block(256), true, 32, 256},
      {"a stride by the loop's own iterations", arg(0) + 4 * iter(0) * tid(),
       block(256), true, 32, 256},
      {"outer iterations that are an offset", arg(0) + 4 * iter(1) + 4 * tid(),
       block(256), false, 1, 8},
      {"in a remainder", arg(0) + 4 * op(AddressOp::URem, tid() + iter(1), 64),
       block(256), false, 1, 2},
      {"by no number at all", arg(0) + op(AddressOp::UDiv, tid(), 0),
       block(256), true, 32, 256},
  };
  for (const auto &Case : Cases) {
    KernelFacts K = kernel({load(Case.Address)});
    LoopFootprint F = footprint(K, Case.Launch);
    EXPECT_EQ(F.Accesses[0].UnknownDistance, Case.Unknown) << Case.What;
    EXPECT_EQ(F.UnknownDistance == &K.Loops[0].Accesses[0], Case.Unknown)
        << Case.What;
    EXPECT_FALSE(F.Accesses[0].Assumed) << Case.What;
    EXPECT_EQ(F.Accesses[0].LinesPerWarp, Case.LinesPerWarp) << Case.What;
    EXPECT_EQ(F.Accesses[0].LinesPerBlock, Case.LinesPerBlock) << Case.What;
  }
}

TEST(LoopFootprintUnknown, IndirectStaysAssumed) {
  AddressForm V = var(Variable::Varying, 1);
  for (const AddressForm &Address :
       {loaded(0), loaded(0) + V, loaded(0) + arg(1) * tid()})
    expectAssumed(footprintOf(load(Address), block(256)), 8);
}

TEST(LoopFootprintUnknown, AccessesOffOneBaseMeet) {
  AddressForm V = var(Variable::Varying, 0);
  KernelFacts K = kernel({load(V), load(V + 4), load(V + 128)});
  EXPECT_EQ(footprint(K, block(256)).linesPerBlock(1), 512u);
}

TEST(LoopFootprintUnknown, NamesAnAccessWithAPlace) {
  AccessPattern Nowhere = load(var(Variable::Varying, 0)), Somewhere = Nowhere;
  Somewhere.Id.Place = {"k.cu", 7, 5};
  KernelFacts K = kernel({Nowhere, Somewhere, Nowhere});
  EXPECT_EQ(footprint(K, block(256)).UnknownDistance->Id.str(), "k.cu:7:5");
}

/// syrk: A[i * n + k] and A[j * n + k], i by y and j by x. In a 32x8 block 8
/// rows and 32 others, though on the grid's diagonal they would be the same.
TEST(LoopFootprintBlocks, AreNotOnTheDiagonal) {
  auto Row = [](unsigned Axis) {
    return load(arg(0) +
                4096 * (var(Variable::Ctaid, Axis) * var(Variable::Ntid, Axis) +
                        tid(Axis)) +
                4 * iter(0));
  };
  KernelFacts K = kernel({Row(1), Row(0)});
  LaunchConfig Launch = block(32, 8);
  EXPECT_EQ(footprint(K, Launch).linesPerBlock(1), 40u);
  for (auto [X, Y] : {std::pair(64, 256), {4, 16}, {1000, 1000}}) {
    Launch.Grid = LaunchDim::known(X, Y);
    EXPECT_EQ(footprint(K, Launch).linesPerBlock(1), 40u) << X << "x" << Y;
  }
}

TEST(LoopFootprintUnknown, TwoAssumedAccessesShareNothing) {
  AccessPattern A = load(arg(0) + 4 * loaded(0));
  KernelFacts K = kernel({A, A});
  EXPECT_EQ(footprint(K, block(256)).linesPerBlock(1), 16u);
}

TEST(LoopFootprintUnknown, BlockSize) {
  struct {
    const char *What;
    LaunchDim Block;
    const char *Said;
  } Cases[] = {
      {"unknown", {}, "block size"},
      {"unknown y", {{32, std::nullopt, 1}}, "block size"},
      {"none", LaunchDim::known(0), "0 threads"},
      {"too many", LaunchDim::known(4096), "4096 threads"},
  };
  for (const auto &Case : Cases) {
    KernelFacts K = kernel({uniform()});
    LaunchConfig Launch;
    Launch.Block = Case.Block;
    LoopFootprint F = computeLoopFootprint(K, 0, Launch, sm90());
    EXPECT_NE(F.Unknown.find(Case.Said), std::string::npos)
        << Case.What << ": " << F.Unknown;
  }
}

//===--------------------------------------------------------------------===//
// Rows that begin where memory says
//===--------------------------------------------------------------------===//

TEST(LoopFootprintRows, AreOneLineAWarpOrOneAThread) {
  AccessFootprint F =
      footprintOf(load(arg(0) + 4 * loaded(0) + 4 * iter(0)), block(256));
  expectAssumed(F, 8);
  EXPECT_EQ(F.IterationStride, 4);
  EXPECT_EQ(F.MostLinesPerBlock, 256u);
}

TEST(LoopFootprintRows, OneThatDoesNotWalkIsAGather) {
  EXPECT_EQ(
      footprintOf(load(arg(0) + 4 * loaded(0)), block(256)).MostLinesPerBlock,
      0u);
}

// x[columns[j]] is read anew in each iteration.
TEST(LoopFootprintRows, OneThatIsReadAnewIsAGather) {
  KernelFacts K = kernel({load(arg(0) + 4 * loaded(0) + 4 * iter(0))});
  K.Unknowns = {{0, false}};
  LoopFootprint F = footprint(K, block(256));
  expectAssumed(F.Accesses[0], 8);
  EXPECT_EQ(F.Accesses[0].MostLinesPerBlock, 0u);
}

TEST(LoopFootprintRows, MeasuredOnesAreAsMeasured) {
  AccessPattern A = load(arg(0) + 4 * loaded(0) + 4 * iter(0));
  A.Measured = AccessMeasurement{100, 1900, 1900, {}};
  AccessFootprint F = footprintOf(A, block(256));
  EXPECT_EQ(F.LinesPerBlock, 8 * 19u);
  EXPECT_EQ(F.MostLinesPerBlock, 0u);
}

} // namespace
