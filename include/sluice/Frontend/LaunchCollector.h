// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The launches of a translation unit, with every dimension and integer
/// argument that is a constant there.

#ifndef SLUICE_FRONTEND_LAUNCHCOLLECTOR_H
#define SLUICE_FRONTEND_LAUNCHCOLLECTOR_H

#include "sluice/Analysis/LaunchConfig.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace sluice {

struct CollectedLaunches {
  /// By the kernel's canonical declaration (of a template: of the
  /// specialisation), in source order.
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<LaunchConfig>>
      Launches;
  /// Statements and declarations under `#pragma sluice off`, in any function.
  std::vector<PlaceRange> Off;
};

/// Visits what can run outside system headers (RunCode.h): a launch in a
/// template is one for each instantiation. `k<<<...>>>(...)`,
/// cudaLaunchKernel(k, ...) and cudaLaunchKernelEx(&config, k, ...) are
/// launches, also by a local variable that holds k. A kernel whose address goes
/// elsewhere beside its launches has one more, of which nothing is known.
/// Constants are what ConstantFolder folds.
CollectedLaunches collectLaunches(clang::ASTContext &Context);

} // namespace sluice

#endif
