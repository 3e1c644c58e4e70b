// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Plan/HostRecord.h"
#include "sluice/Target/MergedBlocks.h"
#include "llvm/Object/OffloadBinary.h"
#include "gtest/gtest.h"

using namespace sluice;

namespace {

const HostRequest Both = {7, 7168, 41984, std::nullopt, std::nullopt},
                  ClaimOnly = {std::nullopt, 128, 0, std::nullopt,
                               std::nullopt};

TEST(HostRecord, IsAName) {
  EXPECT_EQ(hostRecordName("_Z1fv", Both),
            "__sluice_host$1$c7$s7168$d41984$5$_Z1fv");
  EXPECT_EQ(hostRecordName("f", ClaimOnly), "__sluice_host$1$cn$s128$d0$1$f");
}

TEST(HostRecord, IsFoundAmongOtherBytes) {
  std::string Image = std::string("\0\1.global ", 10) +
                      hostRecordName("_Z1fv", Both) + "nextname" +
                      std::string(3, '\0') + hostRecordName("g$2", ClaimOnly) +
                      ";" + hostRecordName("_Z1fv", Both); // in a second table
  HostRequests Found = findHostRecords(Image);
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found["_Z1fv"], Both);
  EXPECT_EQ(Found["g$2"], ClaimOnly);
}

TEST(HostRecord, OfMergedBlocksIsAKernel) {
  const std::string Image = ".text." + mergedName("_Z3addPfi", {2, 128, 1}) +
                            std::string(1, '\0') + mergedName("f", {0, 32, 2}) +
                            " " + mergedName("_Z1fv", {3, 100, 8}) +
                            hostRecordName("_Z1fv", Both);
  HostRequests Found = findHostRecords(Image);
  ASSERT_EQ(Found.size(), 3u);
  EXPECT_EQ(Found["_Z3addPfi"].Merged, (MergedForm{2, 128, 1}));
  EXPECT_EQ(Found["f"].Merged, (MergedForm{0, 32, 2}));
  EXPECT_EQ(Found["_Z1fv"].Merged, (MergedForm{3, 100, 8}));
  EXPECT_EQ(Found["_Z1fv"].CarveoutPercent, 7u);
}

TEST(HostRecord, OfShortRowsIsAKernel) {
  const ShortRowsForm Form = {3, 49152, {{2, 4, 64}}};
  HostRequests Found = findHostRecords(".text." + shortRowsName("f", Form));
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found["f"].Short, Form);
  HostRequests Other = Found;
  Other["f"].Short->Lengths.front().Below = 32;
  EXPECT_NE(Found["f"], Other["f"]);
}

TEST(HostRecord, OfAnotherFormIsNone) {
  for (const char *Text :
       {"", "__sluice_host$1$", "__sluice_host$2$c7$s1$d2$1$f",
        "__sluice_host$1$c101$s1$d2$1$f", "__sluice_host$1$c7$s1$d2$9$f",
        "__sluice_host$1$c7$s1$d2$0$", "__sluice_host$1$c7$s1$d2$1$.",
        "__sluice_host$1$c7$s$d2$1$f", "__sluice_host$1$c7$d2$s1$1$f",
        "__sluice_host$1$c-7$s1$d2$1$f"})
    EXPECT_TRUE(findHostRecords(Text).empty()) << Text;
}

/// A fat binary's header or entry: little-endian.
void put(std::string &Bytes, size_t At, unsigned Size, uint64_t Value) {
  for (unsigned I = 0; I < Size; ++I)
    Bytes[At + I] = char(Value >> (8 * I));
}

std::string fatEntry(unsigned Kind, unsigned Architecture, std::string Image,
                     uint64_t Flags = 0) {
  std::string Entry(64, '\0');
  put(Entry, 0, 2, Kind);
  put(Entry, 4, 4, 64);
  put(Entry, 8, 8, Image.size());
  put(Entry, 28, 4, Architecture);
  put(Entry, 40, 8, Flags);
  return Entry + Image;
}

std::string fatBinary(const std::string &Entries) {
  std::string Header(16, '\0');
  put(Header, 0, 4, 0xBA55ED50);
  put(Header, 8, 8, Entries.size());
  return Header + Entries;
}

