// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ConstantFolder's part for structs: each field of a dim3, or of a launch's
// configuration, is folded by itself, by its path from the variable.

#include "sluice/Frontend/ConstantFolder.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace sluice;
using namespace clang;

/// Which component of a dim3 a member is, or 3.
static unsigned componentOf(const FieldDecl *Field) {
  llvm::StringRef Name = Field->getName();
  return Name == "x" ? 0 : Name == "y" ? 1 : Name == "z" ? 2 : 3;
}

static bool isDim3(QualType T) {
  if (T.isNull())
    return false;
  const auto *Record = T.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() && Record->getName() == "dim3";
}

std::optional<ConstantFolder::Number>
ConstantFolder::partOfList(const InitListExpr *List, Path Part) {
  const auto *Record = List->getType()->getAsCXXRecordDecl();
  if (const InitListExpr *Semantic = List->getSemanticForm())
    List = Semantic;
  if (!Record || Record->getNumBases() != 0 || Record->isUnion() ||
      Part.front()->getParent()->getCanonicalDecl() !=
          Record->getCanonicalDecl() ||
      Part.front()->getFieldIndex() >= List->getNumInits())
    return std::nullopt;
  return partOf(List->getInit(Part.front()->getFieldIndex()),
                Part.drop_front());
}

std::optional<ConstantFolder::Number> ConstantFolder::partOf(const Expr *E,
                                                             Path Part) {
  if (Part.empty())
    return number(E);
  E = understandable(E);
  Scope Level(*this);
  if (!E || Level.isTooMuch())
    return std::nullopt;
  MemberPath Whole;
  if (const DeclRefExpr *Ref = splitMembers(E, Whole)) {
    Whole.append(Part.begin(), Part.end());
    return partOf(Ref, Whole);
  }
  if (isDim3(E->getType())) {
    unsigned Component = componentOf(Part.front());
    if (Part.size() != 1 || Component > 2)
      return std::nullopt;
    auto Value = dim(E)[Component];
    return Value ? std::optional<Number>(
                       wrap(int64_t(*Value), Part.front()->getType()))
                 : std::nullopt;
  }
  if (const auto *List = dyn_cast<InitListExpr>(E))
    return partOfList(List, Part);
  if (const auto *Cast = dyn_cast<CastExpr>(E);
      Cast && (Cast->getCastKind() == CK_NoOp ||
               Cast->getCastKind() == CK_LValueToRValue))
    return partOf(Cast->getSubExpr(), Part);
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E);
      Construct && Construct->getNumArgs() == 1 &&
      Construct->getConstructor()->isCopyOrMoveConstructor() &&
      Construct->getConstructor()->isTrivial())
    return partOf(Construct->getArg(0), Part);
  return std::nullopt;
}

static std::optional<uint64_t> sizeOf(std::optional<int64_t> Value) {
  return Value && *Value >= 0 ? std::optional<uint64_t>(*Value) : std::nullopt;
}

ConstantFolder::Dim ConstantFolder::dim(const Expr *E) {
  Dim Unknown;
  E = understandable(E);
  Scope Level(*this);
  if (!E || Level.isTooMuch())
    return Unknown;
  if (E->getType()->isIntegralOrEnumerationType())
    return {sizeOf(integer(E)), 1, 1};
  if (!isDim3(E->getType()))
    return Unknown;

  MemberPath Whole;
  if (const DeclRefExpr *Ref = splitMembers(E, Whole)) {
    Dim D;
    for (const FieldDecl *Field :
         E->getType()->getAsCXXRecordDecl()->fields()) {
      MemberPath Part = Whole;
      Part.push_back(Field);
      auto N = partOf(Ref, Part);
      if (unsigned Component = componentOf(Field);
          Component <= 2 && N && !N->IsFloat)
        D[Component] = sizeOf(N->Integer);
    }
    return D;
  }
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    if (Construct->getNumArgs() == 1 && isDim3(Construct->getArg(0)->getType()))
      return dim(Construct->getArg(0)); // a copy
    Dim D = {1, 1, 1};
    for (unsigned I = 0; I < Construct->getNumArgs(); ++I) {
      const Expr *Size = understandable(Construct->getArg(I));
      if (I >= 3 || !Size || !Size->getType()->isIntegralOrEnumerationType())
        return Unknown; // from another struct
      D[I] = sizeOf(integer(Size));
    }
    return D;
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return dim(Cast->getSubExpr());
  if (const auto *List = dyn_cast<InitListExpr>(E);
      List && List->getNumInits() == 1)
    return dim(List->getInit(0));
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    if (auto C = integer(Choice->getCond()))
      return dim(*C ? Choice->getTrueExpr() : Choice->getFalseExpr());
    Dim A = dim(Choice->getTrueExpr()), B = dim(Choice->getFalseExpr());
    for (unsigned I = 0; I < 3; ++I)
      if (A[I] != B[I])
        A[I] = std::nullopt;
    return A;
  }
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    Bindings Values;
    const Expr *Result = returned(Call, Values);
    if (!Result)
      return Unknown;
    std::swap(Parameters, Values);
    Dim D = dim(Result);
    std::swap(Parameters, Values);
    return D;
  }
  return Unknown;
}

/// The variable that \p Pointer points to, and its field \p Field.
const DeclRefExpr *ConstantFolder::pointee(const Expr *Pointer,
                                           llvm::StringRef Field,
                                           MemberPath &Part) {
  Pointer = understandable(Pointer);
  const auto *AddressOf =
      Pointer ? dyn_cast<UnaryOperator>(Pointer->IgnoreParenImpCasts())
              : nullptr;
  if (!AddressOf || AddressOf->getOpcode() != UO_AddrOf)
    return nullptr;
  const DeclRefExpr *Ref = splitMembers(AddressOf->getSubExpr(), Part);
  const auto *Record = AddressOf->getSubExpr()->getType()->getAsCXXRecordDecl();
  if (!Ref || !Record)
    return nullptr;
  for (const FieldDecl *F : Record->fields())
    if (F->getName() == Field) {
      Part.push_back(F);
      return Ref;
    }
  return nullptr;
}

ConstantFolder::Dim ConstantFolder::dimField(const Expr *Pointer,
                                             llvm::StringRef Field) {
  Dim D;
  MemberPath Part;
  const DeclRefExpr *Ref = pointee(Pointer, Field, Part);
  const auto *Record =
      Ref ? Part.back()->getType()->getAsCXXRecordDecl() : nullptr;
  if (!Record)
    return D;
  for (const FieldDecl *F : Record->fields()) {
    Part.push_back(F);
    auto N = partOf(Ref, Part);
    if (unsigned Component = componentOf(F); Component <= 2 && N && !N->IsFloat)
      D[Component] = sizeOf(N->Integer);
    Part.pop_back();
  }
  return D;
}

std::optional<int64_t> ConstantFolder::integerField(const Expr *Pointer,
                                                    llvm::StringRef Field) {
  MemberPath Part;
  const DeclRefExpr *Ref = pointee(Pointer, Field, Part);
  auto N = Ref ? partOf(Ref, Part) : std::nullopt;
  return N && !N->IsFloat ? std::optional<int64_t>(N->Integer) : std::nullopt;
}
