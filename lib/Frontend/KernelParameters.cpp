// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Frontend/KernelParameters.h"
#include "sluice/Frontend/LocalVariables.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
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

std::vector<KernelParameter> sluice::parametersOf(const FunctionDecl &Kernel,
                                                  const llvm::Function &F) {
  // Where a parameter is passed as none or as several, numbers mean others.
  if (F.arg_size() != Kernel.getNumParams())
    return {};
  const ASTContext &Context = Kernel.getASTContext();
  LocalVariables Body(Kernel.getBody());
  std::vector<KernelParameter> Parameters;
  for (const ParmVarDecl *P : Kernel.parameters()) {
    KernelParameter Parameter;
    Parameter.Name = P->getName().str();
    QualType Type = P->getType();
    if (!isPlainInteger(Type, Context) ||
        !F.getArg(P->getFunctionScopeIndex())
             ->getType()
             ->isIntegerTy(Context.getIntWidth(Type))) {
      Parameter.Untestable = "is no plain integer";
    } else {
      unsigned Bits =
          Context.getIntWidth(Type) - Type->isSignedIntegerOrEnumerationType();
      Parameter.Largest = llvm::maxIntN(std::min(Bits + 1, 64U));
      Parameter.Untestable = changeOf(*P, Body);
    }
    Parameters.push_back(std::move(Parameter));
  }
  return Parameters;
}
