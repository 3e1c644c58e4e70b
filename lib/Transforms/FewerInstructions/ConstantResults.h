// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_CONSTANTRESULTS_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_CONSTANTRESULTS_H

namespace llvm {
class CallInst;
class Constant;
} // namespace llvm

namespace sluice {

/// What a call with constants gives, whatever code is made of its function and
/// whichever of its products are fused with their sums. Null if that is not
/// known, or if it does more than to give a result.
llvm::Constant *constantResult(const llvm::CallInst &Call);

} // namespace sluice

#endif
