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
///
/// Where turns are only for some arguments, N is 1 for the others, also if it
/// is a constant otherwise: `groups = n < 32 ? 1 : 4`.

#ifndef SLUICE_FRONTEND_THROTTLEREWRITER_H
#define SLUICE_FRONTEND_THROTTLEREWRITER_H

#include "sluice/Frontend/RegionFinder.h"
#include "sluice/Plan/LaunchTable.h"

namespace clang {
class CompilerInstance;
} // namespace clang

namespace sluice {

/// A region and its N, one or by launch.
struct RegionTurns {
  FoundRegion Region;
  LaunchTable WarpGroups;
  ArgumentMinima OnlyIf; ///< Of parameters that the kernel can test.
  bool SkipTurn = false; ///< WrongRewrite::SkipTurn.
  std::string Why;       ///< Of the loop with the largest N: LoopPlan::Why.

  bool isByLaunch() const { return !WarpGroups.rows().empty(); }
  /// Is N known only when the kernel runs?
  bool isLookedUp() const { return isByLaunch() || !OnlyIf.empty(); }
};

/// Puts turns around the regions of kernels: on the AST, or on the text.
class TurnWriter {
public:
  virtual ~TurnWriter() = default;
  /// Why turns cannot be written around \p Region, which is legal, with the
  /// tests \p OnlyIf; empty: they can.
  virtual std::string whyNot(const clang::FunctionDecl &Kernel,
                             const FoundRegion &Region,
                             llvm::ArrayRef<ArgumentMinimum> OnlyIf) = 0;
  /// Takes the regions of one kernel, perhaps none, which are disjoint, legal
  /// and in source order.
  virtual void wrap(clang::FunctionDecl &Kernel,
                    llvm::ArrayRef<RegionTurns> Regions) = 0;
  /// Takes the other loops of one kernel that are written in another way: those
  /// with rows.
  virtual void writeRows(const clang::FunctionDecl &, const KernelPlan &,
                         const KernelFacts &) {}
  /// Asked when all kernels are through: why \p Kernel has no turns after all.
  virtual std::string whyNot(const clang::FunctionDecl &Kernel) = 0;
};

/// Call wrap() after clang has analysed the kernel and before its code is
/// generated.
class ThrottleRewriter : public TurnWriter {
public:
  explicit ThrottleRewriter(clang::CompilerInstance &CI) : CI(CI) {}

  std::string whyNot(const clang::FunctionDecl &, const FoundRegion &,
                     llvm::ArrayRef<ArgumentMinimum>) override {
    return "";
  }
  void wrap(clang::FunctionDecl &Kernel,
            llvm::ArrayRef<RegionTurns> Regions) override;
  std::string whyNot(const clang::FunctionDecl &) override { return ""; }

private:
  clang::CompilerInstance &CI;
};

} // namespace sluice

#endif
