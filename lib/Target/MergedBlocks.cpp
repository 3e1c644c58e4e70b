// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/MergedBlocks.h"
#include <algorithm>
#include <cctype>
#include <charconv>

using namespace sluice;

std::string sluice::mergedName(std::string_view Kernel,
                               const MergedForm &Form) {
  std::string Name(MergedMagic);
  for (size_t Number :
       {size_t(Form.Parameters), size_t(Form.MostThreads), Kernel.size()})
    Name += std::to_string(Number) + "$";
  return Name.append(Kernel);
}

/// "12$": the number, which is taken from \p Text.
static std::optional<unsigned> takeNumber(std::string_view &Text) {
  unsigned Number = 0;
  const auto [End, Status] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  const size_t Digits = size_t(End - Text.data());
  if (Status != std::errc() || Digits >= Text.size() || *End != '$')
    return std::nullopt;
  Text.remove_prefix(Digits + 1);
  return Number;
}

std::optional<MergedKernel> sluice::mergedKernel(std::string_view Text) {
  if (Text.substr(0, MergedMagic.size()) != MergedMagic)
    return std::nullopt;
  Text.remove_prefix(MergedMagic.size());
  const auto Parameters = takeNumber(Text);
  const auto Threads = Parameters ? takeNumber(Text) : std::nullopt;
  const auto Length = Threads ? takeNumber(Text) : std::nullopt;
  if (!Length || *Length == 0 || *Length > Text.size())
    return std::nullopt;
  MergedKernel Found{std::string(Text.substr(0, *Length)),
                     {*Parameters, *Threads}};
  const bool IsName = std::all_of(
      Found.Kernel.begin(), Found.Kernel.end(),
      [](unsigned char C) { return std::isalnum(C) || C == '_' || C == '$'; });
  return IsName ? std::optional(Found) : std::nullopt;
}
