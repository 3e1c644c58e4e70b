// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By hand, every offset checked: LLVM's reader would have to come along into
// the program.

#include "ElfGlobals.h"
#include <cstring>
#include <elf.h>
#include <optional>

using namespace sluice::replay;

namespace {

/// The bytes of an ELF file, read with every offset checked.
class Elf {
public:
  explicit Elf(const std::string &Image) : Image(Image) {}

  template <typename T> std::optional<T> at(uint64_t Offset) const {
    if (Offset > Image.size() || Image.size() - Offset < sizeof(T))
      return std::nullopt;
    T Value;
    std::memcpy(&Value, Image.data() + Offset, sizeof(T));
    return Value;
  }
  std::string name(uint64_t Offset) const {
    size_t End =
        Offset < Image.size() ? Image.find('\0', Offset) : std::string::npos;
    return End == std::string::npos ? "" : Image.substr(Offset, End - Offset);
  }

private:
  const std::string &Image;
};

} // namespace

std::vector<std::string> sluice::replay::globalsOf(const std::string &Image) {
  std::vector<std::string> Names;
  Elf File(Image);
  auto Header = File.at<Elf64_Ehdr>(0);
  if (!Header || std::memcmp(Header->e_ident, ELFMAG, SELFMAG) != 0 ||
      Header->e_ident[EI_CLASS] != ELFCLASS64)
    return Names;
  auto Section = [&](uint64_t Index) {
    return File.at<Elf64_Shdr>(Header->e_shoff + Index * sizeof(Elf64_Shdr));
  };
  for (unsigned I = 0; I < Header->e_shnum; ++I) {
    auto Symbols = Section(I);
    if (!Symbols || Symbols->sh_type != SHT_SYMTAB)
      continue;
    auto Strings = Section(Symbols->sh_link);
    if (!Strings)
      continue;
    for (uint64_t At = 0; At < Symbols->sh_size; At += sizeof(Elf64_Sym)) {
      auto Symbol = File.at<Elf64_Sym>(Symbols->sh_offset + At);
      if (!Symbol)
        break;
      if (ELF64_ST_TYPE(Symbol->st_info) != STT_OBJECT ||
          Symbol->st_shndx == SHN_UNDEF || Symbol->st_size == 0)
        continue;
      std::string Name = File.name(Strings->sh_offset + Symbol->st_name);
      if (!Name.empty())
        Names.push_back(Name);
    }
  }
  return Names;
}
