// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The footprint of hand-made loops: CATT's Eq. 6 and 7 as tables, and what
/// enumerating the lanes counts right where a product of coefficients could
/// not. Lines are 128 bytes and sectors 32, as on every architecture.

#include "sluice/Analysis/LoopFootprint.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

namespace {

//===--------------------------------------------------------------------===//
// Kernels by hand
//===--------------------------------------------------------------------===//

AddressForm c(int64_t Value) { return AddressForm::constant(Value); }
AddressForm var(Variable::KindTy Kind, unsigned Index) {
  return AddressForm::variable({Kind, Index});
}
AddressForm tid(unsigned Axis = 0) { return var(Variable::Tid, Axis); }
AddressForm iter(unsigned Loop) { return var(Variable::Iterator, Loop); }
AddressForm arg(unsigned Number) { return var(Variable::Argument, Number); }
AddressForm loaded(unsigned Number) { return var(Variable::Loaded, Number); }
AddressForm op(AddressOp Op, const AddressForm &A, int64_t B) {
  return AddressForm::operation(Op, A, c(B));
}
AddressForm operator*(int64_t A, const AddressForm &B) { return c(A) * B; }
AddressForm operator+(const AddressForm &A, int64_t B) { return A + c(B); }

/// blockIdx.x * blockDim.x + threadIdx.x
AddressForm globalX() {
  return var(Variable::Ctaid, 0) * var(Variable::Ntid, 0) + tid();
}

AccessPattern load(const AddressForm &Address, unsigned Bytes = 4) {
  AccessPattern A;
  A.Address = Address;
  A.Bytes = Bytes;
  return A;
}
AccessPattern store(const AddressForm &Address) {
  AccessPattern A = load(Address);
  A.IsStore = true;
  return A;
}

/// A[i * 512 + j]: each thread walks a row of floats of its own.
AccessPattern rowPerThread(unsigned Array = 0) {
  return load(arg(Array) + 2048 * globalX() + 4 * iter(0));
}
/// A[j * 4096 + i]: neighbours read neighbours.
AccessPattern coalesced() {
  return load(arg(0) + 4 * globalX() + 16384 * iter(0));
}
/// x[j]: every thread reads the same.
AccessPattern uniform() { return load(arg(0) + 4 * iter(0)); }

/// A kernel of one loop, number 0.
KernelFacts kernel(std::vector<AccessPattern> Accesses) {
  KernelFacts K;
  K.Loops.resize(1);
  K.Loops[0].Accesses = std::move(Accesses);
  return K;
}

/// Adds a loop around which \p Parent is; it stands at "k.cu:LINE:5", where
/// LINE is ten times its number.
LoopFacts &addInnerLoop(KernelFacts &K, unsigned Parent,
                        std::optional<uint64_t> TripCount) {
  LoopFacts L;
  L.Id.Place = {"k.cu", unsigned(10 * K.Loops.size()), 5};
  L.Parent = Parent;
  L.TripCount = TripCount;
  K.Loops.push_back(L);
  return K.Loops.back();
}

LaunchConfig block(uint64_t X, uint64_t Y = 1, uint64_t Z = 1) {
  LaunchConfig L;
  L.Block = LaunchDim::known(X, Y, Z);
  return L;
}

const GPUModel &sm90() { return *cantFail(findGPUModel("sm_90")); }

LoopFootprint footprint(const KernelFacts &K, const LaunchConfig &Launch,
                        unsigned Loop = 0) {
  LoopFootprint F = computeLoopFootprint(K, Loop, Launch, sm90());
  EXPECT_EQ(F.Unknown, "");
  return F;
}

/// The footprint of a loop with one access.
AccessFootprint footprintOf(const AccessPattern &Access,
                            const LaunchConfig &Launch) {
  KernelFacts K = kernel({Access});
  LoopFootprint F = footprint(K, Launch);
  if (F.Accesses.size() != 1) {
    ADD_FAILURE() << F.Accesses.size() << " accesses";
    return {};
  }
  F.Accesses[0].Access = nullptr; // it dies with K
  return F.Accesses[0];
}

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
        OneAccess{"33 threads, coalesced", coalesced(), block(33), 1, 4, 2},
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
}

