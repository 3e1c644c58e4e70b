// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceDiagnostics.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"

using namespace mlir;
using namespace sluice;

bool DeviceDiagnostics::isHeard() const {
  return Module->getContext()->getRemarkEngine(); // which filters
}

/// Where the operation stood; or else its function, or the module.
Location DeviceDiagnostics::locationOf(const llvm::DiagnosticInfo &DI) const {
  const auto *Located = dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&DI);
  if (!Located)
    return Module->getLoc();
  if (Located->isLocationAvailable()) {
    StringRef File;
    unsigned Line, Column;
    Located->getLocation(File, Line, Column);
    if (LocationAttr At = P.locationOf(Line, Column))
      return At;
    if (!P.areNumbered())
      return FileLineColLoc::get(Module->getContext(), File, Line, Column);
  }
  Operation *F =
      SymbolTable::lookupSymbolIn(Module, Located->getFunction().getName());
  return F ? F->getLoc() : Module->getLoc();
}

static std::string textOf(const llvm::DiagnosticInfo &DI) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  llvm::DiagnosticPrinterRawOStream Printer(OS);
  DI.print(Printer);
  return Text;
}

void DeviceDiagnostics::emitRemark(
    const llvm::DiagnosticInfoOptimizationBase &R) {
  const Location At = locationOf(R);
  const std::string Message = R.getMsg();
  if (!Said.emplace(At.getAsOpaquePointer(), Message).second)
    return;
  // The engine may keep the names for longer than this lives.
  auto Keep = [&](StringRef Text) {
    return StringAttr::get(At.getContext(), Text).getValue();
  };
  const auto Opts = remark::RemarkOpts::name(Keep(R.getRemarkName()))
                        .category(Keep(R.getPassName()))
                        .function(Keep(R.getFunction().getName()));
  switch (R.getKind()) {
  case llvm::DK_OptimizationRemark:
    remark::passed(At, Opts) << Message;
    return;
  case llvm::DK_OptimizationRemarkMissed:
    remark::missed(At, Opts) << Message;
    return;
  default:
    remark::analysis(At, Opts) << Message;
  }
}

bool DeviceDiagnostics::handleDiagnostics(const llvm::DiagnosticInfo &DI) {
  if (const auto *R = dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&DI)) {
    if (isHeard())
      emitRemark(*R);
    return true;
  }
  switch (DI.getSeverity()) {
  case llvm::DS_Error:
    emitError(locationOf(DI)) << textOf(DI);
    break;
  case llvm::DS_Warning:
    emitWarning(locationOf(DI)) << textOf(DI);
    break;
  default:
    break; // notes and remarks of LLVM's own passes
  }
  return true;
}
