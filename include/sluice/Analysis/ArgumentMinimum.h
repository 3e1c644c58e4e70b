// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A test of a kernel's argument that the kernel makes when it runs: what is
/// planned for a loop may hold only where a pitch is not too small.

#ifndef SLUICE_ANALYSIS_ARGUMENTMINIMUM_H
#define SLUICE_ANALYSIS_ARGUMENTMINIMUM_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// `n >= 32`, by the type of n: a negative n fails it, an unsigned one has
/// none.
struct ArgumentMinimum {
  /// A literal of C's int can say so much.
  static constexpr int64_t Most = INT32_MAX;

  /// Number of the kernel's parameter, from 0, or of a field of one (see
  /// KernelFacts::Parameters).
  unsigned Argument = 0;
  std::string Name;    ///< As the source has it; for the reader.
  int64_t Minimum = 1; ///< From 1 to Most.

  /// "n >= 32"; without a name "argument 3 >= 32".
  std::string str() const;
  friend bool operator==(const ArgumentMinimum &A, const ArgumentMinimum &B) {
    return A.Argument == B.Argument && A.Name == B.Name &&
           A.Minimum == B.Minimum;
  }
};

/// All of which must hold. By rising Argument, each once.
using ArgumentMinima = std::vector<ArgumentMinimum>;

/// What holds where \p A and \p B do: of two for one argument the larger.
ArgumentMinima bothOf(llvm::ArrayRef<ArgumentMinimum> A,
                      llvm::ArrayRef<ArgumentMinimum> B);

/// "n >= 32 and m >= 64".
std::string str(llvm::ArrayRef<ArgumentMinimum> Minima);

/// " if n >= 32", to follow what is done then; of none "".
std::string ifNote(llvm::ArrayRef<ArgumentMinimum> Minima);

} // namespace sluice

#endif