TEST(LoopFootprint, StoresHaveNoReuse) {
  KernelFacts K = kernel({store(arg(0) + 4 * iter(0))});
  GPUModel GPU = sm90();
  GPU.L1AllocatesOnStore = true;
  LoopFootprint F = computeLoopFootprint(K, 0, block(256), GPU);
  ASSERT_EQ(F.Accesses.size(), 1u);
  EXPECT_EQ(F.Accesses[0].IterationStride, 4);
  EXPECT_FALSE(F.Accesses[0].HasReuse);
  EXPECT_FALSE(F.HasReuse);
}

//===--------------------------------------------------------------------===//
// Eq. 6: reuse
//===--------------------------------------------------------------------===//

TEST(LoopFootprintEq6, ReuseUpToALine) {
  struct {
    int64_t Stride;
    bool Reuse;
  } Cases[] = {{0, true},    {4, true},     {128, true},
               {129, false}, {132, false},  {-4, true},
               {-128, true}, {-132, false}, {1 << 30, false}};
  for (const auto &Case : Cases) {
    AccessFootprint F = footprintOf(
        load(arg(0) + 2048 * globalX() + Case.Stride * iter(0)), block(256));
    EXPECT_EQ(F.IterationStride, Case.Stride);
    EXPECT_EQ(F.HasReuse, Case.Reuse) << Case.Stride;
  }
}

TEST(LoopFootprintEq6, OneLoadWithReuseIsEnough) {
  KernelFacts K = kernel({coalesced(), uniform()});
  LoopFootprint F = footprint(K, block(256));
  EXPECT_FALSE(F.Accesses[0].HasReuse);
  EXPECT_TRUE(F.Accesses[1].HasReuse);
  EXPECT_TRUE(F.HasReuse);
}

TEST(LoopFootprintEq6, StrideByTheLaunch) {
  // A grid-stride loop: 4 * ntid.x * nctaid.x bytes.
  AccessPattern GridStride =
      load(arg(0) + 4 * (globalX() + var(Variable::Ntid, 0) *
                                         var(Variable::Nctaid, 0) * iter(0)));
  LaunchConfig Launch = block(256);
  EXPECT_EQ(footprintOf(GridStride, Launch).IterationStride, std::nullopt);
  Launch.Grid = LaunchDim::known(10);
  EXPECT_EQ(footprintOf(GridStride, Launch).IterationStride, 10240);
}

TEST(LoopFootprintEq6, NoStrideIsKnownForASquare) {
  // 0, 4, 16, 36, ...: no one distance.
  AccessFootprint F =
      footprintOf(load(arg(0) + 4 * iter(0) * iter(0)), block(256));
  EXPECT_EQ(F.IterationStride, std::nullopt);
  EXPECT_FALSE(F.HasReuse);
}

//===--------------------------------------------------------------------===//
// What is not known at compile time
//===--------------------------------------------------------------------===//

/// One line a warp, no two the same (section 4.2).
void expectAssumed(const AccessFootprint &F, uint64_t Warps) {
  EXPECT_TRUE(F.Assumed);
  EXPECT_EQ(F.LinesPerWarp, 1u);
  EXPECT_EQ(F.SectorsPerWarp, 1u);
  EXPECT_EQ(F.LinesPerBlock, Warps);
}

TEST(LoopFootprintUnknown, RowLengthOfAnArgument) {
  // A[i * n + j]
  AccessPattern A = load(arg(0) + 4 * arg(1) * globalX() + 4 * iter(0));
  AccessFootprint F = footprintOf(A, block(256));
  expectAssumed(F, 8);
  EXPECT_TRUE(F.HasReuse) << "j still moves by 4 bytes";
}

TEST(LoopFootprintUnknown, ConstantArgumentIsExact) {
  AccessPattern A = load(arg(0) + 4 * arg(1) * globalX() + 4 * iter(0));
  LaunchConfig Launch = block(256);
  Launch.Arguments = {std::nullopt, 512};
  AccessFootprint F = footprintOf(A, Launch);
  EXPECT_FALSE(F.Assumed);
  EXPECT_EQ(F.LinesPerBlock, 256u);
}

TEST(LoopFootprintUnknown, ConstantDivisorIsExact) {
  AccessPattern A = load(
      arg(0) + 2048 * AddressForm::operation(AddressOp::UDiv, tid(), arg(1)));
  LaunchConfig Launch = block(256);
  expectAssumed(footprintOf(A, Launch), 8);
  Launch.Arguments = {std::nullopt, 16};
  EXPECT_EQ(footprintOf(A, Launch).LinesPerBlock, 16u);
}