TEST(ImagesOf, AFatBinary) {
  std::string Binary =
      fatBinary(fatEntry(2, 80, "first") + fatEntry(1, 90, "ptx") +
                fatEntry(2, 90, "second"));
  auto Images = imagesOf(Binary);
  ASSERT_TRUE(bool(Images));
  ASSERT_EQ(Images->size(), 2u);
  EXPECT_EQ((*Images)[0].GPU, "sm_80");
  EXPECT_EQ((*Images)[0].Bytes, "first");
  EXPECT_EQ((*Images)[1].GPU, "sm_90");
  EXPECT_EQ((*Images)[1].Bytes, "second");
}

TEST(ImagesOf, AFatBinaryOfPTXAlone) {
  std::string Binary = fatBinary(fatEntry(1, 90, "ptx"));
  auto Images = imagesOf(Binary);
  ASSERT_TRUE(bool(Images));
  ASSERT_EQ(Images->size(), 1u);
  EXPECT_EQ((*Images)[0].Bytes, "ptx");
}

TEST(ImagesOf, WhatCannotBeReadIsAnError) {
  std::string Compressed = fatBinary(fatEntry(2, 90, "packed", 0x2000));
  std::string TooLong = fatBinary(fatEntry(2, 90, "image"));
  TooLong.pop_back();
  std::string NoHeader = fatBinary(std::string(64, '\0'));
  for (const std::string &Binary :
       {Compressed, TooLong, NoHeader, fatBinary("").substr(0, 8)}) {
    auto Images = imagesOf(Binary);
    EXPECT_FALSE(bool(Images));
    llvm::consumeError(Images.takeError());
  }
}

TEST(ImagesOf, AnOffloadBinaryOfTwo) {
  std::string Binary;
  for (const char *GPU : {"sm_80", "sm_90"}) {
    llvm::object::OffloadBinary::OffloadingImage Image;
    Image.TheImageKind = llvm::object::IMG_Bitcode;
    Image.TheOffloadKind = llvm::object::OFK_Cuda;
    Image.StringData["arch"] = GPU;
    Image.Image = llvm::MemoryBuffer::getMemBufferCopy(GPU);
    Binary += llvm::object::OffloadBinary::write(Image).str();
  }
  auto Buffer = llvm::MemoryBuffer::getMemBufferCopy(Binary);
  auto Images = imagesOf(Buffer->getBuffer());
  ASSERT_TRUE(bool(Images)) << llvm::toString(Images.takeError());
  ASSERT_EQ(Images->size(), 2u);
  for (const GPUImage &Image : *Images)
    EXPECT_EQ(Image.Bytes, Image.GPU);
}

TEST(ImagesOf, AnythingElseIsOne) {
  auto Images = imagesOf("// PTX");
  ASSERT_TRUE(bool(Images));
  ASSERT_EQ(Images->size(), 1u);
  EXPECT_EQ((*Images)[0].Bytes, "// PTX");
}

TEST(AgreeOn, WhatAllImagesSay) {
  std::string F = hostRecordName("f", Both), G = hostRecordName("g", Both);
  std::string Other = hostRecordName("g", ClaimOnly);
  AgreedRequests Agreed = agreeOn({{"sm_80", F + G}, {"sm_90", F + Other}});
  ASSERT_EQ(Agreed.Requests.size(), 1u);
  EXPECT_EQ(Agreed.Requests["f"], Both);
  ASSERT_EQ(Agreed.Refusals.size(), 1u);
  EXPECT_EQ(Agreed.Refusals["g"],
            "what is planned for sm_80 and sm_90 differs");
}

TEST(AgreeOn, NothingForOneIsADisagreement) {
  std::string F = hostRecordName("f", Both);
  EXPECT_EQ(agreeOn({{"sm_80", ""}, {"sm_90", F}}).Refusals["f"],
            "what is planned for sm_90 and sm_80 differs");
  EXPECT_TRUE(agreeOn({{"sm_80", ""}, {"sm_90", ""}}).empty());
  EXPECT_TRUE(agreeOn({}).empty());
}

} // namespace
