// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops whose floating-point results depend on what the compiler makes of them
/// later. CUDA is compiled with `-ffp-contract=fast`: a product that is in one
/// basic block with its sum when code is generated, or is used nowhere else,
/// becomes one operation with it, and is rounded once and not twice.

#ifndef SLUICE_TRANSFORMS_LOOPROUNDING_H
#define SLUICE_TRANSFORMS_LOOPROUNDING_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"
#include <string>

namespace llvm {
class DominatorTree;
class Instruction;
class Loop;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace sluice {

/// A multiplication that may be fused with a sum.
bool isFusedProduct(const llvm::Instruction &I);
/// An addition or a subtraction.
bool isSum(const llvm::Instruction &I);
/// The sums that \p Product comes to in another block, or by other values.
llvm::SmallVector<const llvm::Instruction *, 2>
distantSumsOf(const llvm::Instruction &Product);

/// May \p V be a product, which nothing has rounded yet?
bool mayBeProduct(const llvm::Value *V);

/// Does \p I load from an array of constants?
bool readsConstants(const llvm::Instruction &I);

/// Why floating-point results of \p L would change where there are copies of
/// it; empty: they would not. Since LLVM 22 a product that is used once is
/// fused with its sum wherever that is (nvptx-ir-peephole), and with none where
/// each copy uses it. \p ClangsCopies: iterations that clang takes together by
/// itself; where it does, it has copies too.
std::string whyProductApart(const llvm::Loop &L, unsigned ClangsCopies);

/// Why they would change with how \p L is unrolled: that, or another reason.
std::string whyRoundedAnew(const llvm::Loop &L, unsigned ClangsCopies = 1);

/// The same, and also where LLVM cannot unroll \p L whole or take iterations
/// out of it, as it may now: counters would become constants, several blocks
/// one, what is the same in each iteration of a loop around would leave that,
/// away from its sum, and a sum that begins with zero would begin with a
/// product alone, unless fuseSumsFromZero comes first; so may
/// fuseProductsFromBefore. \p L has a latch.
std::string whyRoundedAnew(const llvm::Loop &L, llvm::ScalarEvolution &SE,
                           unsigned ClangsCopies = 1,
                           bool FusesSumsFromZero = false,
                           bool FusesProductsFromBefore = false);

/// Why they would change with how \p L is unrolled in part and, if it \p
/// MayBeWhole, with whether it is unrolled whole. Loops in it that stay loops
/// keep what differs in each of their iterations.
std::string whyNestRoundedAnew(const llvm::Loop &L, llvm::ScalarEvolution &SE,
                               bool MayBeWhole);

/// Why they would change as \p L writes what its next iteration may read, where
/// both are in one block. With \p DT also as the same iteration may, where
/// what is written between them goes.
std::string whyStoredProduct(const llvm::Loop &L, llvm::ScalarEvolution &SE,
                             const llvm::DominatorTree *DT = nullptr);

/// Why they would change as \p L reads or writes an array in shared memory that
/// a product is stored in, by it or elsewhere, where it becomes straight code.
std::string whyProductInTile(const llvm::Loop &L);

/// Why results of loops around \p L would change where it becomes longer: clang
/// may unroll them as they are now, and would not then. Empty: they would not.
std::string whyRoundedAround(llvm::Loop &L, llvm::FunctionAnalysisManager &FAM);

/// May LLVM still unroll \p L whole, or take its first iterations out? \p L has
/// a latch.
bool mayLoseIterations(const llvm::Loop &L, llvm::ScalarEvolution &SE);

/// Does \p L add to a zero, in its first iteration, what is no negative zero,
/// as a square is none? The sum is then the same as what is added.
bool hasSumFromZero(const llvm::Loop &L);
/// Has it some, each of which clang certainly fuses, as \p L stays a loop with
/// all its iterations?
bool hasFusedSumsFromZero(llvm::Loop &L, llvm::FunctionAnalysisManager &FAM);
/// Makes each of them that: fma(x, x, 0) rounds as x * x does, but goes into no
/// other sum.
void fuseSumsFromZero(const llvm::Loop &L);

/// The sums of \p L that take a product from before it which nothing else uses.
llvm::SmallVector<llvm::Instruction *, 2>
sumsOfProductsFromBefore(const llvm::Loop &L);
/// Has it some, each of which clang certainly fuses, as \p L stays a loop of
/// one copy, and loops around it do?
bool hasFusedProductsFromBefore(llvm::Loop &L,
                                llvm::FunctionAnalysisManager &FAM);
/// Makes each of them that, in the loop.
void fuseProductsFromBefore(const llvm::Loop &L);

/// May a product that is added to something be known where \p L is unrolled
/// whole? Then it is folded: rounded, and added after that.
bool mayHaveConstantProduct(const llvm::Loop &L);

} // namespace sluice

#endif // SLUICE_TRANSFORMS_LOOPROUNDING_H
