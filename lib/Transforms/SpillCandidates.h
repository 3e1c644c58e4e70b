// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which values of a kernel could wait in memory for their next use, and which
/// of them a register allocator would take first.

#ifndef SLUICE_LIB_TRANSFORMS_SPILLCANDIDATES_H
#define SLUICE_LIB_TRANSFORMS_SPILLCANDIDATES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace llvm {
class Function;
class Instruction;
class Use;
} // namespace llvm

namespace sluice {

/// Each instruction by its number in the function's text.
using InstructionNumbers = llvm::DenseMap<const llvm::Instruction *, unsigned>;
InstructionNumbers numberInstructions(const llvm::Function &F);

/// A load of a spilled value, for uses that stand close together.
struct SpillLoad {
  llvm::Instruction *Before = nullptr;
  unsigned Last = 0; ///< Number of the last user.
  llvm::SmallVector<llvm::Use *, 4> Uses;
};

/// The loads that serve \p Value when it is stored behind its definition; uses
/// that are in none still have it in its register. Empty: there are no such
/// uses, or \p Value must stay where it is.
///
/// Numbers of 32 and 64 bits only: of a pointer that comes from memory the code
/// generator would no longer know into which memory it points. A sum or a
/// product stays in its register in its own block, since there it may become
/// one operation with another, which is rounded once.
std::vector<SpillLoad> loadsFor(llvm::Instruction &Value,
                                const InstructionNumbers &Numbers);

struct SpillCandidate {
  llvm::Instruction *Value = nullptr;
  unsigned Bytes = 0;    ///< 4 or 8.
  unsigned Accesses = 0; ///< Loads, and the store.
  double Executed = 0;   ///< These, for each time that the kernel is run.
};

/// At most \p Most, in the order in which a register allocator would take them:
/// where the most registers are needed, the value that saves the most for what
/// it costs, and then again with what is left.
std::vector<SpillCandidate> orderSpills(llvm::Function &F, unsigned Most);

/// The most registers of 32 bits that values of \p F take at one instruction.
/// The assembler's number is another one: it computes some values again, and
/// addresses take more.
unsigned mostRegistersNeeded(llvm::Function &F);

} // namespace sluice

#endif
