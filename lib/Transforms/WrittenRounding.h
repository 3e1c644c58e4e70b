// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which sums of a function are fused with a product is decided when code is
/// generated. Written down before that, they stay so, whatever then becomes of
/// the function's blocks and of what its values are used by.

#ifndef SLUICE_LIB_TRANSFORMS_WRITTENROUNDING_H
#define SLUICE_LIB_TRANSFORMS_WRITTENROUNDING_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace llvm {
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace sluice {

struct AttachedPlan;

/// What code generation made of an instruction that adds.
struct Rounding {
  static constexpr unsigned SomeProduct = ~0U;
  bool IsFused = false;
  /// Where it is fused: which instruction computes what is added to the
  /// product; 0: not known, but no product; SomeProduct: one that has lost its
  /// number.
  unsigned Addend = 0;
};

/// By the numbers of instructions in their function, from 1. One may have
/// become several. 0: sums that have lost their number, fused or not.
using Roundings = std::map<unsigned, llvm::SmallVector<Rounding, 1>>;

/// Generates code of \p M, which is spent then, up to where instructions are
/// selected. None of a function: it is not known.
/// \param Optimize what is done to \p M before; instructions are numbered as
/// they come to it.
llvm::StringMap<Roundings> readRoundings(
    llvm::Module &M, llvm::TargetMachine &TM,
    llvm::function_ref<void(llvm::Module &)> Optimize = [](llvm::Module &) {});

/// Why \p F cannot be written down, whatever code is generated; empty: it may.
std::string whyNotWritable(const llvm::Function &F);

/// Why \p F cannot be written down as \p Read says; empty: it can.
/// \param MayHaveCopies was it optimized behind where it was numbered?
std::string whyNotWritten(const llvm::Function &F, const Roundings *Read,
                          bool MayHaveCopies = false);

/// Why it is not certain that the assembler fuses, in \p Kernel, what LLVM does
/// and nothing else; empty: it is. \p PTX: the module's, which \p Arch is to
/// run. Fails where it cannot be assembled.
llvm::Expected<std::string> whyAssemblerFuses(llvm::StringRef Kernel,
                                              llvm::StringRef PTX,
                                              llvm::StringRef Arch,
                                              const AttachedPlan &Attached);

/// Makes `llvm.fma` of what is fused, and takes the leave to fuse from the
/// rest.
void writeRoundings(llvm::Function &F, const Roundings &Read);

/// Makes products that neither LLVM nor the assembler fuses of those that are
/// left. They are constants no more where their factors are.
void roundProducts(llvm::Function &F);

/// Hides from LLVM what the chip approximates, as LLVM would compute it exactly
/// where it knows the operands. Until showApproximations.
void hideApproximations(llvm::Function &F);
/// Code generation does not know the operands then either.
void showApproximations(llvm::Function &F);

} // namespace sluice

#endif
