// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What an instruction has to do with other threads. All is answered by what is
/// known of it, so that what is not known counts as the worst.

#ifndef SLUICE_ANALYSIS_THREADORDER_H
#define SLUICE_ANALYSIS_THREADORDER_H

#include <cstdint>

namespace llvm {
class Instruction;
} // namespace llvm

namespace sluice {

/// How an instruction may order what its thread does with what others do. Each
/// allows all that those before it do.
enum class ThreadOrder : uint8_t {
  /// Not at all: computation, and plain accesses of memory. What a thread reads
  /// by them changes only at instructions of the other kinds: else the program
  /// has a race.
  None,
  /// A barrier of all threads of the block, which turns use too.
  Block,
  /// An exchange or a barrier within a warp.
  Warp,
  /// Atomics, fences, volatile accesses, and what may contain such: what other
  /// threads do may be seen there, but it does not wait by itself.
  Memory,
  /// May wait for other warps by itself, for all that is known.
  Waits,
};

/// The order that \p I itself brings about. A call of a function that has a
/// body brings about what that does: here it is None.
ThreadOrder threadOrderOf(const llvm::Instruction &I);

/// Is the value of \p I a function of its operands, in this thread or in other
/// threads of its warp? So it changes only if they do.
bool isFunctionOfOperands(const llvm::Instruction &I);

} // namespace sluice

#endif
