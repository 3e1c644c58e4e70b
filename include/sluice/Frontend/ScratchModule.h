// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// IR of a file that has been parsed, for analysis alone: generated beside
/// clang's own, which comes after it and knows nothing of it.

#ifndef SLUICE_FRONTEND_SCRATCHMODULE_H
#define SLUICE_FRONTEND_SCRATCHMODULE_H

#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "llvm/IR/LLVMContext.h"
#include <memory>

namespace clang {
class CodeGenerator;
class CompilerInstance;
} // namespace clang

namespace sluice {

class RecordingConsumer;

class ScratchModule {
public:
  /// Generates code for what \p Record holds, not optimised, with line tables.
  ScratchModule(clang::CompilerInstance &CI, RecordingConsumer &Record);
  ~ScratchModule();

  /// Null where no code can be generated: clang's own generator will say why.
  clang::CodeGenerator *generator();

private:
  clang::CodeGenOptions Options;
  clang::DiagnosticOptions Silent;
  clang::DiagnosticsEngine Diagnostics;
  llvm::LLVMContext Context;
  std::unique_ptr<clang::CodeGenerator> Generator;
};

} // namespace sluice

#endif
