// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which parameters of a kernel code in it can test in the argument's place.

#ifndef SLUICE_FRONTEND_KERNELPARAMETERS_H
#define SLUICE_FRONTEND_KERNELPARAMETERS_H

#include "sluice/Analysis/KernelFacts.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class FieldDecl;
class FunctionDecl;
class ParmVarDecl;
} // namespace clang

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

/// A plain integer in a struct that a kernel takes by value: `v.size.cols`.
struct FieldOfParameter {
  const clang::ParmVarDecl *Parameter = nullptr;
  llvm::SmallVector<const clang::FieldDecl *, 2> Path; ///< From the outside.

  std::string name() const;
};

/// Those of \p Kernel, in the order in which they are numbered behind its
/// parameters. None is of a union, a base, a bit-field or an array, or has no
/// name.
std::vector<FieldOfParameter>
fieldsOfParameters(const clang::FunctionDecl &Kernel);

/// The one with \p Number; none: it is a parameter's, or nothing's.
std::optional<FieldOfParameter>
fieldOfParameter(const clang::FunctionDecl &Kernel, unsigned Number);

/// The parameters of \p Kernel, which has been compiled to \p F, and behind
/// them its fieldsOfParameters(). Testable are those of a plain integer type
/// that nothing in the body could change: others have, where a loop begins,
/// perhaps not the value that addresses were computed with, or not the same in
/// all threads.
std::vector<KernelParameter> parametersOf(const clang::FunctionDecl &Kernel,
                                          const llvm::Function &F);

} // namespace sluice

#endif
