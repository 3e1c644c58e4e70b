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
///
/// Where N is by launch, it is looked up first, and there is a barrier only
/// where turns are taken:
///
///     const unsigned long long blocks = gridDim.x * gridDim.y * gridDim.z;
///     const unsigned groups = blockDim is (256, 1, 1)
///                                 ? blocks < 265 ? 1 : blocks < 529 ? 2 : 4
///                                 : 1;
///     unsigned group = warp / ceil(warps / groups);
///     for (unsigned turn = 0; turn < groups; ++turn) {
///       if (group == turn)
///         ...
///       if (groups > 1)
///         __syncthreads();
///     }

#ifndef SLUICE_FRONTEND_THROTTLEREWRITER_H
#define SLUICE_FRONTEND_THROTTLEREWRITER_H

#include "sluice/Frontend/RegionFinder.h"
#include "sluice/Plan/LaunchTable.h"

namespace clang {
class Sema;
} // namespace clang

namespace sluice {

/// A region and its N, one or by launch.
struct RegionTurns {
  FoundRegion Region;
  LaunchTable WarpGroups;
  bool SkipTurn = false; ///< Options::SkipTurn: the last group never runs.
};

/// Wraps each of \p Regions, which are disjoint, legal and in source order,
/// into its turn-taking loop. Call it after the kernel was analysed by clang
/// and before its code is generated.
void wrapInTurns(clang::Sema &S, clang::FunctionDecl &Kernel,
                 llvm::ArrayRef<RegionTurns> Regions);

} // namespace sluice

#endif
