// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A struct of a thread that is chosen among several by its address:
///
///   struct Pair { float key; long at; };
///   const Pair &less(const Pair &a, const Pair &b) { return a < b ? a : b; }
///   best = less(best, next);
///
///   %from = select i1 %less, ptr %best, ptr %next
///   call void @llvm.memcpy(ptr %best, ptr %from, i64 16)
/// becomes
///   %key = select i1 %less, float %best.key, float %next.key
///   %at = select i1 %less, i64 %best.at, i64 %next.at
///
/// LLVM does so where a select of two structs is loaded from. It does not for
/// copies, nor where one choice is made after the other: then all the structs
/// are in local memory.

#ifndef SLUICE_LIB_TRANSFORMS_CHOSENSTRUCTS_H
#define SLUICE_LIB_TRANSFORMS_CHOSENSTRUCTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class DebugLoc;
class Instruction;
} // namespace llvm

namespace sluice {

/// Keeps the structs of \p F in registers that are chosen so. Calls \p Done
/// with the place of each group of structs that are chosen among each other,
/// with their bytes and why they stay in memory; empty: they do not. \p
/// IsWrong: of each choice the last field is that of the other struct. True: \p
/// F is changed.
bool keepChosenStructs(
    llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
    llvm::function_ref<bool(const llvm::Instruction &)> IsOff, bool IsWrong,
    llvm::function_ref<void(const llvm::DebugLoc &At, uint64_t Bytes,
                            llvm::StringRef WhyNot)>
        Done);

} // namespace sluice

#endif
