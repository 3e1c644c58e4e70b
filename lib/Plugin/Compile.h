// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the clang plugin asks of a compile, and how it speaks.

#ifndef SLUICE_PLUGIN_COMPILE_H
#define SLUICE_PLUGIN_COMPILE_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/FrontendOptions.h"
#include <string>
#include <vector>

namespace clang {
class CodeGenOptions;
class CompilerInstance;
} // namespace clang
namespace llvm {
class DILocation;
} // namespace llvm

namespace sluice {

void report(clang::CompilerInstance &CI, clang::DiagnosticsEngine::Level Level,
            llvm::StringRef Message);

bool emitsCode(clang::frontend::ActionKind Action);

/// When our passes do not run in this compile; empty: they do.
llvm::StringRef whenNoPasses(const clang::CompilerInstance &CI);

/// Do our passes run in this compile? Else warns that therefore \p Effect.
bool doPassesRun(clang::CompilerInstance &CI, llvm::StringRef Effect);

/// Why what a device compile leaves for the host would not arrive; empty: it
/// will.
llvm::StringRef unreachableHost(const clang::CompilerInstance &CI);

/// Where ptxas would not take its pragma for spills to shared memory, as it
/// compiles for a link or for a debugger, takes the leave for it out of
/// \p Args, Sluice's options; with a warning if it was asked for.
void keepSpillsLocal(clang::CompilerInstance &CI,
                     std::vector<std::string> &Args);

/// Has \p Args, Sluice's options, ask for what writes down which products are
/// fused, unless they say something about it. Where code is linked to other
/// code, or products are fused in another way than by default, that is not
/// known, and they no longer ask for it.
void askForRounding(const clang::CompilerInstance &CI,
                    std::vector<std::string> &Args);

/// Is what stands at \p At, a place of this compile, a system header's?
bool isOfLibrary(clang::CompilerInstance &CI, const llvm::DILocation &At);

/// Has passes told the places of accesses, in IR alone. Call it before clang's
/// code generator is made.
void trackPlaces(clang::CodeGenOptions &CodeGen);

} // namespace sluice

#endif
