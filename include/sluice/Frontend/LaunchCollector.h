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

/// Visits everything outside system headers, template instantiations too.
/// `k<<<...>>>(...)` and cudaLaunchKernel(k, ...) are launches. Constants are
/// literals, enumerators, constexpr and const variables, local variables that
/// are initialised with constants and never changed, dim3 made of those, calls
/// of functions that only return an expression of them, ceil and floor.
CollectedLaunches collectLaunches(clang::ASTContext &Context);

} // namespace sluice

#endif
