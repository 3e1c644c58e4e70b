// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/ShortRows.h"
#include "KernelNames.h"

using namespace sluice;

/// What all such names begin with.
static constexpr std::string_view Magic = "__sluice_short$1$";
/// In a name: more are not made.
static constexpr uint64_t MostLengths = 16;

std::string sluice::shortRowsName(std::string_view Kernel,
                                  const ShortRowsForm &Form) {
  std::string Name(Magic);
  auto Add = [&](uint64_t Number) { Name += std::to_string(Number) + "$"; };
  Add(Form.Parameters);
  Add(Form.MostSharedBytes);
  Add(Form.Lengths.size());
  for (const RowLength &L : Form.Lengths) {
    Add(L.Parameter);
    Add(L.Bytes);
    Add(L.Below);
  }
  Add(Kernel.size());
  return Name.append(Kernel);
}

/// "3$4$64$" of a kernel with so many parameters.
static std::optional<RowLength> takeLength(std::string_view &Text,
                                           uint64_t Parameters) {
  const auto Parameter = takeNumber(Text);
  const auto Bytes = Parameter ? takeNumber(Text) : std::nullopt;
  const auto Below = Bytes ? takeNumber(Text) : std::nullopt;
  if (!Below || *Parameter >= Parameters || (*Bytes != 4 && *Bytes != 8) ||
      *Below > uint64_t(INT64_MAX))
    return std::nullopt;
  return RowLength{unsigned(*Parameter), unsigned(*Bytes), *Below};
}

std::optional<ShortRowsKernel> sluice::shortRowsKernel(std::string_view Text) {
  if (Text.substr(0, Magic.size()) != Magic)
    return std::nullopt;
  Text.remove_prefix(Magic.size());
  const auto Parameters = takeNumber(Text);
  const auto Shared = Parameters ? takeNumber(Text) : std::nullopt;
  const auto Lengths = Shared ? takeNumber(Text) : std::nullopt;
  if (!Lengths || *Parameters > UINT32_MAX || *Lengths == 0 ||
      *Lengths > MostLengths)
    return std::nullopt;
  ShortRowsKernel Found{"", {unsigned(*Parameters), *Shared, {}}};
  for (uint64_t N = 0; N < *Lengths; ++N) {
    const auto Length = takeLength(Text, *Parameters);
    if (!Length)
      return std::nullopt;
    Found.Form.Lengths.push_back(*Length);
  }
  const auto Name = takeName(Text);
  if (!Name)
    return std::nullopt;
  Found.Kernel = *Name;
  return Found;
}

std::map<std::string, ShortRowsForm>
sluice::findShortRowsKernels(std::string_view Image) {
  std::map<std::string, ShortRowsForm> Found;
  for (size_t At = Image.find(Magic); At != Image.npos;
       At = Image.find(Magic, At + Magic.size()))
    if (auto Kernel = shortRowsKernel(Image.substr(At)))
      Found[Kernel->Kernel] = Kernel->Form;
  return Found;
}
