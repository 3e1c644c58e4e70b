// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Places for code that has none, so that a plan can name its loops and loads,
/// and whoever carries the plan out finds them after other passes.

#ifndef SLUICE_PLANNING_PLACETRACKING_H
#define SLUICE_PLANNING_PLACETRACKING_H

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// In functions without debug information gives each instruction the place
/// `FILE.ll:N:1`, FILE the module's source file and N its number in the module,
/// from 1. As clang does to track places without -g, in a unit of which no
/// debug information is written out. In functions with debug information this
/// is done for calls that have no location: what they call had none to inline.
void trackPlaces(llvm::Module &M);

} // namespace sluice

#endif
