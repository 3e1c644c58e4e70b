// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Blocks that become one when code is generated, since nothing is between them
/// any more.

#ifndef SLUICE_LIB_TRANSFORMS_BLOCKROUNDING_H
#define SLUICE_LIB_TRANSFORMS_BLOCKROUNDING_H

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

} // namespace sluice

#endif
