// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/MergedBlocks.h"
#include "KernelNames.h"

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

std::optional<MergedKernel> sluice::mergedKernel(std::string_view Text) {
  if (Text.substr(0, Magic.size()) != Magic)
    return std::nullopt;
  Text.remove_prefix(Magic.size());
  const auto Parameters = takeNumber(Text);
  const auto Threads = Parameters ? takeNumber(Text) : std::nullopt;
  const auto Together = Threads ? takeNumber(Text) : std::nullopt;
  const auto Shared = Together ? takeNumber(Text) : std::nullopt;
  const auto Bound = Shared ? takeNumber(Text) : std::nullopt;
  const auto Name = Bound ? takeName(Text) : std::nullopt;
  if (!Name || *Together == 0 || *Shared > 1 ||
      std::max({*Parameters, *Threads, *Together, *Bound}) > UINT32_MAX)
    return std::nullopt;
  return MergedKernel{*Name,
                      {unsigned(*Parameters), unsigned(*Threads),
                       unsigned(*Together), *Shared == 1, unsigned(*Bound)}};
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
