// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Emulator/DeviceMemory.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace sluice::emulator;

namespace {

constexpr uint64_t MiB = 1 << 20;

TEST(DeviceMemoryTest, AllocationsAreApartAndZero) {
  DeviceMemory Memory(MiB, /*TrackWritten=*/true);
  Allocation *A = Memory.allocate(100, MemoryKind::Device, {});
  Allocation *B = Memory.allocate(100, MemoryKind::Device, {}, 4096);
  ASSERT_TRUE(A && B);
  EXPECT_EQ(A->Begin % 256, 0u);
  EXPECT_EQ(B->Begin % 4096, 0u);
  EXPECT_GE(B->Begin, A->End + 256);
  EXPECT_EQ(A->Number, 1u);
  EXPECT_EQ(B->Number, 2u);
  EXPECT_EQ(static_cast<char *>(A->host())[99], 0);
  EXPECT_EQ(Memory.used(), 200u);
}

TEST(DeviceMemoryTest, CapacityEnds) {
  DeviceMemory Memory(1000, true);
  Allocation *A = Memory.allocate(600, MemoryKind::Device, {});
  ASSERT_TRUE(A);
  EXPECT_FALSE(Memory.allocate(401, MemoryKind::Device, {}));
  Memory.release(*A, {});
  EXPECT_TRUE(Memory.allocate(1000, MemoryKind::Device, {}));
}

TEST(DeviceMemoryTest, FindsWhatAnAddressIsNear) {
  DeviceMemory Memory(MiB, true);
  Allocation *A = Memory.allocate(100, MemoryKind::Device, {});
  EXPECT_EQ(Memory.find(A->Begin), A);
  EXPECT_EQ(Memory.find(A->End - 1), A);
  EXPECT_EQ(Memory.find(A->End + 10), A); // to name it in a message
  EXPECT_EQ(Memory.find(A->End + 100000), nullptr);
  EXPECT_EQ(Memory.findBegin(A->Begin), A);
  EXPECT_EQ(Memory.findBegin(A->Begin + 1), nullptr);
  EXPECT_TRUE(A->contains(A->Begin, 100));
  EXPECT_FALSE(A->contains(A->Begin + 1, 100));
  EXPECT_FALSE(A->contains(A->Begin, ~uint64_t(0)));
}

TEST(DeviceMemoryTest, FreedMemoryIsKnownAndNotUsedAgain) {
  DeviceMemory Memory(MiB, true);
  Allocation *A = Memory.allocate(8192, MemoryKind::Device, {});
  std::memset(A->host(), 7, 8192);
  bool Called = false;
  Memory.BeforeRelease = [&](const Allocation &Released) {
    Called = &Released == A && static_cast<char *>(Released.host())[0] == 7;
  };
  Memory.release(*A, {});
  EXPECT_TRUE(Called);
  EXPECT_TRUE(A->Freed);
  EXPECT_EQ(Memory.find(A->Begin), A);
  EXPECT_EQ(Memory.findBegin(A->Begin), nullptr);
  Allocation *B = Memory.allocate(8192, MemoryKind::Device, {});
  EXPECT_GE(B->Begin, A->End);
  EXPECT_TRUE(Memory.leaks().size() == 1 && Memory.leaks()[0] == B);
}

TEST(DeviceMemoryTest, RemembersWhatWasWritten) {
  DeviceMemory Memory(MiB, true);
  Allocation *A = Memory.allocate(100, MemoryKind::Device, {});
  auto IsWritten = [&](unsigned I) {
    return A->Initialised || (A->Written[I / 8] >> I % 8 & 1);
  };
  Memory.markWritten(A->Begin + 3, 10);
  EXPECT_FALSE(IsWritten(2));
  EXPECT_TRUE(IsWritten(3));
  EXPECT_TRUE(IsWritten(12));
  EXPECT_FALSE(IsWritten(13));
  Memory.markWritten(A->Begin, 3);
  Memory.markWritten(A->Begin + 13, 87);
  Memory.settle();
  EXPECT_TRUE(A->Initialised);
  EXPECT_FALSE(A->Written);
}

TEST(DeviceMemoryTest, TheHostSeesPinnedMemory) {
  DeviceMemory Memory(MiB, true);
  Allocation *A = Memory.allocate(5000, MemoryKind::Pinned, {});
  ASSERT_TRUE(A);
  auto *Seen = reinterpret_cast<char *>(A->Begin);
  Seen[4999] = 5;
  EXPECT_EQ(static_cast<char *>(A->host())[4999], 5);
  EXPECT_EQ(Memory.findHost(Seen + 10), A);
}

TEST(DeviceMemoryTest, RegisteredMemoryMayNotOverlap) {
  DeviceMemory Memory(MiB, true);
  static char Bytes[1000];
  Allocation *A = Memory.registerHost(Bytes, 500, {});
  ASSERT_TRUE(A);
  EXPECT_EQ(A->host(), Bytes);
  EXPECT_FALSE(Memory.registerHost(Bytes + 400, 100, {}));
  EXPECT_TRUE(Memory.registerHost(Bytes + 500, 100, {}));
  EXPECT_EQ(Memory.findHost(Bytes + 499), A);
}

TEST(DeviceMemoryTest, TheNextDeviceBeginsWithZeroes) {
  for (int Device = 0; Device < 2; ++Device) {
    DeviceMemory Memory(MiB, true);
    auto *Bytes = static_cast<char *>(
        Memory.allocate(10000, MemoryKind::Device, {})->host());
    EXPECT_EQ(Bytes[0], 0);
    EXPECT_EQ(Bytes[9999], 0);
    std::memset(Bytes, 9, 10000);
  }
}

} // namespace
