// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How a function body uses its variables: where each is written, and whether
/// it can be written from where the body does not show.

#ifndef SLUICE_FRONTEND_LOCALVARIABLES_H
#define SLUICE_FRONTEND_LOCALVARIABLES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace sluice {

struct VariableUse {
  /// Assignments, compound assignments, increments and decrements, of it or of
  /// a part of it.
  llvm::SmallVector<const clang::Expr *, 2> Writes;
  /// Its address is taken, or it is bound to a reference, or is the object of a
  /// member function.
  bool Escapes = false;
};

class LocalVariables {
public:
  explicit LocalVariables(const clang::Stmt *Body);

  /// Keeps the value it is initialised with for as long as it lives.
  bool isNeverModified(const clang::VarDecl *Variable) const;
  const VariableUse &use(const clang::VarDecl *Variable) const;

private:
  enum class Mode { Read, Write, Escape };
  void walk(const clang::Stmt *S, Mode M, const clang::Expr *Writer);
  void walkChildren(const clang::Stmt *S);
  bool walkCopy(const clang::Expr *E);

  llvm::DenseMap<const clang::VarDecl *, VariableUse> Uses;
  VariableUse Unused;
};

} // namespace sluice

#endif
