// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The table against the toolkit's own numbers, and the names it is found by.

#include "sluice/Target/GPUModel.h"
#include "sluice/Target/MemoryModel.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <cuda_occupancy.h>
#include <string>

using namespace llvm;
using namespace sluice;

namespace sluice {
static void PrintTo(const GPUModel &GPU, std::ostream *OS) {
  *OS << GPU.Name.str();
}
} // namespace sluice

namespace {

/// One architecture of the table, and what cuda_occupancy.h knows of it.
class GPUModelTest : public testing::TestWithParam<GPUModel> {
protected:
  void SetUp() override {
    Device.computeMajor = int(GetParam().Major);
    Device.computeMinor = int(GetParam().Minor);
    size_t Bytes = 0;
    if (cudaOccAlignUpShmemSizeVoltaPlus(&Bytes, &Device) ==
        CUDA_OCC_ERROR_UNKNOWN_DEVICE)
      GTEST_SKIP() << "this toolkit's cuda_occupancy.h is older than "
                   << GetParam().Name.str();
  }

  using Query = cudaOccError (*)(int *, const cudaOccDeviceProp *);
  unsigned ask(Query Q) const {
    int Value = 0;
    EXPECT_EQ(Q(&Value, &Device), CUDA_OCC_SUCCESS);
    return unsigned(Value);
  }