TEST(LoopFootprintUnknown, UniformBaseIsExact) {
  AccessFootprint F = footprintOf(
      load(arg(0) + 4 * var(Variable::Uniform, 0) + 4 * tid()), block(256));
  EXPECT_FALSE(F.Assumed);
  EXPECT_EQ(F.LinesPerBlock, 8u);
}

TEST(LoopFootprintUnknown, TwoAssumedAccessesShareNothing) {
  AccessPattern A = load(arg(0) + 4 * loaded(0));
  KernelFacts K = kernel({A, A});
  EXPECT_EQ(footprint(K, block(256)).linesPerBlock(1), 16u);
}

TEST(LoopFootprintUnknown, IndirectHasNoReuse) {
  // x[col[j]]: the index is loaded in each iteration.
  KernelFacts K = kernel({load(arg(0) + 4 * loaded(0))});
  K.Unknowns = {{/*Loop=*/0}};
  LoopFootprint F = footprint(K, block(256));
  expectAssumed(F.Accesses[0], 8);
  EXPECT_EQ(F.Accesses[0].IterationStride, std::nullopt);
  EXPECT_FALSE(F.HasReuse);
}

TEST(LoopFootprintUnknown, RowStartLoadedBeforeTheLoopHasReuse) {
  // col[rowStart + j] of CSR.
  KernelFacts K = kernel({load(arg(0) + 4 * loaded(0) + 4 * iter(0))});
  K.Unknowns = {{/*Loop=*/std::nullopt}};
  LoopFootprint F = footprint(K, block(256));
  expectAssumed(F.Accesses[0], 8);
  EXPECT_EQ(F.Accesses[0].IterationStride, 4);
  EXPECT_TRUE(F.HasReuse);
}

TEST(LoopFootprintUnknown, ReuseIsOfTheLoopThatDoesNotLoadTheBase) {
  // for i: { start = row[i]; for j < 4: col[start + j] }
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 4).Accesses = {load(arg(0) + 4 * loaded(0) + 4 * iter(1))};
  K.Unknowns = {{/*Loop=*/0}};
  EXPECT_FALSE(footprint(K, block(256), 0).HasReuse);
  EXPECT_TRUE(footprint(K, block(256), 1).HasReuse);
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
// Inner loops
//===--------------------------------------------------------------------===//

TEST(LoopFootprintNest, FewInnerIterationsAreFoldedIn) {
  struct {
    const char *What;
    int64_t InnerStride;
    unsigned LinesPerWarp, SectorsPerWarp;
  } Cases[] = {
      {"four lines", 128, 4 * 32, 4 * 32},
      {"four sectors of a line", 32, 32, 4 * 32},
      {"four floats of a sector", 4, 32, 32},
      {"the same", 0, 32, 32},
  };
  for (const auto &Case : Cases) {
    KernelFacts K = kernel({});
    addInnerLoop(K, 0, 4).Accesses = {
        load(arg(0) + 2048 * tid() + Case.InnerStride * iter(1))};
    LoopFootprint F = footprint(K, block(256));
    EXPECT_EQ(F.Accesses[0].LinesPerWarp, Case.LinesPerWarp) << Case.What;
    EXPECT_EQ(F.Accesses[0].SectorsPerWarp, Case.SectorsPerWarp) << Case.What;
    EXPECT_EQ(F.linesPerBlock(1), 8 * Case.LinesPerWarp) << Case.What;
  }
}

TEST(LoopFootprintNest, StrideIsOfTheLoopAsked) {
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 4).Accesses = {
      load(arg(0) + 2048 * tid() + 512 * iter(0) + 4 * iter(1))};
  EXPECT_EQ(footprint(K, block(256), 0).Accesses[0].IterationStride, 512);
  EXPECT_EQ(footprint(K, block(256), 1).Accesses[0].IterationStride, 4);
}

TEST(LoopFootprintNest, OuterAccessesAreNotTheInnerLoops) {
  KernelFacts K = kernel({rowPerThread(0)});
  addInnerLoop(K, 0, 4).Accesses = {load(arg(1) + 4 * iter(1))};
  EXPECT_EQ(footprint(K, block(32), 0).linesPerBlock(1), 33u);
  EXPECT_EQ(footprint(K, block(32), 1).linesPerBlock(1), 1u);
}

