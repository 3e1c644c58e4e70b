// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Branches that compute again what branches before them have computed.

#ifndef SLUICE_LIB_TRANSFORMS_EQUALREGIONS_H
#define SLUICE_LIB_TRANSFORMS_EQUALREGIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace sluice {

/// Is told of a branch that goes, before it does; or of one that stays though
/// it computes nothing new, and why.
using RegionListener = llvm::function_ref<void(const llvm::Instruction &Branch,
                                               llvm::StringRef Why)>;

/// Of regions of \p F between a branch and where its ways meet again, that
/// have a call or assembly in them, takes away those that compute what one
/// before them did. Was anything changed? \p IsKept: that are to stay.
/// \p LosesOffset: a fault for tests, what is added to a result is forgotten.
bool shareEqualRegions(
    llvm::Function &F,
    llvm::function_ref<bool(const llvm::Instruction &)> IsKept,
    bool LosesOffset, RegionListener Listener);

} // namespace sluice

#endif
