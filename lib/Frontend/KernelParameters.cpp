// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test stands in the kernel and reads the parameter as it is by then, so one
// that the body may change cannot be tested. Plans number the fields of structs
// in the order that is made here.

#include "sluice/Frontend/KernelParameters.h"
#include "sluice/Frontend/LocalVariables.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/MathExtras.h"

using namespace sluice;
using namespace clang;

/// An integer that is compared by its value: no bool, enumeration or reference,
/// and nothing that is read anew each time.
static bool isPlainInteger(QualType Type, const ASTContext &Context) {
  Type = Type.getCanonicalType();
  return isa<BuiltinType>(Type.getTypePtr()) && Type->isIntegerType() &&
         !Type->isBooleanType() && !Type.isVolatileQualified() &&
         Context.getIntWidth(Type) <= 64;
}

/// "is changed ... at k.cu:7:3"; empty: it keeps its value.
static std::string changeOf(const ParmVarDecl &P, const LocalVariables &Body) {
  if (Body.isNeverModified(&P))
    return "";
  const VariableUse &Use = Body.use(&P);
  if (Use.Writes.empty())
    return "may be changed in the kernel, which takes its address or a "
           "reference to it";
  const SourceManager &SM = P.getASTContext().getSourceManager();
  return "is changed in the kernel at " +
         placeOf(SM, Use.Writes.front()->getExprLoc()).str();
}

static int64_t largestOf(QualType Type, const ASTContext &Context) {
  unsigned Bits =
      Context.getIntWidth(Type) - Type->isSignedIntegerOrEnumerationType();
  return llvm::maxIntN(std::min(Bits + 1, 64U));
}

std::string FieldOfParameter::name() const {
  std::string Name = Parameter->getName().str();
  for (const FieldDecl *Field : Path)
    Name += "." + Field->getName().str();
  return Name;
}

/// Those in \p Type, which \p Outer ends in, or which is its parameter's.
static void addFields(QualType Type, const FieldOfParameter &Outer,
                      const ASTContext &Context,
                      std::vector<FieldOfParameter> &Found) {
  const auto *Record = Type->getAsCXXRecordDecl();
  if (!Record || Record->isUnion() || !Record->hasDefinition() ||
      Record->getDefinition()->getNumBases() != 0 || Type.isVolatileQualified())
    return;
  for (const FieldDecl *Field : Record->getDefinition()->fields()) {
    if (Field->getName().empty() || Field->isBitField() || Field->isMutable())
      continue;
    FieldOfParameter Inner = Outer;
    Inner.Path.push_back(Field);
    if (isPlainInteger(Field->getType(), Context))
      Found.push_back(std::move(Inner));
    else
      addFields(Field->getType(), Inner, Context, Found);
  }
}

std::vector<FieldOfParameter>
sluice::fieldsOfParameters(const FunctionDecl &Kernel) {
  std::vector<FieldOfParameter> Found;
  for (const ParmVarDecl *P : Kernel.parameters())
    if (!P->getName().empty())
      addFields(P->getType(), {P, {}}, Kernel.getASTContext(), Found);
  return Found;
}

std::optional<FieldOfParameter>
sluice::fieldOfParameter(const FunctionDecl &Kernel, unsigned Number) {
  if (Number < Kernel.getNumParams())
    return std::nullopt;
  std::vector<FieldOfParameter> All = fieldsOfParameters(Kernel);
  Number -= Kernel.getNumParams();
  return Number < All.size() ? std::optional(All[Number]) : std::nullopt;
}

static KernelParameter parameterOf(const ParmVarDecl &P,
                                   const llvm::Function &F,
                                   const LocalVariables &Body) {
  const ASTContext &Context = P.getASTContext();
  KernelParameter Parameter;
  Parameter.Name = P.getName().str();
  QualType Type = P.getType();
  if (!isPlainInteger(Type, Context) ||
      !F.getArg(P.getFunctionScopeIndex())
           ->getType()
           ->isIntegerTy(Context.getIntWidth(Type))) {
    Parameter.Untestable = "is no plain integer";
  } else {
    Parameter.Largest = largestOf(Type, Context);
    Parameter.Untestable = changeOf(P, Body);
  }
  return Parameter;
}

static KernelParameter parameterOf(const FieldOfParameter &Field,
                                   const llvm::Function &F,
                                   const LocalVariables &Body) {
  const ASTContext &Context = Field.Parameter->getASTContext();
  const unsigned Struct = Field.Parameter->getFunctionScopeIndex();
  QualType Type = Field.Path.back()->getType();
  uint64_t Bits = 0;
  for (const FieldDecl *Part : Field.Path)
    Bits += Context.getFieldOffset(Part);
  KernelParameter Parameter;
  Parameter.Name = Field.name();
  Parameter.Largest = largestOf(Type, Context);
  Parameter.Untestable = F.getArg(Struct)->hasByValAttr()
                             ? changeOf(*Field.Parameter, Body)
                             : "is not passed by value";
  Parameter.Field = ParameterField{
      Struct,
      uint64_t(Context.toCharUnitsFromBits(int64_t(Bits)).getQuantity()),
      unsigned(Context.getTypeSizeInChars(Type).getQuantity())};
  return Parameter;
}

std::vector<KernelParameter> sluice::parametersOf(const FunctionDecl &Kernel,
                                                  const llvm::Function &F) {
  // Where a parameter is passed as none or as several, numbers mean others.
  if (F.arg_size() != Kernel.getNumParams())
    return {};
  CalleeVariables Callees;
  LocalVariables Body(Kernel.getBody(), Callees);
  std::vector<KernelParameter> Parameters;
  for (const ParmVarDecl *P : Kernel.parameters())
    Parameters.push_back(parameterOf(*P, F, Body));
  for (const FieldOfParameter &Field : fieldsOfParameters(Kernel))
    Parameters.push_back(parameterOf(Field, F, Body));
  return Parameters;
}
