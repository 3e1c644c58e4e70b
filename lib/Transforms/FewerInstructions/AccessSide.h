// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A load, a store, or one side of a copy, and how its address is aligned.

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_ACCESSSIDE_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_ACCESSSIDE_H

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sluice {

struct AccessSide {
  llvm::Instruction *I;
  bool IsSource = false; ///< Of a copy.

  /// What is known of the address.
  llvm::Align alignment() const {
    if (const auto *Copy = llvm::dyn_cast<llvm::MemTransferInst>(I);
        Copy && IsSource)
      return Copy->getSourceAlign().valueOrOne();
    if (const auto *Set = llvm::dyn_cast<llvm::MemIntrinsic>(I))
      return Set->getDestAlign().valueOrOne();
    return llvm::getLoadStoreAlignment(I);
  }

  /// It is \p To, if that is more.
  void align(llvm::Align To) {
    if (To <= alignment())
      return;
    if (auto *Copy = llvm::dyn_cast<llvm::MemTransferInst>(I); Copy && IsSource)
      Copy->setSourceAlignment(To);
    else if (auto *Set = llvm::dyn_cast<llvm::MemIntrinsic>(I))
      Set->setDestAlignment(To);
    else
      llvm::setLoadStoreAlignment(I, To);
  }
};

} // namespace sluice

#endif
