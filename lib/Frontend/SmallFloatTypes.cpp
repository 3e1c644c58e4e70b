// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Frontend/SmallFloatTypes.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/Twine.h"

using namespace clang;

static void letAlias(ASTContext &Context, const llvm::Twine &Name) {
  IdentifierInfo &Id = Context.Idents.get(Name.str());
  for (NamedDecl *D : Context.getTranslationUnitDecl()->lookup(&Id)) {
    if (auto *Alias = dyn_cast<TypedefNameDecl>(D))
      D = Alias->getUnderlyingType()->getAsTagDecl();
    auto *Type = dyn_cast_or_null<TagDecl>(D);
    if (!Type)
      continue;
    for (Decl *Declared : Type->redecls())
      if (!Declared->hasAttr<MayAliasAttr>())
        Declared->addAttr(MayAliasAttr::CreateImplicit(Context));
  }
}

void sluice::letSmallFloatsAlias(ASTContext &Context) {
  for (const char *Number :
       {"__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"}) {
    letAlias(Context, Number);
    letAlias(Context, llvm::Twine(Number) + "_raw");
  }
  for (const char *Several : {"", "x2", "x4"})
    for (const char *Format : {"8", "6", "4"})
      for (const char *Bits : {"e5m2", "e4m3", "e8m0", "e3m2", "e2m3", "e2m1"})
        letAlias(Context,
                 llvm::Twine("__nv_fp") + Format + Several + "_" + Bits);
}
