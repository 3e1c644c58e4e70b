// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What becomes of a value that was loaded: does it matter that nobody wrote
/// it?
///
/// Correct code reads memory that was never written: it copies a struct's
/// padding, loads one element past the last and selects another. NVIDIA's
/// initcheck reports such reads; MemorySanitizer carries a shadow for every
/// value to tell them apart. Here the code behind the load decides, once, when
/// it is decoded.

#ifndef SLUICE_LIB_EMULATOR_READUSE_H
#define SLUICE_LIB_EMULATOR_READUSE_H

#include <cstdint>

namespace llvm {
class Instruction;
class LoopInfo;
class PostDominatorTree;
} // namespace llvm

namespace sluice::emulator {

enum class ReadUse : uint8_t {
  /// Whenever the load runs, the value decides a branch or an address, or goes
  /// into a result that is stored.
  Certain,
  /// It goes to memory again as it is.
  Copied,
  /// One word of a struct that is copied; it may be padding alone.
  CopiedStruct,
  /// A select, an `and`, a later branch or a callee may drop it.
  Perhaps,
  /// It is copied to where a thread keeps a line of memory. Of its bytes only
  /// those that the program asks for matter, and they are not known here. Or
  /// Sluice loads it for threads that do nothing with it, too.
  Line,
};

/// Does \p Load fetch a whole line for what the program reads in it, with more
/// bytes than that, which may be another thread's, or nobody's?
bool fetchesLine(const llvm::Instruction &Load);

/// Of the value that \p Load loads.
ReadUse useOfRead(const llvm::Instruction &Load,
                  const llvm::PostDominatorTree &PDT,
                  const llvm::LoopInfo &Loops);

/// Marks a load as a piece of a struct's copy.
void markStructCopy(llvm::Instruction &Load);

} // namespace sluice::emulator

#endif
