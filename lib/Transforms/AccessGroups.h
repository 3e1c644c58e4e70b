// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Marks of loads, by which the emulator knows what is loaded in vain. Access
/// groups, and not metadata of our own, as LLVM drops that where it makes one
/// load of two.

#ifndef SLUICE_LIB_TRANSFORMS_ACCESSGROUPS_H
#define SLUICE_LIB_TRANSFORMS_ACCESSGROUPS_H

#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

namespace sluice {

/// The group that \p M calls \p Name (lib/Emulator/ReadUse.cpp has the names).
inline llvm::MDNode *accessGroup(llvm::Module &M, llvm::StringRef Name) {
  llvm::NamedMDNode *Named = M.getOrInsertNamedMetadata(Name);
  if (Named->getNumOperands() == 0)
    Named->addOperand(llvm::MDNode::getDistinct(M.getContext(), {}));
  return Named->getOperand(0);
}

} // namespace sluice

#endif
