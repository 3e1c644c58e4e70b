// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The functions that the special function units (SFU) have, as CUDA code
/// brings them, and how each is computed by these units: Tables 6.1 and 6.2 of
/// Li, "GPU Performance Modeling and Optimization" (2016), and those that
/// today's units have beside them.

#ifndef SLUICE_LIB_TRANSFORMS_SFUFUNCTIONS_H
#define SLUICE_LIB_TRANSFORMS_SFUFUNCTIONS_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace sluice {

enum class SfuFunction {
  Divide,
  Reciprocal,
  Root,
  ReciprocalRoot,
  Power,
  Exp,
  Exp2,
  Exp10,
  Log,
  Log2,
  Log10,
  Sin,
  Cos,
  SinCos,
  Tan,
  Tanh
};
inline constexpr unsigned NumSfuFunctions = unsigned(SfuFunction::Tanh) + 1;

/// As remarks call it: "sqrt".
llvm::StringRef nameOf(SfuFunction F);

/// Which of them \p I computes, and not approximately already; none: none of
/// them.
std::optional<SfuFunction> sfuFunctionOf(const llvm::Instruction &I);

/// Puts in the place of \p I what the units compute.
void approximate(llvm::Instruction &I, SfuFunction F);

/// Of code that approximate() made: the reciprocal of a root is one
/// instruction.
void combineApproximate(llvm::Function &F);

} // namespace sluice

#endif
