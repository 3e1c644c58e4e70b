// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The dialect `sluice` has no operations. It is there for one attribute, by
/// which a load's `!mem.cache_hint` is in MLIR:
///
///   %x = llvm.load %p {sluice.cache_hint =
///       [0 : i32, ["nvvm.l1_eviction", "no_allocate"]]} : !llvm.ptr -> f32
///
/// node by node what CacheHintMetadata.h says.

#ifndef SLUICE_LIB_MLIR_SLUICEDIALECT_H
#define SLUICE_LIB_MLIR_SLUICEDIALECT_H

#include "mlir/IR/Dialect.h"

namespace sluice {

class SluiceDialect : public mlir::Dialect {
public:
  explicit SluiceDialect(mlir::MLIRContext *Context);
  static constexpr llvm::StringLiteral getDialectNamespace() {
    return "sluice";
  }
  mlir::LogicalResult
  verifyOperationAttribute(mlir::Operation *Op,
                           mlir::NamedAttribute Attribute) override;
};

/// The dialect, with what takes its attribute to LLVM IR and back.
void registerSluiceDialect(mlir::DialectRegistry &Registry);

} // namespace sluice

MLIR_DECLARE_EXPLICIT_TYPE_ID(sluice::SluiceDialect)

#endif
