// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Blocks that become one when code is generated, since nothing is between them
/// any more, and blocks that become several.

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_BLOCKROUNDING_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_BLOCKROUNDING_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class BasicBlock;
class Instruction;
} // namespace llvm

namespace sluice {

/// Would another product be fused with a sum if \p Then went on right behind
/// \p First? NVPTX fuses within a block (ContractMultiplyAdd.h), and products
/// that are used once wherever they are.
bool isFusedAnewIfJoined(const llvm::BasicBlock &First,
                         const llvm::BasicBlock &Then);

/// Does how often \p Product is used decide what a sum is fused with? It does
/// of a sum of two products that both are used elsewhere too.
bool decidesByUses(const llvm::Instruction &Product);

/// Would a sum of \p BB round in another way where it becomes several blocks?
/// \p ComesApart: does a user in \p BB of a product come to stand in another
/// one? By what NVPTX fuses.
bool roundsAnewApart(const llvm::BasicBlock &BB,
                     llvm::function_ref<bool(const llvm::Instruction &Product,
                                             const llvm::Instruction &User)>
                         ComesApart);

} // namespace sluice

#endif
