// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/MergedBlocks.h"
#include <algorithm>
#include <cctype>
#include <charconv>

using namespace sluice;

/// What all such names begin with.
static constexpr std::string_view Magic = "__sluice_merged$3$";

std::string sluice::mergedName(std::string_view Kernel,
                               const MergedForm &Form) {
  std::string Name(Magic);
  for (size_t Number : {size_t(Form.Parameters), size_t(Form.MostThreads),
                        size_t(Form.Together), size_t(Form.HasDynamicShared),
                        size_t(Form.Bound), Kernel.size()})
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
  if (Text.substr(0, Magic.size()) != Magic)
    return std::nullopt;
  Text.remove_prefix(Magic.size());
  const auto Parameters = takeNumber(Text);
  const auto Threads = Parameters ? takeNumber(Text) : std::nullopt;
  const auto Together = Threads ? takeNumber(Text) : std::nullopt;
  const auto Shared = Together ? takeNumber(Text) : std::nullopt;
  const auto Bound = Shared ? takeNumber(Text) : std::nullopt;
  const auto Length = Bound ? takeNumber(Text) : std::nullopt;
  if (!Length || *Together == 0 || *Shared > 1 || *Length == 0 ||
      *Length > Text.size())
    return std::nullopt;
  MergedKernel Found{std::string(Text.substr(0, *Length)),
                     {*Parameters, *Threads, *Together, *Shared == 1, *Bound}};
  const bool IsName = std::all_of(
      Found.Kernel.begin(), Found.Kernel.end(),
      [](unsigned char C) { return std::isalnum(C) || C == '_' || C == '$'; });
  return IsName ? std::optional(Found) : std::nullopt;
}

std::map<std::string, MergedForm>
sluice::findMergedKernels(std::string_view Image) {
  std::map<std::string, MergedForm> Found;
  for (size_t At = Image.find(Magic); At != Image.npos;
       At = Image.find(Magic, At + Magic.size()))
    if (auto Merged = mergedKernel(Image.substr(At)))
      Found[Merged->Kernel] = Merged->Form;
  return Found;
}
