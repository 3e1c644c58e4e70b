// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Places.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace sluice;

/// What fits into a debug location's column.
static constexpr size_t MostColumns = UINT16_MAX;

/// A place in a file that \p At has in it, the innermost of calls; null: none.
static FileLineColLoc fileOf(LocationAttr At) {
  FileLineColLoc Found;
  if (At)
    At.walk([&](Attribute Part) {
      Found = dyn_cast<FileLineColLoc>(Part);
      return Found ? WalkResult::interrupt() : WalkResult::advance();
    });
  return Found;
}

static bool hasDebugInfo(LLVM::LLVMFuncOp F) {
  return bool(
      F.getLoc()->findInstanceOf<FusedLocWith<LLVM::DISubprogramAttr>>());
}

/// Of which nothing is written out.
static LLVM::DISubprogramAttr subprogramFor(LLVM::LLVMFuncOp F, StringRef File,
                                            unsigned Line) {
  MLIRContext *C = F.getContext();
  auto Unique = [&] { return DistinctAttr::create(UnitAttr::get(C)); };
  auto InFile = LLVM::DIFileAttr::get(C, llvm::sys::path::filename(File),
                                      llvm::sys::path::parent_path(File));
  auto Unit = LLVM::DICompileUnitAttr::get(
      Unique(), llvm::dwarf::DW_LANG_C, InFile, StringAttr::get(C, "sluice"),
      /*isOptimized=*/true, LLVM::DIEmissionKind::None);
  auto Type = LLVM::DISubroutineTypeAttr::get(C, llvm::dwarf::DW_CC_normal, {});
  return LLVM::DISubprogramAttr::get(
      C, Unique(), Unit, InFile, F.getSymNameAttr(), F.getSymNameAttr(), InFile,
      Line, Line,
      LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized,
      Type, {}, {});
}

/// Of \p Module, or what to call it.
static std::string fileNameOf(Operation *Module) {
  FileLineColLoc At = fileOf(Module->getLoc());
  return At ? At.getFilename().str() : "module.mlir";
}

std::string sluice::sourceNameOf(Operation *Module) {
  std::string Name = llvm::sys::path::filename(fileNameOf(Module)).str();
  auto Symbol =
      Module->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  return Symbol ? Name + "@" + Symbol.str() : Name;
}

Places::Places(Operation *Module) {
  MLIRContext *C = Module->getContext();
  size_t Number = 0;
  bool HasAny = false;
  Module->walk([&](LLVM::LLVMFuncOp F) { HasAny |= hasDebugInfo(F); });
  Module->walk([&](Operation *) { ++Number; });
  if (HasAny || Number > MostColumns)
    return;
  const std::string Unnamed = fileNameOf(Module);
  Module->walk<WalkOrder::PreOrder>([&](LLVM::LLVMFuncOp F) {
    if (F.isExternal())
      return;
    FileLineColLoc At = fileOf(F.getLoc());
    StringRef File = At ? At.getFilename().getValue() : Unnamed;
    auto Renumber = [&](Operation *Op) {
      FileLineColLoc Own = fileOf(Op->getLoc());
      const bool IsHere = Own && At && Own.getFilename() == At.getFilename();
      const unsigned Column = ByColumn.size() + 1;
      const unsigned Line = IsHere ? Own.getLine() : Column;
      ByColumn.push_back({Line, Op->getLoc()});
      return FileLineColLoc::get(C, File, Line, Column);
    };
    FileLineColLoc FunctionAt = Renumber(F);
    F.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *Op) { Op->setLoc(Renumber(Op)); });
    F->setLoc(FusedLoc::get(C, {FunctionAt},
                            subprogramFor(F, File, FunctionAt.getLine())));
  });
}

LocationAttr Places::locationOf(unsigned Line, unsigned Column) const {
  if (Column == 0 || Column > ByColumn.size())
    return {};
  const Numbered &Op = ByColumn[Column - 1];
  return Op.Line == Line ? Op.Was : LocationAttr();
}

/// Null: \p At is nothing that was numbered.
LocationAttr Places::original(LocationAttr At) const {
  if (auto Fused = dyn_cast<FusedLoc>(At)) // with its scope
    return Fused.getLocations().empty()
               ? LocationAttr()
               : original(Fused.getLocations().front());
  if (auto Call = dyn_cast<CallSiteLoc>(At)) {
    LocationAttr Callee = original(Call.getCallee());
    LocationAttr Caller = original(Call.getCaller());
    if (!Callee || !Caller)
      return Callee ? Callee : Caller;
    return CallSiteLoc::get(Location(Callee), Location(Caller));
  }
  auto InFile = dyn_cast<FileLineColLoc>(At);
  return InFile ? locationOf(InFile.getLine(), InFile.getColumn())
                : LocationAttr();
}

void Places::restore(Operation *Module) const {
  if (ByColumn.empty())
    return;
  Module->walk([&](LLVM::LLVMFuncOp F) {
    LocationAttr Was = original(F.getLoc());
    Location Own = Was ? Location(Was) : UnknownLoc::get(F.getContext());
    F->setLoc(Own);
    auto Restored = [&](Location At) {
      LocationAttr Before = original(At);
      return Before ? Location(Before) : Own;
    };
    F.getBody().walk(
        [&](Operation *Op) { Op->setLoc(Restored(Op->getLoc())); });
    F.getBody().walk([&](Block *B) {
      for (BlockArgument Argument : B->getArguments())
        Argument.setLoc(Restored(Argument.getLoc()));
    });
  });
}
