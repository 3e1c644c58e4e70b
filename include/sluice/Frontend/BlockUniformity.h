// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which expressions of a kernel have the same value in all threads of a
/// block, and which loops all of them run alike. A barrier may only stand
/// where control depends on nothing else.

#ifndef SLUICE_FRONTEND_BLOCKUNIFORMITY_H
#define SLUICE_FRONTEND_BLOCKUNIFORMITY_H

#include "sluice/Frontend/LocalVariables.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace clang {
class CallExpr;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace sluice {

/// Uniform are: constants, kernel parameters, blockIdx, blockDim, gridDim,
/// `__constant__` variables, arithmetic and simple calls on those, and scalar
/// local variables that only get such values under such control and whose
/// address goes nowhere. What is read from memory that can be written is not,
/// whatever the address.
class BlockUniformity {
public:
  explicit BlockUniformity(const clang::FunctionDecl &Kernel);

  bool isUniform(const clang::Expr *E) const;
  /// Do all threads of the block that enter \p Loop together run the same
  /// iterations, each from its beginning to its end?
  bool isUniformLoop(const clang::Stmt *Loop) const;
  bool hasGoto() const { return HasGoto; }

  /// The body of a for, while, do or range-based for statement.
  static const clang::Stmt *loopBody(const clang::Stmt *Loop);

private:
  bool scan(const clang::Stmt *S, bool Divergent);
  bool scanLoop(const clang::Stmt *Loop, bool Divergent);
  bool scanWrite(const clang::Expr *Write, bool Divergent);
  bool mark(const clang::VarDecl *Variable);
  bool isUniformVariable(const clang::VarDecl *Variable) const;
  bool isUniformCall(const clang::CallExpr *Call) const;

  LocalVariables Locals;
  llvm::SmallPtrSet<const clang::VarDecl *, 16> DivergentVariables;
  llvm::SmallPtrSet<const clang::Stmt *, 8> DivergentLoops;
  bool HasGoto = false;
  bool Understood = true; ///< Nothing in the body is beyond this analysis.
  mutable unsigned Depth = 0;
};

} // namespace sluice

#endif
