// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which value a local variable, or a member of one, has where it is read:
///
///     dim3 block;
///     block.x = 256;         // block.x is this 256 ...
///     if (log)
///       print(n);
///     k<<<n, block>>>(p);    // ... here, and block.y its constructor's 1
///
/// Known where a straight line leads from the write to the read, or where there
/// is no write at all behind the declaration.

#ifndef SLUICE_FRONTEND_REACHINGVALUES_H
#define SLUICE_FRONTEND_REACHINGVALUES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class CallExpr;
class DeclRefExpr;
class Expr;
class FieldDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace sluice {

/// Fields from a variable to a part of it, the outermost first.
using MemberPath = llvm::SmallVector<const clang::FieldDecl *, 2>;

/// `v.a.b`: the reference to v, and a and b; null for other expressions.
const clang::DeclRefExpr *splitMembers(const clang::Expr *E, MemberPath &Path);

/// Is it cudaLaunchKernelEx or cudaLaunchKernelExC, which read the
/// configuration that their first argument points to?
bool isConfiguredLaunch(const clang::CallExpr *Call);

class ReachingValues {
public:
  explicit ReachingValues(const clang::Stmt *Body);

  struct Value {
    /// What was written last; null: not known.
    const clang::Expr *Written = nullptr;
    /// The part of it that was asked for.
    MemberPath Part;
    /// A parameter that is not written before: its value is the argument's.
    bool IsArgument = false;
  };
  /// What \p Ref's variable, a local one or a parameter of the function with
  /// the body, has at \p Path where \p Ref reads it.
  Value valueAt(const clang::DeclRefExpr *Ref,
                llvm::ArrayRef<const clang::FieldDecl *> Path) const;

private:
  struct Write {
    MemberPath Path;
    const clang::Stmt *Where = nullptr; ///< The statement that assigns.
    const clang::Expr *Value = nullptr; ///< Null: computed from the old one.
  };
  struct Use {
    llvm::SmallVector<Write, 2> Writes;
    const clang::Stmt *Declared = nullptr;
    /// It can be written from where no write shows.
    bool Escapes = false;
  };
  void addTree(const clang::Stmt *S, const clang::Stmt *Parent);
  void addUse(const clang::DeclRefExpr *Ref);
  bool isRead(const clang::Expr *E, const clang::Stmt *Operand) const;
  const clang::Stmt *parent(const clang::Stmt *S) const {
    return Parents.lookup(S);
  }
  bool isIn(const clang::Stmt *Inner, const clang::Stmt *Outer) const;
  bool isInLambda(const clang::Stmt *S) const;

  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> Parents;
  llvm::SmallVector<const clang::DeclRefExpr *, 32> Refs;
  llvm::DenseMap<const clang::VarDecl *, Use> Uses;
  bool HasLabels = false;
};

} // namespace sluice

#endif
