// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A thread's lines: the code that reads, writes, fills and empties them.

#ifndef SLUICE_LIB_TRANSFORMS_LINEACCESS_H
#define SLUICE_LIB_TRANSFORMS_LINEACCESS_H

#include "sluice/Plan/WrongRewrite.h"
#include "sluice/Transforms/LineCaching.h"
#include "llvm/IR/IRBuilder.h"

namespace sluice {

/// The address of what \p I, a load or a store, touches: i64, generic.
llvm::Value *addressOf(llvm::IRBuilder<> &B, llvm::Value *Pointer);
/// The address of its line.
llvm::Value *lineOf(llvm::IRBuilder<> &B, llvm::Value *Address);

/// Where one structure's line is.
struct KeptLine {
  /// Word 0 of the thread's line, in shared memory.
  llvm::Value *Place = nullptr;
  llvm::Value *IsKept = nullptr; ///< i1: it is used. Null: always.
};

/// Puts lines between a loop's accesses and memory. Their state is in allocas,
/// which are to be promoted.
class LineKeeper {
public:
  /// \p Threads: of a block that have lines. \p Kept: by structure.
  LineKeeper(const LineLoop &Lines, unsigned Threads,
             llvm::ArrayRef<KeptLine> Kept, WrongRewrite Wrong,
             llvm::Instruction *Allocas);
  /// No line holds anything, from \p At on.
  void begin(llvm::Instruction *At);
  /// The code for one of the loop's points; may replace its instruction.
  void rewrite(const LinePoint &Point);
  /// What lines have that memory has not is written, and they hold nothing.
  void flush(llvm::Instruction *At);
  llvm::ArrayRef<llvm::AllocaInst *> state() const { return State; }

private:
  struct Line {
    const LineStructure *Structure;
    KeptLine Kept;
    /// Address of what it holds, i64; 0: nothing. One bit of each byte that is
    /// newer than memory, i32; null: the loop never writes it.
    llvm::AllocaInst *Tag = nullptr, *Dirty = nullptr;
  };
  llvm::Value *word(llvm::IRBuilder<> &B, const Line &Of, llvm::Value *Offset);
  llvm::Value *words(llvm::IRBuilder<> &B, const Line &Of);
  llvm::Value *holds(llvm::IRBuilder<> &B, const Line &Of, llvm::Value *Block);
  void writeBack(llvm::Instruction *At, const Line &Of);
  void writePieces(llvm::Instruction *At, const Line &Of, llvm::Value *Dirty);
  void drop(llvm::Instruction *At, const Line &Of);
  void dropIfHolds(llvm::Instruction *At, const Line &Of, llvm::Value *Block);
  void lookUp(const LinePoint &Point);
  void reduce(const LinePoint &Point);
  void access(const LinePoint &Point);
  llvm::Value *mayHold(llvm::IRBuilder<> &B, const Line &Of,
                       llvm::Value *Block);
  void take(llvm::Instruction *At, const Line &Of, llvm::Value *Block,
            bool Fetches);
  llvm::Value *read(llvm::IRBuilder<> &B, const Line &Of, llvm::Value *Address,
                    llvm::Type *Ty);
  void write(llvm::IRBuilder<> &B, const Line &Of, llvm::Value *Address,
             llvm::Value *V);

  const unsigned Threads;
  const WrongRewrite Wrong; ///< For tests of tests.
  std::vector<Line> Lines;  ///< By structure.
  llvm::SmallVector<llvm::AllocaInst *, 16> State;
};

} // namespace sluice

#endif
