// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR has no names of fields: one is known by its offset in the byval
// argument and by its size.

#include "FieldLoads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace sluice;
using namespace llvm;

std::optional<unsigned> sluice::loadedField(const LoadInst &Load,
                                            const KernelFacts &Kernel) {
  const Value *Pointer = Load.getPointerOperand();
  const DataLayout &DL = Load.getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const auto *Struct =
      dyn_cast<Argument>(Pointer->stripAndAccumulateConstantOffsets(
          DL, Offset, /*AllowNonInbounds=*/true));
  if (!Struct || !Struct->hasByValAttr() || !Load.isSimple())
    return std::nullopt;
  for (auto [Number, P] : enumerate(Kernel.Parameters))
    if (P.Field && P.Untestable.empty() &&
        P.Field->Parameter == Struct->getArgNo() && Offset == P.Field->Offset &&
        Load.getType()->isIntegerTy(8 * P.Field->Bytes))
      return unsigned(Number);
  return std::nullopt;
}
