// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix fragments (`wmma::load_matrix_sync`) of shared memory are loaded as
// such. clang's calls have generic pointers, and LLVM's InferAddressSpaces
// passes over calls. Of a generic address the assembler makes loads of single
// words and a transposition of each; of a shared one `ldmatrix`:
//
//   LD.E R4, [R2.64]              LDSM.16.M88.4 R4, [R2]
//   LD.E R5, [R2.64+0x10]    =>
//   ...
//   MOVM.16.MT88 R4, R4
//
// nvcc's compiler finds the memory that a pointer is to before.

#include "FewerInstructions.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

/// Which of the operands of \p Call is the place of a fragment; null: it has
/// none, or it is known already where that is.
static Use *placeOfFragment(IntrinsicInst &Call) {
  const StringRef Name = Call.getCalledFunction()->getName();
  if (!Name.starts_with("llvm.nvvm.wmma.") ||
      !(Name.contains(".load.") || Name.contains(".store.")))
    return nullptr;
  Use &Place = Call.getArgOperandUse(0);
  return Place->getType()->isPointerTy() &&
                 Place->getType()->getPointerAddressSpace() ==
                     NVPTXAS::ADDRESS_SPACE_GENERIC
             ? &Place
             : nullptr;
}

static unsigned spaceOf(const Value *Pointer) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  if (all_of(Objects, [](const Value *Object) {
        return Object->getType()->isPointerTy() &&
               Object->getType()->getPointerAddressSpace() ==
                   NVPTXAS::ADDRESS_SPACE_SHARED;
      }))
    return NVPTXAS::ADDRESS_SPACE_SHARED;
  return isKnownGlobal(Pointer) ? NVPTXAS::ADDRESS_SPACE_GLOBAL
                                : NVPTXAS::ADDRESS_SPACE_GENERIC;
}

Rewritten sluice::nameMatrixSpaces(Function &F, ChangeTest MayChange) {
  Rewritten Done;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    Use *Place = Call && MayChange(I) ? placeOfFragment(*Call) : nullptr;
    const unsigned Space = Place ? spaceOf(*Place) : 0;
    if (Space == NVPTXAS::ADDRESS_SPACE_GENERIC)
      continue;
    auto *There = PointerType::get(F.getContext(), Space);
    IRBuilder<> B(Call);
    Place->set(B.CreateAddrSpaceCast(*Place, There));
    Call->setCalledFunction(Intrinsic::getOrInsertDeclaration(
        F.getParent(), Call->getIntrinsicID(), {There}));
    if (!Done.Count++)
      Done.At = I.getDebugLoc();
  }
  return Done;
}
