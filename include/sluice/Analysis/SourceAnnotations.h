// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the source says by `__attribute__((annotate("...")))`, as a module that
/// no pass has seen yet has it.

#ifndef SLUICE_ANALYSIS_SOURCEANNOTATIONS_H
#define SLUICE_ANALYSIS_SOURCEANNOTATIONS_H

#include "sluice/Analysis/KernelFacts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

namespace llvm {
class Function;
class Module;
class Value;
} // namespace llvm

namespace sluice {

/// `__attribute__((annotate("sluice:off")))` keeps Sluice away.
inline constexpr llvm::StringLiteral OffMark = "sluice:off";

/// N of `__attribute__((annotate("sluice:sfu=N")))`: the warps below N compute
/// the kernel, or the function wherever it is called, approximately.
std::optional<unsigned> sfuWarpsOf(llvm::StringRef Mark);

/// What stands under `__attribute__((annotate("...")))`, with the text.
llvm::SmallVector<std::pair<const llvm::Value *, llvm::StringRef>, 4>
annotationsOf(const llvm::Module &M);

/// Functions that are no kernels and say how many warps compute them
/// approximately. 0: none does; so also with "sluice:off".
using SfuMarks = llvm::DenseMap<const llvm::Function *, unsigned>;
SfuMarks sfuMarksOf(const llvm::Module &M);

/// Functions that \p Kernel calls, through any depth, and that have a mark of
/// more than 0. Not by way of one with 0, nor by pointers, nor those whose code
/// is in another file. What one of them calls belongs to it.
std::vector<MarkedFunction> sfuFunctionsOf(const llvm::Function &Kernel,
                                           const SfuMarks &Marks);

/// "ns::k<96>" of a mangled C++ name; others are as they are.
std::string displayNameOf(llvm::StringRef Name);

} // namespace sluice

#endif
