// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The table against the toolkit's own numbers, and the names it is found by.

#include "sluice/Target/GPUModel.h"
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

TEST(GPUModelTable, DefaultCarveoutIsTheSmallestThatHolds) {
  constexpr uint64_t KiB = 1024;
  struct {
    StringRef Name;
    uint64_t SharedBytes;
    unsigned CarveoutKiB;
  } Cases[] = {
      {"sm_90", 0, 0},         {"sm_90", 1, 8},
      {"sm_90", 8 * KiB, 8},   {"sm_90", 8 * KiB + 1, 16},
      {"sm_75", 0, 32},        {"sm_75", 32 * KiB + 1, 64},
      {"sm_70", 95 * KiB, 96}, {"sm_70", 1 << 30, 96},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(
        cantFail(findGPUModel(Case.Name))->defaultCarveoutKiB(Case.SharedBytes),
        Case.CarveoutKiB)
        << Case.Name.str() << ", " << Case.SharedBytes << " bytes";
}

TEST(FindGPUModel, AcceptsWhatCompilersSpell) {
  struct {
    StringRef Given, Found;
  } Cases[] = {{"sm_90", "sm_90"},    {"sm_90a", "sm_90"},
               {"90", "sm_90"},       {"90a", "sm_90"},
               {"sm_120f", "sm_120"}, {"sm_100a", "sm_100"}};
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
  }
}

} // namespace
