// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Writes the loops whose rows the plan keeps in shared memory or in registers
/// as calls of sluice/rows.h:
///
///     for (int j = 0; j < n; ++j)
///       sum += A[i * n + j] * x[j];
///
/// becomes
///
///     { // sluice: rows in shared memory: each lane reads a row of its own ...
///       int j = 0;
///       auto sluice_rows = ::sluice::rows(
///           ::sluice::iterations(j, n),
///           ::sluice::reads(&A[i * n + j]));
///       ::sluice::staged(sluice_buffers, sluice_rows, [&](auto &sluice_A) {
///       sum += sluice_A * x[j];
///         ++j;
///       });
///     }

#ifndef SLUICE_LIB_FRONTEND_ROWSOURCE_H
#define SLUICE_LIB_FRONTEND_ROWSOURCE_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Plan.h"
#include "llvm/ADT/MapVector.h"

namespace clang {
class CompilerInstance;
class FunctionDecl;
class Rewriter;
} // namespace clang

namespace sluice {

/// New text in place of [Begin, End) of the main file.
struct TextEdit {
  unsigned Begin = 0, End = 0;
  std::string Text;

  friend bool operator==(const TextEdit &A, const TextEdit &B) {
    return A.Begin == B.Begin && A.End == B.End && A.Text == B.Text;
  }
};

class RowSource {
public:
  explicit RowSource(clang::CompilerInstance &CI) : CI(CI) {}

  /// Takes the loops of a kernel that have rows.
  void add(const clang::FunctionDecl &Kernel, const KernelPlan &Plan,
           const KernelFacts &Facts);

  /// Changes the text, and says of each loop if it is in it. Call it when all
  /// kernels are through.
  void write(clang::Rewriter &Output);

private:
  /// One loop of one kernel.
  struct Outcome {
    std::string Kernel, DisplayName, Why, WhyNot;
    CodeId Loop;
    unsigned Location = 0; ///< Of the kernel.
    bool IsStaged = false;
  };
  /// Of one instantiation, if the kernel is a template.
  struct Definition {
    std::vector<TextEdit> Edits;
    std::vector<Outcome> Loops;
  };

  Definition define(const clang::FunctionDecl &Kernel, const KernelPlan &Plan,
                    const KernelFacts &Facts) const;
  void report(const Outcome &Of) const;

  clang::CompilerInstance &CI;
  /// By kernel, or by the template it is made of.
  llvm::MapVector<const clang::FunctionDecl *, std::vector<Definition>> Kernels;
};

} // namespace sluice

#endif
