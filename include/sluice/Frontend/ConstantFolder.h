// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Folds host expressions that are constant in effect though not in the
/// language: `int n = 4096; (n + 255) / 256`, or PolyBench's
/// `(size_t)ceil((float)N / (float)block.x)`.

#ifndef SLUICE_FRONTEND_CONSTANTFOLDER_H
#define SLUICE_FRONTEND_CONSTANTFOLDER_H

#include "sluice/Frontend/LocalVariables.h"
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace clang {
class ASTContext;
class BinaryOperator;
class CallExpr;
class FunctionDecl;
class ParmVarDecl;
class QualType;
} // namespace clang

namespace sluice {

class ConstantFolder {
public:
  using Dim = std::array<std::optional<uint64_t>, 3>;

  explicit ConstantFolder(const clang::ASTContext &Context)
      : Context(Context) {}

  std::optional<int64_t> integer(const clang::Expr *E);
  /// Of a dim3, or of the integer that one is made from; 1 where left out.
  Dim dim(const clang::Expr *E);

private:
  /// A number: an integer (its bits, sign-extended from its width) or a double.
  struct Number {
    bool IsFloat = false;
    int64_t Integer = 0;
    double Float = 0;
  };
  std::optional<Number> number(const clang::Expr *E);
  std::optional<Number> ofVariable(const clang::VarDecl *Variable);
  std::optional<Number> ofCall(const clang::CallExpr *Call);
  std::optional<Number> ofBinary(const clang::BinaryOperator *Op);
  std::optional<Number> convert(Number N, clang::QualType To) const;
  Number wrap(int64_t Value, clang::QualType Type) const;
  const clang::Expr *initializer(const clang::VarDecl *Variable);

  const clang::ASTContext &Context;
  unsigned Depth = 0;
  llvm::DenseMap<const clang::ParmVarDecl *, Number> Parameters;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<LocalVariables>>
      Bodies;
};

} // namespace sluice

#endif
