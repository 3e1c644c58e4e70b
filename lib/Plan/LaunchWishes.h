// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From the N that each launch wants for itself to one table for all of them.

#ifndef SLUICE_LIB_PLAN_LAUNCHWISHES_H
#define SLUICE_LIB_PLAN_LAUNCHWISHES_H

#include "sluice/Plan/LaunchTable.h"

namespace sluice {

/// What a launch wants for blocks of one shape.
struct Wish {
  BlockShape Block;
  bool AnyBlock; ///< Of a launch whose block is not known.
  /// The only grid it speaks of; none: all.
  std::optional<uint64_t> Grid;
  GridSteps Steps;
  ArgumentMinima OnlyIf; ///< Turns are for launches where these hold.
};

/// For each launch what all wishes for the same blocks agree on.
LaunchTable tableOf(llvm::ArrayRef<Wish> Wishes);

/// Where it is sure that each launch has turns only where it wants them: what
/// all of them ask for.
struct WishedTests {
  ArgumentMinima OnlyIf;
  bool Differ = false; ///< Some launch that wants turns asks for less.
};
WishedTests testsOf(llvm::ArrayRef<Wish> Wishes);

} // namespace sluice

#endif