  cudaOccDeviceProp Device;
};

TEST_P(GPUModelTest, CarveoutsAreTheToolkits) {
  const GPUModel &GPU = GetParam();
  size_t Asked = 0;
  for (unsigned KiB : GPU.CarveoutKiB) {
    size_t Bytes = Asked;
    ASSERT_EQ(cudaOccAlignUpShmemSizeVoltaPlus(&Bytes, &Device),
              CUDA_OCC_SUCCESS);
    EXPECT_EQ(Bytes, size_t(KiB) * 1024) << "for a request of " << Asked;
    Asked = Bytes + 1;
  }
  EXPECT_EQ(cudaOccAlignUpShmemSizeVoltaPlus(&Asked, &Device),
            CUDA_OCC_ERROR_INVALID_INPUT)
      << "the toolkit has a larger carveout";
}

TEST_P(GPUModelTest, LimitsAreTheToolkits) {
  const GPUModel &GPU = GetParam();
  EXPECT_EQ(GPU.MaxBlocks, ask(cudaOccMaxBlocksPerMultiprocessor));
  EXPECT_EQ(GPU.SubPartitions, ask(cudaOccSubPartitionsPerMultiprocessor));
  EXPECT_EQ(GPU.SharedAllocationUnitBytes,
            ask(cudaOccSMemAllocationGranularity));
  EXPECT_EQ(GPU.RegisterAllocationUnit, ask(cudaOccRegAllocationGranularity));
  // The toolkit counts what is allotted for a thread, the table what it can
  // name.
  EXPECT_EQ(alignTo(GPU.MaxRegistersPerThread,
                    GPU.RegisterAllocationUnit / GPU.WarpSize),
            ask(cudaOccRegAllocationMaxPerThread));
}

TEST_P(GPUModelTest, FieldsFitTogether) {
  const GPUModel &GPU = GetParam();
  EXPECT_EQ(GPU.Name.str(),
            "sm_" + std::to_string(GPU.Major) + std::to_string(GPU.Minor));
  EXPECT_EQ(GPU.MaxThreads, GPU.MaxWarps * GPU.WarpSize);
  EXPECT_LT(GPU.CarveoutKiB.back(), GPU.UnifiedKiB) << "no L1 would be left";
  EXPECT_EQ(GPU.MaxSharedPerBlockBytes + GPU.ReservedSharedPerBlockBytes,
            GPU.CarveoutKiB.back() * 1024);
  EXPECT_EQ(GPU.LineBytes % GPU.SectorBytes, 0u);
  EXPECT_GT(GPU.DefaultSMs, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, GPUModelTest,
                         testing::ValuesIn(allGPUModels().begin(),
                                           allGPUModels().end()),
                         [](const auto &Info) {
                           return Info.param.Name.str();
                         });

TEST(GPUModelTable, KnownChips) {
  struct {
    StringRef Name;
    unsigned SMs, UnifiedKiB, MaxSharedPerBlockKiB, MaxWarps;
  } Cases[] = {
      {"sm_70", 80, 128, 96, 64},    {"sm_75", 72, 96, 64, 32},
      {"sm_80", 108, 192, 163, 64},  {"sm_86", 84, 128, 99, 48},
      {"sm_89", 142, 128, 99, 48},   {"sm_90", 132, 256, 227, 64},
      {"sm_100", 152, 256, 227, 64}, {"sm_103", 152, 256, 227, 64},
      {"sm_120", 188, 128, 99, 48},  {"sm_121", 48, 128, 99, 48},
  };
  ASSERT_EQ(std::size(Cases), allGPUModels().size());
  for (const auto &Case : Cases) {
    SCOPED_TRACE(Case.Name.str());
    Expected<const GPUModel *> GPU = findGPUModel(Case.Name);
    ASSERT_TRUE(bool(GPU)) << toString(GPU.takeError());
    EXPECT_EQ((*GPU)->DefaultSMs, Case.SMs);
    EXPECT_EQ((*GPU)->UnifiedKiB, Case.UnifiedKiB);
    EXPECT_EQ((*GPU)->MaxSharedPerBlockBytes, Case.MaxSharedPerBlockKiB * 1024);
    EXPECT_EQ((*GPU)->MaxWarps, Case.MaxWarps);
  }
}

//===----------------------------------------------------------------------===//
// The default carveout
//===----------------------------------------------------------------------===//

/// What the driver picked on an H100, benchmarks/results/2026-11-h100-micro/
/// carveout.csv: for blocks of so many threads, by shared memory of a block.
struct MeasuredCarveouts {
  unsigned Threads;
  struct {
    unsigned BlocksPerSM, CarveoutKiB;
  } BySharedKiB[11];
};

constexpr unsigned SharedKiB[11] = {0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47};

// clang-format off
constexpr MeasuredCarveouts Measured[] = {
    {64,   {{32, 32}, {32, 64}, {32, 100}, {32, 132}, {32, 196}, {28, 228},
            {19, 228}, {14, 228}, {9, 228}, {7, 228}, {4, 196}}},
    {128,  {{16, 32}, {16, 64}, {16, 100}, {16, 132}, {16, 132}, {16, 132},
            {16, 196}, {14, 228}, {9, 228}, {7, 228}, {4, 196}}},
    {256,  {{8, 32}, {8, 32}, {8, 64}, {8, 64}, {8, 100}, {8, 132},
            {8, 132}, {8, 132}, {8, 196}, {7, 228}, {4, 196}}},
    {512,  {{4, 16}, {4, 16}, {4, 32}, {4, 32}, {4, 64}, {4, 64},
            {4, 100}, {4, 132}, {4, 132}, {4, 132}, {4, 196}}},
    {1024, {{2, 8}, {2, 8}, {2, 8}, {2, 8}, {2, 16}, {2, 16},
            {2, 32}, {2, 32}, {2, 64}, {2, 64}, {2, 100}}},
};
// clang-format on

TEST(DefaultCarveout, IsWhatTheDriverPickedOnSM90) {
  const GPUModel *GPU = cantFail(findGPUModel("sm_90"));
  for (const MeasuredCarveouts &Row : Measured)
    for (unsigned I = 0; I < std::size(SharedKiB); ++I)
      EXPECT_EQ(GPU->defaultCarveoutKiB(Row.BySharedKiB[I].BlocksPerSM,
                                        SharedKiB[I] * 1024),
                Row.BySharedKiB[I].CarveoutKiB)
          << Row.Threads << " threads, " << SharedKiB[I] << " KiB";
}

// By the same rule, worked out: wanted bytes, then the next carveout.
TEST(DefaultCarveout, WhereNothingWasMeasured) {
  constexpr uint64_t KiB = 1024;
  struct {
    const char *Why;
    StringRef Name;
    unsigned BlocksPerSM;
    uint64_t SharedBytes;
    unsigned CarveoutKiB;
  } Cases[] = {
      {"4 x 1 block x 1 KiB", "sm_90", 1, 0, 8},
      {"one block is not doubled: 10 KiB", "sm_90", 1, 9 * KiB, 16},
      {"three are: 60 KiB", "sm_90", 3, 9 * KiB, 64},
      {"twice 3 x 16.5 KiB is 99 KiB", "sm_90", 3, 15 * KiB + 512, 100},
      {"a byte beyond 132 KiB is not wanted", "sm_90", 2, 65 * KiB, 132},
      {"but when needed it is", "sm_90", 2, 65 * KiB + 1, 164},
      {"5 x 33 KiB need 165 KiB", "sm_90", 5, 32 * KiB, 196},
      {"as sm_90", "sm_100", 8, 0, 32},
      {"room for 4 x 6 blocks, but an SM holds 16", "sm_86", 6, 0, 16},
      {"no reservation", "sm_70", 8, 0, 0},
      {"no carveout is smaller", "sm_75", 4, 0, 32},
      {"32 KiB and 2 bytes", "sm_75", 2, 16 * KiB + 1, 64},
      {"4 x 24 KiB need all, 132 KiB are not there", "sm_70", 4, 24 * KiB, 96},
      {"more than there is", "sm_70", 1, 1 << 30, 96},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(cantFail(findGPUModel(Case.Name))
                  ->defaultCarveoutKiB(Case.BlocksPerSM, Case.SharedBytes),
              Case.CarveoutKiB)
        << Case.Why;
}

TEST_P(GPUModelTest, DefaultCarveoutHoldsTheBlocks) {
  const GPUModel &GPU = GetParam();
  for (uint64_t Shared = 0; Shared <= GPU.MaxSharedPerBlockBytes;
       Shared += GPU.SharedAllocationUnitBytes)
    for (unsigned Blocks = 1; Blocks <= GPU.MaxBlocks; ++Blocks) {
      uint64_t Needed = Blocks * (Shared + GPU.ReservedSharedPerBlockBytes);
      if (Needed > GPU.CarveoutKiB.back() * 1024)
        break; // so many do not fit an SM
      ASSERT_GE(GPU.defaultCarveoutKiB(Blocks, Shared) * 1024, Needed)
          << Blocks << " blocks of " << Shared << " bytes";
    }
}

TEST(CarveoutOfPercent, IsTheSmallestNoLess) {
  // 16 KiB of 228 are 7.02 %, 32 are 14.04 %.
  const GPUModel *GPU = cantFail(findGPUModel("sm_90"));
  EXPECT_EQ(GPU->percentOfCarveout(16), 7u);
  EXPECT_EQ(GPU->carveoutOfPercent(0), 0u);
  EXPECT_EQ(GPU->carveoutOfPercent(7), 16u);
  EXPECT_EQ(GPU->carveoutOfPercent(8), 32u);
  EXPECT_EQ(GPU->carveoutOfPercent(100), 228u);
  EXPECT_EQ(GPU->carveoutOfPercent(101), 228u) << "more than there is";
}

TEST_P(GPUModelTest, EveryCarveoutCanBeAskedFor) {
  const GPUModel &GPU = GetParam();
  for (unsigned KiB : GPU.CarveoutKiB)
    EXPECT_EQ(GPU.carveoutOfPercent(GPU.percentOfCarveout(KiB)), KiB);
}

TEST(FindGPUModel, AcceptsWhatCompilersSpell) {
  struct {
    StringRef Given, Found;
  } Cases[] = {{"sm_90", "sm_90"},    {"sm_90a", "sm_90"},
               {"90", "sm_90"},       {"90a", "sm_90"},
               {"sm_120f", "sm_120"}, {"sm_100a", "sm_100"},
               {"h200", "sm_90"}};
  for (const auto &Case : Cases) {
    Expected<const GPUModel *> GPU = findGPUModel(Case.Given);
    ASSERT_TRUE(bool(GPU)) << toString(GPU.takeError());
    EXPECT_EQ((*GPU)->Name, Case.Found);
  }
}

TEST(FindGPUModel, RejectsTheRestByName) {
  // sm_80a and sm_90f: those suffixes came with sm_90 and sm_100.
  for (StringRef Bad : {"", "sm_", "sm_9", "sm_99", "sm_900", "sm_80a",
                        "sm_90f", "sm_90aa", "sm_9x", "compute_90", "gfx942"}) {
    Expected<const GPUModel *> GPU = findGPUModel(Bad);
    ASSERT_FALSE(bool(GPU)) << Bad.str();
    std::string Message = toString(GPU.takeError());
    EXPECT_NE(Message.find("'" + Bad.str() + "'"), std::string::npos)
        << Message;
    EXPECT_NE(Message.find("sm_70, sm_75, "), std::string::npos) << Message;
    EXPECT_NE(Message.find(", h200"), std::string::npos) << Message;
  }
}

TEST(Chips, HaveTheSMsOfTheirArchitectureAndTheirOwnMemory) {
  const GPUModel &H100 = *cantFail(findGPUModel("sm_90"));
  const GPUModel &H200 = *cantFail(findGPUModel("h200"));
  EXPECT_EQ(&chipOr("h200", H100), &H200);
  EXPECT_EQ(&chipOr("", H100), &H100);
  const GPUModel &A100 = *cantFail(findGPUModel("sm_80"));
  EXPECT_EQ(&chipOr("h200", A100), &A100);
  EXPECT_EQ(H200.UnifiedKiB, H100.UnifiedKiB);
  EXPECT_EQ(H200.DefaultSMs, H100.DefaultSMs);
  const MemoryModel Of100 = memoryModel(H100), Of200 = memoryModel(H200);
  // Data sheets: 4,800 and 3,352 GB/s; L2s of 60 and 50 MiB.
  EXPECT_NEAR(Of200.DRAMBytesPerCycle / Of100.DRAMBytesPerCycle, 4800. / 3352,
              0.1);
  EXPECT_NEAR(double(Of200.L2Bytes) / Of100.L2Bytes, 1.2, 0.01);
  EXPECT_EQ(Of200.L1HitCycles, Of100.L1HitCycles);
  EXPECT_TRUE(Of200.Measured);
}

} // namespace
