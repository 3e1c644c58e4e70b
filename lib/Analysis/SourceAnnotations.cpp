// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang lists annotations in a variable, functions that are only declared too.

#include "sluice/Analysis/SourceAnnotations.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/Reachability.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace sluice;
using namespace llvm;

std::optional<unsigned> sluice::sfuWarpsOf(StringRef Mark) {
  unsigned Warps;
  if (!Mark.consume_front("sluice:sfu=") || Mark.getAsInteger(10, Warps))
    return std::nullopt;
  return Warps;
}

SmallVector<std::pair<const Value *, StringRef>, 4>
sluice::annotationsOf(const Module &M) {
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

SfuMarks sluice::sfuMarksOf(const Module &M) {
  SfuMarks Marks;
  for (const auto &[Of, Text] : annotationsOf(M)) {
    const auto *F = dyn_cast<Function>(Of);
    const auto Warps = Text == OffMark ? 0 : sfuWarpsOf(Text);
    if (!F || isKernel(*F) || !Warps)
      continue;
    auto [At, IsNew] = Marks.try_emplace(F, *Warps);
    if (*Warps == 0) // whatever else it says
      At->second = 0;
  }
  return Marks;
}

std::vector<MarkedFunction>
sluice::sfuFunctionsOf(const Function &Kernel, const SfuMarks &Marks) {
  std::vector<MarkedFunction> Found;
  if (Marks.empty())
    return Found;
  SmallSetVector<const Function *, 8> Walked;
  Walked.insert(&Kernel);
  for (unsigned Next = 0; Next < Walked.size(); ++Next)
    for (const Instruction &I : instructions(*Walked[Next]))
      if (const Function *Callee = calleeWithBody(I);
          Callee && !isKernel(*Callee) && Marks.lookup_or(Callee, 1) != 0 &&
          Walked.insert(Callee) && Marks.contains(Callee))
        Found.push_back(
            {displayNameOf(Callee->getName()), Marks.lookup(Callee)});
  return Found;
}

std::string sluice::displayNameOf(StringRef Mangled) {
  const std::string Name = Mangled.str();
  ItaniumPartialDemangler D; // refers to Name's text
  if (D.partialDemangle(Name.c_str()) || !D.isFunction())
    return Name;
  char *Text = D.getFunctionName(nullptr, nullptr);
  std::string Display = Text ? Text : Name;
  std::free(Text);
  return Display;
}
