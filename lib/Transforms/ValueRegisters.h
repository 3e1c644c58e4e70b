// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SLUICE_LIB_TRANSFORMS_VALUEREGISTERS_H
#define SLUICE_LIB_TRANSFORMS_VALUEREGISTERS_H

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/MathExtras.h"

namespace sluice {

/// Registers of 32 bits that \p V takes in a thread.
inline unsigned registersOf(const llvm::Value &V,
                            const llvm::DataLayout &Layout) {
  return unsigned(llvm::divideCeil(
      Layout.getTypeStoreSize(V.getType()).getFixedValue(), 4));
}

} // namespace sluice

#endif
