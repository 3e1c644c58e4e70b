// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the text of an inline assembly statement can do, at most.

#ifndef SLUICE_ANALYSIS_INLINEPTX_H
#define SLUICE_ANALYSIS_INLINEPTX_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace llvm {
class CallBase;
} // namespace llvm

namespace sluice {

enum class InlinePTX : uint8_t {
  Computes, ///< Registers from registers; or it is empty.
  Accesses, ///< And accesses or orders memory, without waiting for a thread.
  Unknown,  ///< May do anything: it branches, or has what is not known.
};

/// Of \p Text as LLVM has it ("mov.u32 $0, %laneid;"): the most that any of its
/// instructions does. Instructions are known by the first part of their names.
InlinePTX classifyInlinePTX(llvm::StringRef Text);

/// Is \p Call assembly that is not volatile? It computes from its operands and
/// does no more, which it says by accessing no memory.
bool isPureAssembly(const llvm::CallBase &Call);

/// Is \p Call assembly that only computes a thread's registers from its others,
/// as clang's header converts halves? clang marks all assembly convergent; this
/// is not.
bool isArithmeticPTX(const llvm::CallBase &Call);

} // namespace sluice

#endif