TEST(LoopFootprintNest, TwoLevelsMultiply) {
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 3);
  addInnerLoop(K, 1, 5).Accesses = {
      load(arg(0) + 4096 * iter(1) + 128 * iter(2))};
  EXPECT_EQ(footprint(K, block(32), 0).linesPerBlock(1), 15u);
  EXPECT_EQ(footprint(K, block(32), 1).linesPerBlock(1), 5u);
  EXPECT_EQ(footprint(K, block(32), 2).linesPerBlock(1), 1u);
}

TEST(LoopFootprintNest, RowsOfUnknownLengthAreDifferentLines) {
  // A[k * n + i] for k < 4: four bases, one sector of each.
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 4).Accesses = {load(arg(0) + 4 * arg(1) * iter(1))};
  LoopFootprint F = footprint(K, block(32));
  EXPECT_EQ(F.Accesses[0].LinesPerWarp, 4u);
  EXPECT_EQ(F.Accesses[0].SectorsPerWarp, 4u);
}

TEST(LoopFootprintNest, TripCountByTheLaunch) {
  KernelFacts K = kernel({});
  LoopFacts &Inner = addInnerLoop(K, 0, std::nullopt);
  Inner.TripForm = arg(1);
  Inner.Accesses = {load(arg(0) + 128 * iter(1))};
  LaunchConfig Launch = block(32);
  Launch.Arguments = {std::nullopt, 6};
  EXPECT_EQ(footprint(K, Launch).linesPerBlock(1), 6u);
}

TEST(LoopFootprintNest, UnknownNamesTheInnerLoop) {
  struct {
    const char *What;
    std::optional<uint64_t> Middle, Inner;
    const char *Said; // empty: the footprint is known
  } Cases[] = {
      {"unknown", 2, std::nullopt, "k.cu:20:5 has an unknown number"},
      {"unknown around it", std::nullopt, 2, "k.cu:10:5 has an unknown number"},
      {"64", 1, 64, ""},
      {"65", 1, 65, "k.cu:20:5 has 65 iterations"},
      {"8 x 8", 8, 8, ""},
      {"9 x 8", 9, 8, "k.cu:10:5 has 9 iterations"},
      {"very many", 1, UINT64_MAX, "k.cu:20:5 has 18446744073709551615"},
  };
  for (const auto &Case : Cases) {
    KernelFacts K = kernel({});
    addInnerLoop(K, 0, Case.Middle);
    addInnerLoop(K, 1, Case.Inner).Accesses = {uniform()};
    std::string Unknown = computeLoopFootprint(K, 0, block(32), sm90()).Unknown;
    if (*Case.Said)
      EXPECT_NE(Unknown.find(Case.Said), std::string::npos)
          << Case.What << ": " << Unknown;
    else
      EXPECT_EQ(Unknown, "") << Case.What;
  }
}

TEST(LoopFootprintNest, InnerLoopWithoutAccessesMayBeAnything) {
  KernelFacts K = kernel({rowPerThread()});
  addInnerLoop(K, 0, std::nullopt);
  EXPECT_EQ(footprint(K, block(256)).linesPerBlock(1), 256u);
}

//===--------------------------------------------------------------------===//
// Trip counts
//===--------------------------------------------------------------------===//

TEST(TripCount, IsAConstantOrWhatTheLaunchMakesOfTheForm) {
  LaunchConfig Launch = block(256);
  Launch.Grid = LaunchDim::known(10);
  Launch.Arguments = {std::nullopt, 512, -3};
  struct {
    const char *What;
    std::optional<uint64_t> Constant;
    AddressForm Form;
    std::optional<uint64_t> Trip;
  } Cases[] = {
      {"a constant", 7, {}, 7},
      {"a constant of zero", 0, {}, 0},
      {"nothing known", {}, {}, std::nullopt},
      {"a known argument", {}, arg(1), 512},
      {"an unknown argument", {}, arg(0), std::nullopt},
      {"an argument beyond those known", {}, arg(9), std::nullopt},
      {"the launch's dimensions",
       {},
       var(Variable::Ntid, 0) * var(Variable::Nctaid, 0),
       2560},
      {"by thread", {}, arg(1) - tid(), std::nullopt},
      {"by an outer iterator", {}, iter(0), std::nullopt},
      {"less than none", {}, arg(2), std::nullopt},
  };
  for (const auto &Case : Cases) {
    LoopFacts Loop;
    Loop.TripCount = Case.Constant;
    Loop.TripForm = Case.Form;
    EXPECT_EQ(tripCount(Loop, Launch), Case.Trip) << Case.What;
  }
}

} // namespace
