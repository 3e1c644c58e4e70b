// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Carries a throttling plan out on the text of the main file, for compilers
/// that do not load the plugin. What ThrottleRewriter builds on the AST is
/// written around the region's lines, which stay as they are:
///
///       // sluice: warps take turns, N=4: footprint ... is beyond the L1 ...
///       {
///         const unsigned sluice_thread = threadIdx.x + ...;
///         const unsigned sluice_threads = blockDim.x * ...;
///         const unsigned sluice_group = ...;
///     #pragma unroll 1
///         for (unsigned sluice_turn = 0; sluice_turn < 4; ++sluice_turn) {
///           if (sluice_group == sluice_turn) {
///       for (int j = 0; j < n; ++j)
///         sum += A[i * n + j] * x[j];
///           }
///           __syncthreads();
///         }
///       }

#ifndef SLUICE_FRONTEND_THROTTLEDSOURCE_H
#define SLUICE_FRONTEND_THROTTLEDSOURCE_H

#include "sluice/Frontend/ThrottleRewriter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace sluice {

class RowSource;

class ThrottledSource : public TurnWriter {
public:
  explicit ThrottledSource(clang::CompilerInstance &CI);
  ~ThrottledSource() override;

  std::string whyNot(const clang::FunctionDecl &Kernel,
                     const FoundRegion &Region,
                     llvm::ArrayRef<ArgumentMinimum> OnlyIf) override;
  void wrap(clang::FunctionDecl &Kernel,
            llvm::ArrayRef<RegionTurns> Regions) override;
  void writeRows(const clang::FunctionDecl &Kernel, const KernelPlan &Plan,
                 const KernelFacts &Facts) override;
  /// Instantiations of one template have one text.
  std::string whyNot(const clang::FunctionDecl &Kernel) override;

  /// Writes the main file's text with the turns into \p Path, which must not
  /// exist yet. Call it when all kernels are through.
  llvm::Error write(llvm::StringRef Path);

private:
  clang::CompilerInstance &CI;
  std::unique_ptr<RowSource> Rows;
  /// By kernel, or by the template it is made of: the regions of each
  /// definition.
  llvm::MapVector<const clang::FunctionDecl *,
                  std::vector<std::vector<RegionTurns>>>
      Kernels;
};

} // namespace sluice

#endif
