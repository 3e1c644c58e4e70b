// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Folds host expressions that are constant in effect though not in the
/// language: `int n = 4096; (n + 255) / 256`, or PolyBench's
/// `(size_t)ceil((float)N / (float)block.x)`. What is folded has that value
/// whenever the expression is evaluated; for all else there is no answer.

#ifndef SLUICE_FRONTEND_CONSTANTFOLDER_H
#define SLUICE_FRONTEND_CONSTANTFOLDER_H

#include "sluice/Frontend/ReachingValues.h"
#include "sluice/Frontend/UnitUses.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace clang {
class ASTContext;
class BinaryOperator;
class FunctionDecl;
class InitListExpr;
class ParmVarDecl;
class QualType;
class UnaryOperator;
} // namespace clang

namespace sluice {

class ConstantFolder {
public:
  using Dim = std::array<std::optional<uint64_t>, 3>;

  explicit ConstantFolder(clang::ASTContext &Context) : Context(Context) {}

  std::optional<int64_t> integer(const clang::Expr *E);
  /// Of a dim3, or of the integer that one is made from; 1 where left out.
  Dim dim(const clang::Expr *E);
  /// Of \p Field of the struct that \p Pointer, written `&variable`, points to.
  Dim dimField(const clang::Expr *Pointer, llvm::StringRef Field);
  std::optional<int64_t> integerField(const clang::Expr *Pointer,
                                      llvm::StringRef Field);
  /// What \p E is each time: a local variable's one value, or \p E itself.
  const clang::Expr *definition(const clang::Expr *E);

private:
  /// A number: an integer (its bits, sign-extended from its width) or a double.
  struct Number {
    bool IsFloat = false;
    int64_t Integer = 0;
    double Float = 0;
    friend bool operator==(const Number &A, const Number &B) {
      return A.IsFloat == B.IsFloat && A.Integer == B.Integer &&
             A.Float == B.Float;
    }
  };
  using Bindings = llvm::DenseMap<const clang::ParmVarDecl *, Number>;
  using Path = llvm::ArrayRef<const clang::FieldDecl *>;

  /// Counts what is under way, so that no expression takes for ever.
  class Scope {
  public:
    explicit Scope(ConstantFolder &Folder);
    ~Scope() { --Folder.Depth; }
    bool isTooMuch() const;

  private:
    ConstantFolder &Folder;
  };

  static const clang::Expr *understandable(const clang::Expr *E);
  std::optional<Number> number(const clang::Expr *E);
  /// Of the part \p Part of the object that \p E is.
  std::optional<Number> partOf(const clang::Expr *E, Path Part);
  std::optional<Number> partOf(const clang::DeclRefExpr *Ref, Path Part);
  std::optional<Number> partOfList(const clang::InitListExpr *List, Path Part);
  ReachingValues::Value valueOf(const clang::DeclRefExpr *Ref, Path Part);
  std::optional<Number> ofParameter(const clang::ParmVarDecl *Parameter);
  std::optional<Number> ofRounding(const clang::CallExpr *Call);
  std::optional<Number> ofMinOrMax(const clang::CallExpr *Call);
  std::optional<Number> ofUnary(const clang::UnaryOperator *Op);
  std::optional<Number> ofBinary(const clang::BinaryOperator *Op);
  std::optional<Number> convert(Number N, clang::QualType To) const;
  Number wrap(int64_t Value, clang::QualType Type) const;
  /// The one expression that \p Call returns, and its parameters' values.
  const clang::Expr *returned(const clang::CallExpr *Call, Bindings &Values);
  const clang::DeclRefExpr *pointee(const clang::Expr *Pointer,
                                    llvm::StringRef Field, MemberPath &Part);
  UnitUses &uses();

  clang::ASTContext &Context;
  unsigned Depth = 0, Steps = 0;
  Bindings Parameters;
  llvm::DenseMap<const clang::ParmVarDecl *, std::optional<Number>> Arguments;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<ReachingValues>>
      Bodies;
  std::unique_ptr<UnitUses> Uses;
};

} // namespace sluice

#endif
