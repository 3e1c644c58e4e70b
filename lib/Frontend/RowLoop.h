// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A loop whose rows the plan keeps in shared memory or in registers, as its
/// source has it: what is to be written in its place, or why it cannot be.

#ifndef SLUICE_LIB_FRONTEND_ROWLOOP_H
#define SLUICE_LIB_FRONTEND_ROWLOOP_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Plan.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class ASTContext;
class Expr;
class ContinueStmt;
class ForStmt;
class FunctionDecl;
} // namespace clang

namespace sluice {

/// What iterations touch, at one expression or at several that are the same.
struct LoopAccess {
  /// A row's element and a sum become a parameter of the body, others stay.
  enum KindTy { Row, Sum, Beside };
  KindTy Kind = Beside;
  bool Reads = false, Writes = false;
  std::optional<int64_t> Step; ///< Elements an iteration; none: not known.
  llvm::SmallVector<const clang::Expr *, 2> Uses; ///< Lvalues, all the same.
  /// Where accesses of it stand, as places in code have it.
  llvm::SmallVector<SourcePlace, 4> Places;
  bool IsAlways = false; ///< A write of it stands in the body itself.
};

struct RowLoop {
  const clang::ForStmt *For = nullptr;
  const clang::Expr *End = nullptr; ///< Of the counter.
  std::string Counter;
  /// By the first use in the text, those that the text has to name.
  std::vector<LoopAccess> Accesses;
  llvm::SmallVector<const clang::ContinueStmt *, 2> Continues;
  std::string WhyNot; ///< "is ..."; not empty: nothing else is valid.
};

/// The loop of \p Kernel that \p Planned, one of its \p Facts' loops, is about,
/// with rows.
RowLoop findRowLoop(const clang::FunctionDecl &Kernel,
                    const clang::ASTContext &Context, const LoopPlan &Planned,
                    const KernelFacts &Facts);

} // namespace sluice

#endif
