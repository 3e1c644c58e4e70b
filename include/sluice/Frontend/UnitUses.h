// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How a translation unit uses what no other one can reach: static variables
/// that nothing modifies, and static functions with all their calls.

#ifndef SLUICE_FRONTEND_UNITUSES_H
#define SLUICE_FRONTEND_UNITUSES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class ASTContext;
class CallExpr;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace sluice {

class UnitUses {
public:
  explicit UnitUses(clang::ASTContext &Context);

  /// Is \p Variable, of static storage, what it is initialised with, always?
  bool isNeverModified(const clang::VarDecl *Variable) const;
  /// Every call of \p Function there can be; empty: not known.
  llvm::ArrayRef<const clang::CallExpr *>
  callsOf(const clang::FunctionDecl *Function) const;

private:
  class Visitor;
  llvm::SmallPtrSet<const clang::VarDecl *, 16> Modified;
  llvm::SmallPtrSet<const clang::FunctionDecl *, 16> Taken;
  llvm::DenseMap<const clang::FunctionDecl *,
                 llvm::SmallVector<const clang::CallExpr *, 2>>
      Calls;
};

} // namespace sluice

#endif
