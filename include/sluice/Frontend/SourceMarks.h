// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the user writes into the source to keep Sluice away:
/// `__attribute__((annotate("sluice:off")))` on a kernel, `#pragma sluice off`
/// before a statement. This library registers the pragma's handler. And what to
/// ask for an approximate kernel: `annotate("sluice:sfu=N")`.

#ifndef SLUICE_FRONTEND_SOURCEMARKS_H
#define SLUICE_FRONTEND_SOURCEMARKS_H

#include "sluice/Analysis/SourcePlace.h"
#include <optional>

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

/// N of `annotate("sluice:sfu=N")`.
std::optional<unsigned> markedSfuWarps(const clang::FunctionDecl &Kernel);

/// Where statements under `#pragma sluice off` begin, as far as this process
/// has read them. Those in precompiled headers have the attribute
/// `[[clang::annotate("sluice:off")]]` instead.
std::vector<SourcePlace> &offPlaces();

} // namespace sluice

#endif
