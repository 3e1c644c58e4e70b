// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Modules from text, with and without the code that traces.

#ifndef SLUICE_UNITTESTS_TRANSFORMS_MODULESFORTRACING_H
#define SLUICE_UNITTESTS_TRANSFORMS_MODULESFORTRACING_H

#include "sluice/Analysis/AnalysisManagers.h"
#include "sluice/Transforms/TracePass.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

namespace sluice {

inline std::unique_ptr<llvm::Module> parse(llvm::StringRef Text,
                                           llvm::LLVMContext &C) {
  llvm::SMDiagnostic D;
  auto M = llvm::parseAssemblyString(Text, D, C);
  EXPECT_TRUE(M) << D.getMessage().str();
  return M;
}

inline void instrument(llvm::Module &M) {
  llvm::PassBuilder PB;
  AnalysisManagers Analyses(PB);
  TracePass().run(M, Analyses.OfModules);
  EXPECT_FALSE(llvm::verifyModule(M, &llvm::errs()));
}

inline std::string textOf(const llvm::Module &M) {
  std::string Text;
  llvm::raw_string_ostream(Text) << M;
  return Text;
}

} // namespace sluice

#endif
