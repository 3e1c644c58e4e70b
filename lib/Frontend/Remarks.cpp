// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ways: clang's diagnostics at once, since only the front end has the
// places; and a list for the optimisation record, which belongs to a module and
// is written by a pass.

#include "sluice/Frontend/Remarks.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include "llvm/IR/Module.h"

using namespace sluice;

/// Kept, and not yet in an optimisation record. clang runs one compile in a
/// process, the front end before the passes.
static std::vector<Remark> &pending() {
  static std::vector<Remark> Remarks;
  return Remarks;
}

void sluice::keepRemark(const Remark &R) { pending().push_back(R); }

void sluice::emitRemark(clang::CompilerInstance &CI, const Remark &R) {
  keepRemark(R);
  printRemark(CI, R);
}

void sluice::printRemark(clang::CompilerInstance &CI, const Remark &R) {
  const clang::CodeGenOptions &Opts = CI.getCodeGenOpts();
  const auto &Wanted = R.Kind == Remark::Passed ? Opts.OptimizationRemark
                       : R.Kind == Remark::Missed
                           ? Opts.OptimizationRemarkMissed
                           : Opts.OptimizationRemarkAnalysis;
  if (!Wanted.patternMatches(R.Pass))
    return;
  unsigned Id =
      R.Kind == Remark::Passed
          ? clang::diag::remark_fe_backend_optimization_remark
      : R.Kind == Remark::Missed
          ? clang::diag::remark_fe_backend_optimization_remark_missed
          : clang::diag::remark_fe_backend_optimization_remark_analysis;
  CI.getDiagnostics().Report(
      clang::SourceLocation::getFromRawEncoding(R.Location), Id)
      << clang::AddFlagValue(R.Pass) << R.Message;
}

void sluice::recordRemarks(llvm::Module &M) {
  std::vector<Remark> Remarks = std::move(pending());
  pending().clear();
  llvm::LLVMContext &Context = M.getContext();
  llvm::LLVMRemarkStreamer *Streamer = Context.getLLVMRemarkStreamer();
  if (!Streamer)
    return;
  for (const Remark &R : Remarks) {
    llvm::Function *F = M.getFunction(R.Function);
    if (!F || F->isDeclaration())
      continue;
    llvm::DiagnosticLocation Location;
    if (llvm::DISubprogram *SP = F->getSubprogram())
      Location = llvm::DebugLoc(
          llvm::DILocation::get(Context, R.Place.Line, R.Place.Column, SP));
    auto Emit = [&](auto &&Diagnostic) {
      Diagnostic << R.Message;
      Streamer->emit(Diagnostic);
    };
    llvm::BasicBlock *BB = &F->getEntryBlock();
    if (R.Kind == Remark::Passed)
      Emit(llvm::OptimizationRemark(R.Pass, R.Name, Location, BB));
    else if (R.Kind == Remark::Missed)
      Emit(llvm::OptimizationRemarkMissed(R.Pass, R.Name, Location, BB));
    else
      Emit(llvm::OptimizationRemarkAnalysis(R.Pass, R.Name, Location, BB));
  }
}
