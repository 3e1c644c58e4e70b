// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang's AST would say better, from attributes, annotations and debug
// information.

#include "sluice/Planning/ModuleSource.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SourceAnnotations.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/Path.h"

using namespace sluice;
using namespace llvm;

/// "256,2": sizes along x, y and z, those that are not there 1. Unknown without
/// the attribute.
static LaunchDim dimOf(const Function &F, StringRef Attribute) {
  SmallVector<StringRef, 3> Parts;
  F.getFnAttribute(Attribute).getValueAsString().split(Parts, ',', -1, false);
  LaunchDim Dim;
  if (Parts.empty() || Parts.size() > 3)
    return Dim;
  Dim = LaunchDim::known(1);
  for (auto [Part, Size] : zip(Parts, Dim.Sizes)) {
    uint64_t Number;
    if (Part.trim().getAsInteger(10, Number) || Number == 0)
      return {};
    Size = Number;
  }
  return Dim;
}

/// "256x1x?", without the sizes at the end that are 1.
static std::string dimText(const LaunchDim &Dim) {
  std::string Text;
  for (size_t Last = 3; Last > 0; --Last) {
    const auto &Size = Dim.Sizes[Last - 1];
    if (Text.empty() && Size == 1u && Last > 1)
      continue;
    Text =
        (Size ? std::to_string(*Size) : "?") + (Text.empty() ? "" : "x") + Text;
  }
  return Text;
}

std::string sluice::launchText(const LaunchConfig &Launch) {
  std::string Text = dimText(Launch.Grid) + ":" + dimText(Launch.Block);
  if (!Launch.DynamicSharedBytes)
    return Text + ":?";
  if (*Launch.DynamicSharedBytes != 0)
    Text += ":" + std::to_string(*Launch.DynamicSharedBytes);
  return Text;
}

std::optional<LaunchConfig> sluice::parseLaunchText(StringRef Text) {
  SmallVector<StringRef, 3> Parts;
  Text.split(Parts, ':');
  LaunchConfig Launch;
  if (Parts.size() < 2 || Parts.size() > 3 ||
      !parseDim(Parts[0], Launch.Grid, /*MayBeUnknown=*/true) ||
      !parseDim(Parts[1], Launch.Block, /*MayBeUnknown=*/true))
    return std::nullopt;
  // Each at most 1024 first, so that the product cannot overflow.
  for (const auto &Size : Launch.Block.Sizes)
    if (Size && *Size > MostThreadsPerBlock)
      return std::nullopt;
  if (Launch.Block.total().value_or(1) > MostThreadsPerBlock)
    return std::nullopt;
  uint64_t Bytes = 0;
  if (Parts.size() == 3 && Parts[2] == "?")
    return Launch;
  if (Parts.size() == 3 &&
      (Parts[2].getAsInteger(10, Bytes) || Bytes > INT32_MAX))
    return std::nullopt;
  Launch.DynamicSharedBytes = Bytes;
  return Launch;
}

/// Of LaunchesAttribute.
static std::vector<LaunchConfig>
writtenLaunches(const Function &F, std::vector<std::string> &Warnings) {
  std::vector<LaunchConfig> Launches;
  SmallVector<StringRef, 4> Parts;
  F.getFnAttribute(LaunchesAttribute)
      .getValueAsString()
      .split(Parts, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts)
    if (auto Launch = parseLaunchText(Part))
      Launches.push_back(*Launch);
    else
      Warnings.push_back(
          formatv("kernel '{0}': no launch is '{1}' in its attribute {2}; it "
                  "would be GRID:BLOCK[:SMEM], as in 1056:256",
                  F.getName(), Part, LaunchesAttribute));
  return Launches;
}

/// Is there shared memory of which each launch says how much?
static bool hasDynamicShared(const Module &M) {
  return any_of(M.globals(), [&](const GlobalVariable &G) {
    return G.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED &&
           (G.isDeclaration() ||
            M.getDataLayout().getTypeAllocSize(G.getValueType()) == 0);
  });
}

static KernelFacts factsOf(const Function &F,
                           std::vector<std::string> &Warnings) {
  KernelFacts Facts;
  Facts.Name = F.getName().str();
  Facts.DisplayName = displayNameOf(Facts.Name);
  if (const DISubprogram *SP = F.getSubprogram())
    Facts.Place = {sys::path::filename(SP->getFilename()).str(), SP->getLine(),
                   1};
  LaunchConfig Demanded;
  Demanded.Block = dimOf(F, "nvvm.reqntid");
  if (!hasDynamicShared(*F.getParent()))
    Demanded.DynamicSharedBytes = 0;
  Facts.Launches = writtenLaunches(F, Warnings);
  if (Facts.Launches.empty() && Demanded.Block.total())
    Facts.Launches.push_back(Demanded);
  if (auto Most = dimOf(F, "nvvm.maxntid").total())
    Facts.MaxThreadsPerBlock = unsigned(*Most);
  Facts.MaxRegisters = registerLimit(F);
  unsigned MinBlocks;
  if (!F.getFnAttribute("nvvm.minctasm")
           .getValueAsString()
           .getAsInteger(10, MinBlocks))
    Facts.MinBlocksPerSM = MinBlocks;
  return Facts;
}

SourceFacts sluice::sourceFactsOf(const Module &M,
                                  std::vector<std::string> &Warnings) {
  SourceFacts Source;
  StringRef File = M.getSourceFileName();
  if (M.debug_compile_units_begin() != M.debug_compile_units_end())
    File = (*M.debug_compile_units_begin())->getFilename();
  Source.File = sys::path::filename(File).str();
  const auto Annotations = annotationsOf(M);
  const SfuMarks Marks = sfuMarksOf(M);
  for (const Function &F : M) {
    if (F.isDeclaration() || !isKernel(F))
      continue;
    SourceKernel Kernel;
    Kernel.IRName = F.getName().str();
    Kernel.Facts = factsOf(F, Warnings);
    for (const auto &[Of, Text] : Annotations) {
      if (Of != &F)
        continue;
      Kernel.Facts.Off |= Text == OffMark;
      if (auto Warps = sfuWarpsOf(Text))
        Kernel.Facts.SfuWarps = Warps;
    }
    Kernel.Facts.SfuFunctions = sfuFunctionsOf(F, Marks);
    Source.Kernels.push_back(std::move(Kernel));
  }
  return Source;
}
