// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the text of an inline assembly statement can do, at most.

#ifndef SLUICE_ANALYSIS_INLINEPTX_H
#define SLUICE_ANALYSIS_INLINEPTX_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace sluice {

enum class InlinePTX : uint8_t {
  Computes, ///< Registers from registers; or it is empty.
  Accesses, ///< And accesses or orders memory, without waiting for a thread.
  Unknown,  ///< May do anything: it branches, or has what is not known.
};

/// Of \p Text as LLVM has it ("mov.u32 $0, %laneid;"): the most that any of its
/// instructions does. Instructions are known by the first part of their names.
InlinePTX classifyInlinePTX(llvm::StringRef Text);

} // namespace sluice

#endif
