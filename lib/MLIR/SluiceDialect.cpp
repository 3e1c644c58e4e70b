// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SluiceDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Target/LLVMIR/LLVMImportInterface.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

using namespace mlir;
using namespace sluice;

MLIR_DEFINE_EXPLICIT_TYPE_ID(sluice::SluiceDialect)

static constexpr llvm::StringLiteral HintName = "sluice.cache_hint";
static constexpr llvm::StringLiteral MetadataKind = "mem.cache_hint";

SluiceDialect::SluiceDialect(MLIRContext *Context)
    : Dialect(getDialectNamespace(), Context, TypeID::get<SluiceDialect>()) {}

/// Strings, integers, and lists of such.
static bool isMetadata(Attribute A) {
  if (auto List = dyn_cast<ArrayAttr>(A))
    return llvm::all_of(List, isMetadata);
  return isa<StringAttr, IntegerAttr>(A);
}

/// What a file has is only verified where the dialect is loaded before.
static LogicalResult verify(Operation *Op, NamedAttribute Named) {
  if (Named.getName() != HintName)
    return Op->emitError("no attribute of Sluice is called '")
           << Named.getName().getValue() << "'";
  if (isa<ArrayAttr>(Named.getValue()) && isMetadata(Named.getValue()))
    return success();
  return Op->emitError(HintName)
         << " is a list of numbers, strings and such lists";
}

LogicalResult SluiceDialect::verifyOperationAttribute(Operation *Op,
                                                      NamedAttribute Named) {
  return verify(Op, Named);
}

/// Null: it is none of ours.
static Attribute fromMetadata(const llvm::Metadata *MD, MLIRContext *C) {
  if (const auto *Text = dyn_cast_or_null<llvm::MDString>(MD))
    return StringAttr::get(C, Text->getString());
  if (const auto *Constant = dyn_cast_or_null<llvm::ConstantAsMetadata>(MD)) {
    const auto *Number = dyn_cast<llvm::ConstantInt>(Constant->getValue());
    return Number ? IntegerAttr::get(IntegerType::get(C, Number->getBitWidth()),
                                     Number->getValue())
                  : Attribute();
  }
  const auto *Node = dyn_cast_or_null<llvm::MDNode>(MD);
  if (!Node)
    return {};
  SmallVector<Attribute, 4> Parts;
  for (const llvm::MDOperand &Part : Node->operands()) {
    Parts.push_back(fromMetadata(Part.get(), C));
    if (!Parts.back())
      return {};
  }
  return ArrayAttr::get(C, Parts);
}

static llvm::Metadata *toMetadata(Attribute A, llvm::LLVMContext &C) {
  if (auto Text = dyn_cast<StringAttr>(A))
    return llvm::MDString::get(C, Text.getValue());
  if (auto Number = dyn_cast<IntegerAttr>(A))
    return llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(C, Number.getValue()));
  SmallVector<llvm::Metadata *, 4> Parts;
  for (Attribute Part : cast<ArrayAttr>(A))
    Parts.push_back(toMetadata(Part, C));
  return llvm::MDNode::get(C, Parts);
}

namespace {

struct HintImport : LLVMImportDialectInterface {
  using LLVMImportDialectInterface::LLVMImportDialectInterface;

  SmallVector<unsigned>
  getSupportedMetadata(llvm::LLVMContext &Context) const final {
    return {Context.getMDKindID(MetadataKind)};
  }
  LogicalResult setMetadataAttrs(OpBuilder &Builder, unsigned,
                                 llvm::MDNode *Node, Operation *Op,
                                 LLVM::ModuleImport &) const final {
    Attribute Hint = fromMetadata(Node, Builder.getContext());
    if (!Hint)
      return failure();
    Op->setAttr(HintName, Hint);
    return success();
  }
};

struct HintExport : LLVMTranslationDialectInterface {
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult amendOperation(Operation *Op,
                               ArrayRef<llvm::Instruction *> Made,
                               NamedAttribute Named,
                               LLVM::ModuleTranslation &) const final {
    if (failed(verify(Op, Named)))
      return failure();
    for (llvm::Instruction *I : Made)
      if (I->mayReadFromMemory())
        I->setMetadata(MetadataKind, cast<llvm::MDNode>(toMetadata(
                                         Named.getValue(), I->getContext())));
    return success();
  }
};

} // namespace

void sluice::registerSluiceDialect(DialectRegistry &Registry) {
  Registry.insert<SluiceDialect>();
  Registry.addExtension(+[](MLIRContext *, SluiceDialect *Dialect) {
    Dialect->addInterfaces<HintImport, HintExport>();
  });
}
