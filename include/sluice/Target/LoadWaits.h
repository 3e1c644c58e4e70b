// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How long a warp alone waits for its loads, from its machine code.

#ifndef SLUICE_TARGET_LOADWAITS_H
#define SLUICE_TARGET_LOADWAITS_H

#include "sluice/Target/PTXAssembler.h"
#include "llvm/ADT/ArrayRef.h"

namespace sluice {

/// What findLoadWaits has a load take: between what an idle L2 and idle DRAM of
/// an H100 take (295 and 690, MemoryModel.cpp).
inline constexpr uint64_t LoadWaitCycles = 600;

/// Sets WaitCycles, WaitInstructions and WaitLoads of \p Kernel, whose machine
/// code for sm_70 to sm_90 is \p Code. \p IsHopper: it is for sm_90, whose
/// branches are encoded otherwise.
void findLoadWaits(llvm::ArrayRef<uint8_t> Code, bool IsHopper,
                   AssembledKernel &Kernel);

} // namespace sluice

#endif
