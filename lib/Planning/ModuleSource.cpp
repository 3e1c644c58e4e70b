// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang's AST would say better, from attributes, annotations and debug
// information.

#include "sluice/Planning/ModuleSource.h"
#include "sluice/Analysis/KernelFunction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/Path.h"

using namespace sluice;
using namespace llvm;

/// "ns::k<96>" of a mangled C++ name; others are as they are.
static std::string displayNameOf(const std::string &Name) {
  ItaniumPartialDemangler D; // refers to Name's text
  if (D.partialDemangle(Name.c_str()) || !D.isFunction())
    return Name;
  char *Text = D.getFunctionName(nullptr, nullptr);
  std::string Display = Text ? Text : Name;
  std::free(Text);
  return Display;
}

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

std::optional<unsigned> sluice::sfuWarpsOf(StringRef Mark) {
  unsigned Warps;
  if (!Mark.consume_front("sluice:sfu=") || Mark.getAsInteger(10, Warps))
    return std::nullopt;
  return Warps;
}

/// What stands under `__attribute__((annotate("...")))`, with the text.
static SmallVector<std::pair<const Value *, StringRef>, 4>
annotationsOf(const Module &M) {
  SmallVector<std::pair<const Value *, StringRef>, 4> Found;
  const GlobalVariable *All = M.getGlobalVariable("llvm.global.annotations");
  const auto *Entries = All && All->hasInitializer()
                            ? dyn_cast<ConstantArray>(All->getInitializer())
                            : nullptr;
  if (!Entries)
    return Found;
  for (const Use &Entry : Entries->operands()) {
    const auto *Parts = dyn_cast<ConstantStruct>(&Entry);
    if (!Parts || Parts->getNumOperands() < 2)
      continue;
    const auto *Text =
        dyn_cast<GlobalVariable>(Parts->getOperand(1)->stripPointerCasts());
    const auto *Bytes =
        Text && Text->hasInitializer()
            ? dyn_cast<ConstantDataSequential>(Text->getInitializer())
            : nullptr;
    if (Bytes && Bytes->isCString())
      Found.emplace_back(Parts->getOperand(0)->stripPointerCasts(),
                         Bytes->getAsCString());
  }
  return Found;
}

/// Is there shared memory of which each launch says how much?
static bool hasDynamicShared(const Module &M) {
  return any_of(M.globals(), [&](const GlobalVariable &G) {
    return G.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED &&
           (G.isDeclaration() ||
            M.getDataLayout().getTypeAllocSize(G.getValueType()) == 0);
  });
}

static KernelFacts factsOf(const Function &F) {
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
  if (Demanded.Block.total())
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

SourceFacts sluice::sourceFactsOf(const Module &M) {
  SourceFacts Source;
  StringRef File = M.getSourceFileName();
  if (M.debug_compile_units_begin() != M.debug_compile_units_end())
    File = (*M.debug_compile_units_begin())->getFilename();
  Source.File = sys::path::filename(File).str();
  const auto Annotations = annotationsOf(M);
  for (const Function &F : M) {
    if (F.isDeclaration() || !isKernel(F))
      continue;
    SourceKernel Kernel;
    Kernel.IRName = F.getName().str();
    Kernel.Facts = factsOf(F);
    for (const auto &[Of, Text] : Annotations) {
      if (Of != &F)
        continue;
      Kernel.Facts.Off |= Text == OffMark;
      if (auto Warps = sfuWarpsOf(Text))
        Kernel.Facts.SfuWarps = Warps;
    }
    Source.Kernels.push_back(std::move(Kernel));
  }
  return Source;
}
