// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/ShortRows.h"
#include "gtest/gtest.h"

using namespace sluice;

namespace {

const ShortRowsForm Both = {5, 49152, {{3, 4, 64}, {4, 8, 32}}};

bool isShort(int32_t N, int64_t M, uint64_t Shared = 0) {
  const void *Values[] = {nullptr, nullptr, nullptr, &N, &M};
  return hasShortRows(Both, Shared,
                      [&](unsigned Number) { return Values[Number]; });
}

TEST(ShortRows, AreShortIfAllLengthsAre) {
  EXPECT_TRUE(isShort(63, 31));
  EXPECT_FALSE(isShort(64, 31));
  EXPECT_FALSE(isShort(63, 32));
  EXPECT_TRUE(isShort(-1, -5));
  EXPECT_FALSE(isShort(1, int64_t(1) << 32));
}

TEST(ShortRows, AreNotWhereTheProgramPermitsMoreSharedMemory) {
  EXPECT_TRUE(isShort(1, 1, 49152));
  EXPECT_FALSE(isShort(1, 1, 49153));
}

TEST(ShortRowsKernel, IsReadFromItsName) {
  const std::string Name = shortRowsName("_Z3addPfPKfi", Both);
  EXPECT_EQ(Name, "__sluice_short$1$5$49152$2$3$4$64$4$8$32$12$_Z3addPfPKfi");
  const auto Read = shortRowsKernel(Name + ".more");
  ASSERT_TRUE(Read);
  EXPECT_EQ(Read->Kernel, "_Z3addPfPKfi");
  EXPECT_EQ(Read->Form, Both);
}

TEST(ShortRowsKernel, OfAnotherFormIsNone) {
  for (const char *Text :
       {"", "_Z1fi", "__sluice_short$1$", "__sluice_short$2$1$0$1$0$4$64$1$f",
        "__sluice_short$1$1$0$0$1$f", "__sluice_short$1$1$0$1$1$4$64$1$f",
        "__sluice_short$1$1$0$1$0$2$64$1$f",
        "__sluice_short$1$1$0$2$0$4$64$1$f",
        "__sluice_short$1$1$0$1$0$4$64$2$f",
        "__sluice_short$1$1$0$1$0$4$-1$1$f",
        "__sluice_short$1$1$0$99$0$4$64$1$f"})
    EXPECT_FALSE(shortRowsKernel(Text)) << Text;
}

TEST(ShortRowsKernel, IsFoundAmongOtherBytes) {
  const auto Found = findShortRowsKernels(".text." + shortRowsName("f", Both) +
                                          std::string(1, '\0') + "g");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found.at("f"), Both);
}

} // namespace
