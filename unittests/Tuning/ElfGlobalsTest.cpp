// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Variables of a cubin made by hand, whole and damaged.

#include "ElfGlobals.h"
#include "gtest/gtest.h"
#include <cstring>
#include <elf.h>

using namespace sluice::replay;

namespace {

struct Symbol {
  const char *Name;
  unsigned char Type;
  uint16_t Section;
  uint64_t Bytes;
};

template <typename T> void append(std::string &Image, const T &Value) {
  Image.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

/// The header, the sections' (none, symbols, strings), symbols and strings.
std::string elfWith(const std::vector<Symbol> &Symbols) {
  std::string Table, Strings(1, '\0');
  append(Table, Elf64_Sym{});
  for (const Symbol &S : Symbols) {
    Elf64_Sym Entry{};
    Entry.st_name = Elf64_Word(Strings.size());
    Entry.st_info = ELF64_ST_INFO(STB_GLOBAL, S.Type);
    Entry.st_shndx = S.Section;
    Entry.st_size = S.Bytes;
    append(Table, Entry);
    Strings.append(S.Name).push_back('\0');
  }

  Elf64_Ehdr Header{};
  std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
  Header.e_ident[EI_CLASS] = ELFCLASS64;
  Header.e_shoff = sizeof(Header);
  Header.e_shnum = 3;
  Elf64_Shdr None{}, OfTable{}, OfStrings{};
  OfTable.sh_type = SHT_SYMTAB;
  OfTable.sh_link = 2;
  OfTable.sh_offset = sizeof(Header) + 3 * sizeof(Elf64_Shdr);
  OfTable.sh_size = Table.size();
  OfStrings.sh_type = SHT_STRTAB;
  OfStrings.sh_offset = OfTable.sh_offset + OfTable.sh_size;
  OfStrings.sh_size = Strings.size();

  std::string Image;
  append(Image, Header);
  append(Image, None);
  append(Image, OfTable);
  append(Image, OfStrings);
  return Image + Table + Strings;
}

using Names = std::vector<std::string>;
constexpr uint16_t Data = 1;

TEST(ElfGlobals, AreTheObjectsThatAreDefined) {
  EXPECT_EQ(globalsOf(elfWith({
                {"Counter", STT_OBJECT, Data, 4},
                {"_Z6kernelPf", STT_FUNC, Data, 128},
                {"elsewhere", STT_OBJECT, SHN_UNDEF, 4},
                {".nv.constant3", STT_SECTION, Data, 64},
                {"empty", STT_OBJECT, Data, 0},
                {"", STT_OBJECT, Data, 4},
                {"Table", STT_OBJECT, Data, 1024},
            })),
            (Names{"Counter", "Table"}));
}

TEST(ElfGlobals, MayBeNone) { EXPECT_EQ(globalsOf(elfWith({})), Names()); }

TEST(ElfGlobals, OfWhatIsNo64BitElfAreNone) {
  EXPECT_EQ(globalsOf(""), Names());
  EXPECT_EQ(globalsOf(".version 8.0\n.target sm_90\n" + std::string(200, ' ')),
            Names());
  std::string Short = elfWith({{"Counter", STT_OBJECT, Data, 4}});
  Short[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(globalsOf(Short), Names());
}

TEST(ElfGlobals, OfAFileCutShortAreThoseThatAreLeft) {
  const std::string Whole = elfWith(
      {{"Counter", STT_OBJECT, Data, 4}, {"Table", STT_OBJECT, Data, 64}});
  for (size_t Bytes = 0; Bytes < Whole.size(); ++Bytes)
    for (const std::string &Name : globalsOf(Whole.substr(0, Bytes)))
      EXPECT_TRUE(Name == "Counter" || Name == "Table") << Bytes;
  EXPECT_EQ(globalsOf(Whole.substr(0, Whole.size() - 1)), Names{"Counter"});
}

// Any offset, size or index may be wild, and offsets may wrap around.
TEST(ElfGlobals, OfADamagedFileNeedNoCare) {
  const std::string Whole = elfWith({{"Counter", STT_OBJECT, Data, 4}});
  for (size_t At = 0; At < Whole.size(); ++At)
    for (size_t Bytes : {1, 2, 4, 8})
      for (char With : {'\xff', '\x7f', '\x80', '\0'}) {
        std::string Damaged = Whole;
        size_t End = std::min(At + Bytes, Whole.size());
        std::fill(Damaged.begin() + At, Damaged.begin() + End, With);
        EXPECT_LE(globalsOf(Damaged).size(), 8u) << At << " " << Bytes;
      }
}

} // namespace
