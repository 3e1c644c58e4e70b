// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Operations' locations while their code is LLVM IR. Plans name loops and
/// loads by debug locations, and what upstream's pipelines lower from one
/// linalg operation has one location. So each operation gets one of its own:
///
///   llvm.load ... loc("rows.mlir":12:9)    ; the 31st operation of the module
///
/// is a load at rows.mlir:12:31 in plans, and is at rows.mlir:12:9 again when
/// it comes back. A function that has debug information keeps it.

#ifndef SLUICE_LIB_MLIR_PLACES_H
#define SLUICE_LIB_MLIR_PLACES_H

#include "mlir/IR/Location.h"
#include <string>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace sluice {

/// What a plan for \p Module is for: "rows.mlir@kernels". A file may have
/// several modules.
std::string sourceNameOf(mlir::Operation *Module);

class Places {
public:
  /// Numbers the operations of \p Module, a copy that becomes LLVM IR.
  explicit Places(mlir::Operation *Module);

  /// Of a line and a column in LLVM IR; null: it is none of the numbered ones.
  mlir::LocationAttr locationOf(unsigned Line, unsigned Column) const;

  /// Are the places those of numbered operations, and not the user's?
  bool areNumbered() const { return !ByColumn.empty(); }

  /// Gives \p Module, which came back from LLVM IR, the locations that were
  /// there, and no debug information where there was none.
  void restore(mlir::Operation *Module) const;

private:
  struct Numbered {
    unsigned Line;
    mlir::LocationAttr Was;
  };

  mlir::LocationAttr original(mlir::LocationAttr At) const;

  std::vector<Numbered> ByColumn; ///< Empty: nothing was numbered.
};

} // namespace sluice

#endif
