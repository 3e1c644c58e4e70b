// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How a function body uses its variables: where each is written, and whether
/// it can be written from where the body does not show.

#ifndef SLUICE_FRONTEND_LOCALVARIABLES_H
#define SLUICE_FRONTEND_LOCALVARIABLES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace clang {
class CallExpr;
class Expr;
class FunctionDecl;
class LambdaExpr;
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

class LocalVariables;

/// Of functions that are called, each looked at once. Null: it has no body, or
/// is being looked at.
using CalleeVariables = llvm::DenseMap<const clang::FunctionDecl *,
                                       std::unique_ptr<LocalVariables>>;

class LocalVariables {
public:
  explicit LocalVariables(const clang::Stmt *Body)
      : LocalVariables(Body, nullptr) {}
  /// Looks into functions that get a variable by reference, or as their object:
  /// with those that only read it, it does not escape.
  LocalVariables(const clang::Stmt *Body, CalleeVariables &Callees)
      : LocalVariables(Body, &Callees) {}

  /// Keeps the value it is initialised with for as long as it lives.
  bool isNeverModified(const clang::VarDecl *Variable) const;
  const VariableUse &use(const clang::VarDecl *Variable) const;

private:
  LocalVariables(const clang::Stmt *Body, CalleeVariables *Callees);

  enum class Mode { Read, Write, Escape };
  static void note(VariableUse &Use, Mode M, const clang::Expr *Writer);
  void walk(const clang::Stmt *S, Mode M, const clang::Expr *Writer);
  void walkChildren(const clang::Stmt *S);
  bool walkCopy(const clang::Expr *E);
  void walkCaptures(const clang::LambdaExpr &Lambda);
  bool walkCall(const clang::CallExpr *Call);
  const LocalVariables *usesIn(const clang::FunctionDecl &Definition);

  CalleeVariables *Callees; ///< Null: they are not looked into.
  llvm::DenseMap<const clang::VarDecl *, VariableUse> Uses;
  VariableUse Object; ///< Of a member function.
  VariableUse Unused;
};

} // namespace sluice

#endif
