// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Carries a kernel's throttling plan out on its AST. For N = 4,
///
///     for (int j = 0; j < n; ++j)
///       sum += A[i * n + j] * x[j];
///
/// becomes
///
///     unsigned group = warp / ceil(warps / 4);
///     for (unsigned turn = 0; turn < 4; ++turn) {
///       if (group == turn)
///         for (int j = 0; j < n; ++j)
///           sum += A[i * n + j] * x[j];
///       __syncthreads();
///     }
///
/// (CATT, section 4.3, Figure 4, which writes the turns out.)

#ifndef SLUICE_FRONTEND_THROTTLEREWRITER_H
#define SLUICE_FRONTEND_THROTTLEREWRITER_H

#include "sluice/Frontend/RegionFinder.h"

namespace clang {
class Sema;
} // namespace clang

namespace sluice {

/// A region and its N.
struct RegionTurns {
  FoundRegion Region;
  unsigned WarpGroups = 1;
  bool SkipTurn = false; ///< Options::SkipTurn: the last group never runs.
};

/// Wraps each of \p Regions, which are disjoint, legal and in source order,
/// into its turn-taking loop. Call it after the kernel was analysed by clang
/// and before its code is generated.
void wrapInTurns(clang::Sema &S, clang::FunctionDecl &Kernel,
                 llvm::ArrayRef<RegionTurns> Regions);

} // namespace sluice

#endif
