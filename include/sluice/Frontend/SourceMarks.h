// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the user writes into the source to keep Sluice away:
/// `__attribute__((annotate("sluice:off")))` on a kernel, `#pragma sluice off`
/// before a statement. The pragma's handler is registered by this library; it
/// puts `[[clang::annotate("sluice:off")]]` before the statement, which
/// templates and precompiled headers carry along.

#ifndef SLUICE_FRONTEND_SOURCEMARKS_H
#define SLUICE_FRONTEND_SOURCEMARKS_H

namespace clang {
class AttributedStmt;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace sluice {

bool isSwitchedOff(const clang::FunctionDecl &Kernel);
bool isSwitchedOff(const clang::AttributedStmt &S);
/// Of a local variable: the mark stands before its declaration.
bool isSwitchedOff(const clang::VarDecl &Variable);

} // namespace sluice

#endif
