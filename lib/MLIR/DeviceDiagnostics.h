// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What LLVM's passes say becomes MLIR's remarks and diagnostics.

#ifndef SLUICE_LIB_MLIR_DEVICEDIAGNOSTICS_H
#define SLUICE_LIB_MLIR_DEVICEDIAGNOSTICS_H

#include "Places.h"
#include "mlir/IR/Operation.h"
#include "llvm/IR/DiagnosticHandler.h"
#include <set>
#include <string>

namespace llvm {
class DiagnosticInfoOptimizationBase;
} // namespace llvm

namespace sluice {

/// For the LLVM context of \p Module's code. Remarks go to the MLIR context's
/// remark engine, in the category that is the pass's name
/// (`--remarks-filter=sluice.*`), each once; errors and warnings to its
/// diagnostics.
class DeviceDiagnostics : public llvm::DiagnosticHandler {
public:
  DeviceDiagnostics(mlir::Operation *Module, const Places &P)
      : Module(Module), P(P) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &DI) override;
  bool isAnalysisRemarkEnabled(llvm::StringRef) const override {
    return isHeard();
  }
  bool isMissedOptRemarkEnabled(llvm::StringRef) const override {
    return isHeard();
  }
  bool isPassedOptRemarkEnabled(llvm::StringRef) const override {
    return isHeard();
  }
  bool isAnyRemarkEnabled() const override { return true; }

private:
  bool isHeard() const;
  void emitRemark(const llvm::DiagnosticInfoOptimizationBase &R);
  mlir::Location locationOf(const llvm::DiagnosticInfo &DI) const;

  mlir::Operation *Module;
  const Places &P;
  /// Code that was unrolled says one thing many times.
  std::set<std::pair<const void *, std::string>> Said;
};

} // namespace sluice

#endif
