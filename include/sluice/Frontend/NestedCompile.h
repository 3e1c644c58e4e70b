// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Compiles the translation unit once more, device side, inside the process,
/// to have its IR before the first function of the real compile is emitted.

#ifndef SLUICE_FRONTEND_NESTEDCOMPILE_H
#define SLUICE_FRONTEND_NESTEDCOMPILE_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace clang {
class ASTContext;
class CodeGenerator;
class CompilerInstance;
} // namespace clang

namespace sluice {

/// Is a nested compile under way in this process? Plugins are run in it again.
bool inNestedCompile();

/// Parses the input of \p Outer and generates IR for it, not optimised, with
/// line tables. \p Then gets the AST and the generator that holds the module,
/// both alive only during the call. Returns false, having printed nothing, when
/// the input has errors: the outer compile will print them.
bool compileNested(
    clang::CompilerInstance &Outer,
    llvm::function_ref<void(clang::ASTContext &, clang::CodeGenerator &)> Then);

} // namespace sluice

#endif
