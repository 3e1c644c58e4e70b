// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The software L1's way `shared`, the paper's own: each thread keeps a line of
/// some data structures of a loop in shared memory, with its address in a
/// register. For what is no stream: what is read as the data say.

#ifndef SLUICE_TRANSFORMS_LINECACHING_H
#define SLUICE_TRANSFORMS_LINECACHING_H

#include "sluice/Analysis/StreamAnalysis.h"
#include "sluice/Plan/LinePlanner.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AAResults;
} // namespace llvm

namespace sluice {

/// What a loop accesses by pointers of one origin, as a kernel's argument.
struct LineStructure {
  const llvm::Value *Object = nullptr;
  llvm::SmallVector<llvm::Instruction *, 8>
      Accesses; ///< That a line can serve.
  bool IsRead = false, IsWritten = false;
  bool IsGlobal = true; ///< For certain; else each line has to be asked.
  /// Bytes, at most 4: all that is written is multiples of it, at multiples.
  unsigned Piece = 4;
  uint64_t Weight = 0; ///< Accesses, those of inner loops more.
};

/// What a loop does that has to do with lines, one instruction.
struct LinePoint {
  enum KindTy : uint8_t {
    Access,    ///< Of a structure with a line.
    LookUp,    ///< A plain access of something else.
    Reduction, ///< An atomic operation of which nobody sees the result.
    Flush,     ///< Whatever may order memory, or access any of it.
  };
  llvm::Instruction *I;
  KindTy Kind;
  unsigned Structure = 0; ///< Of an Access.
  /// Other structures whose lines may hold what it touches, and must not then.
  llvm::SmallVector<unsigned, 2> Others;
};

struct LineLoop {
  llvm::Loop *L = nullptr;
  std::vector<LineStructure> Structures;
  std::vector<LinePoint> Points; ///< In the order of the code.
  /// It has barriers or exchanges: lanes of a warp must run one copy of it.
  bool KeepsLanesTogether = false;
  std::string Refusal; ///< Why nothing can have a line; empty: something can.
};

/// What of \p L, in loop-simplify form and LCSSA, can have lines, of that which
/// \p IsAsked for.
LineLoop findLines(
    llvm::Loop &L, const llvm::LoopInfo &LI, llvm::AAResults &AA,
    llvm::function_ref<bool(const LineStructure &)> IsAsked =
        [](const LineStructure &) { return true; });

} // namespace sluice

#endif
