// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/KernelFunction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

bool sluice::isKernel(const Function &F) {
  if (F.getCallingConv() == CallingConv::PTX_Kernel)
    return true;
  const NamedMDNode *Annotations =
      F.getParent()->getNamedMetadata("nvvm.annotations");
  return Annotations && any_of(Annotations->operands(), [&](const MDNode *N) {
           if (N->getNumOperands() < 3 ||
               mdconst::dyn_extract_or_null<Function>(N->getOperand(0)) != &F)
             return false;
           const auto *Key = dyn_cast_or_null<MDString>(N->getOperand(1));
           return Key && Key->getString() == "kernel";
         });
}

std::optional<unsigned> sluice::mostThreads(const Function &F) {
  for (StringRef Kind : {"nvvm.reqntid", "nvvm.maxntid"}) {
    if (!F.hasFnAttribute(Kind))
      continue;
    unsigned Threads = 1;
    for (StringRef Part :
         split(F.getFnAttribute(Kind).getValueAsString(), ',')) {
      unsigned Along;
      if (Part.trim().getAsInteger(10, Along))
        return std::nullopt;
      Threads *= Along;
    }
    return Threads;
  }
  return std::nullopt;
}

std::optional<unsigned> sluice::registerLimit(const Function &F) {
  unsigned Registers;
  if (F.getFnAttribute(RegisterLimitAttribute)
          .getValueAsString()
          .getAsInteger(10, Registers))
    return std::nullopt;
  return Registers;
}

void sluice::setRegisterLimit(Function &F, unsigned Registers) {
  F.addFnAttr(RegisterLimitAttribute, std::to_string(Registers));
}
