// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// fmul and fadd into fma on IR, as NVPTX's code generator would do it later.

#ifndef SLUICE_TRANSFORMS_CONTRACTMULTIPLYADD_H
#define SLUICE_TRANSFORMS_CONTRACTMULTIPLYADD_H

#include <cstdint>

namespace llvm {
class BasicBlock;
} // namespace llvm

namespace sluice {

/// Which multiplications and additions become fma.
enum class ContractionMode : uint8_t {
  Flagged, ///< Both have the `contract` flag: IR that does not say more.
  All,     ///< clang's default for CUDA, -ffp-contract=fast.
};

/// fmul that feeds fadd or fsub in \p Block becomes fma, chosen as LLVM's DAG
/// combiner chooses for a target with aggressive fusion. Was anything changed?
bool contractMultiplyAdd(llvm::BasicBlock &Block, ContractionMode Mode);

} // namespace sluice

#endif
