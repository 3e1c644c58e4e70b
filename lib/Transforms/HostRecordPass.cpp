// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a variable is what ptxas hands on from here to the file that the
// host compile embeds.

#include "sluice/Transforms/HostRecordPass.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

PreservedAnalyses HostRecordPass::run(Module &M, ModuleAnalysisManager &) {
  Type *Byte = Type::getInt8Ty(M.getContext());
  for (const Function &F : M) { // in the module's order
    auto Request = Requests.find(F.getName());
    if (F.isDeclaration() || Request == Requests.end())
      continue;
    auto *Record = new GlobalVariable(
        M, Byte, /*isConstant=*/false, GlobalValue::ExternalLinkage,
        ConstantInt::get(Byte, 0), hostRecordName(F.getName(), Request->second),
        /*InsertBefore=*/nullptr, GlobalValue::NotThreadLocal,
        NVPTXAS::ADDRESS_SPACE_GLOBAL);
    Record->setAlignment(Align(1));
  }
  return PreservedAnalyses::all(); // no function is other than it was
}
