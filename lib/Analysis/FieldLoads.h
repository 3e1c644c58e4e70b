// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a load from a struct that is passed by value reads.

#ifndef SLUICE_LIB_ANALYSIS_FIELDLOADS_H
#define SLUICE_LIB_ANALYSIS_FIELDLOADS_H

#include "sluice/Analysis/KernelFacts.h"

namespace llvm {
class LoadInst;
} // namespace llvm

namespace sluice {

/// The number among Kernel.Parameters of the field that \p Load reads, if that
/// keeps its value. None: it reads something else, or a part of one.
std::optional<unsigned> loadedField(const llvm::LoadInst &Load,
                                    const KernelFacts &Kernel);

} // namespace sluice

#endif
