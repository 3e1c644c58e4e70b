// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the assembler says with "-v", in its own process or in nvJitLink.

#ifndef SLUICE_TARGET_ASSEMBLERLOG_H
#define SLUICE_TARGET_ASSEMBLERLOG_H

#include "sluice/Target/PTXAssembler.h"

namespace sluice {

/// Of each kernel in \p PTX. The error says that \p Assembler's log does not
/// tell that.
llvm::Expected<llvm::StringMap<AssembledKernel>>
readAssemblerLog(llvm::StringRef Log, llvm::StringRef PTX,
                 llvm::StringRef Assembler);

} // namespace sluice

#endif
