// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Copies chunks of rows between global memory and a warp's slots.

#ifndef SLUICE_LIB_TRANSFORMS_CHUNKCOPIES_H
#define SLUICE_LIB_TRANSFORMS_CHUNKCOPIES_H

#include "sluice/Plan/WrongRewrite.h"
#include "sluice/Transforms/StreamStaging.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace sluice {

/// Lanes of a warp.
inline constexpr unsigned StagedLanes = 32;

/// Where the slots of a thread's warp are.
struct SlotValues {
  llvm::Value *Lane = nullptr;   ///< Number in the warp, i32.
  llvm::Value *OfWarp = nullptr; ///< The slot of lane 0, shared.
  llvm::Value *OfLane = nullptr; ///< Its own.
};

/// A thread's chunk. What is of rows is by part of the slot.
struct ChunkValues {
  llvm::Value *Iterations = nullptr; ///< That it serves, i32; at least one.
  llvm::Value *Mask = nullptr;       ///< Who is there, i32.
  /// Address of the block of 16 bytes that has its first byte, i64.
  llvm::SmallVector<llvm::Value *, 4> From;
  llvm::SmallVector<llvm::Value *, 4> Misaligned; ///< That byte's place, i32.
};

/// Emits copies for one loop.
class ChunkCopier {
public:
  ChunkCopier(const LoopStreams &Streams, const StagingSlot &Slot,
              WrongRewrite Wrong)
      : Streams(Streams), Slot(Slot), Wrong(Wrong) {}
  /// What rows have into the slots, before \p At; sets \p Chunk's mask. Lanes
  /// have met behind it.
  void fill(llvm::Instruction *At, const SlotValues &Slots, ChunkValues &Chunk);
  /// What was written from the slots into rows, before \p At. Lanes that were
  /// there for the chunk have met behind it, and see what all have written.
  void drain(llvm::Instruction *At, const SlotValues &Slots,
             const ChunkValues &Chunk);
  bool reads() const;
  bool writes() const;

private:
  using Part = StagingSlot::Part;
  struct Unit {
    llvm::Value *InSlot, *Address;
  };
  llvm::Value *call(llvm::IRBuilder<> &B, llvm::Intrinsic::ID Id,
                    llvm::ArrayRef<llvm::Value *> Args = {});
  llvm::Value *inSlot(llvm::IRBuilder<> &B, llvm::Value *Base,
                      llvm::Value *Offset);
  int64_t stepOf(const Part &P) const;
  llvm::Value *endOf(llvm::IRBuilder<> &B, unsigned Number);
  llvm::Value *unitsOf(llvm::IRBuilder<> &B, llvm::Value *End);
  void fetch(llvm::IRBuilder<> &B, Unit U, llvm::Value *Bytes = nullptr);
  Unit unitOfLane(llvm::IRBuilder<> &B, unsigned Number, llvm::Value *Offset);
  void writeBack(llvm::IRBuilder<> &B, Unit U, unsigned Bytes);
  llvm::Value *canCopyTogether(llvm::IRBuilder<> &B, bool Writes);
  void forUnitsTogether(llvm::IRBuilder<> &B, unsigned Number,
                        llvm::function_ref<void(Unit)> Copy);
  void fetchTogether(llvm::Instruction *At, unsigned Number);
  void fetchOwn(llvm::Instruction *At, unsigned Number, unsigned First);
  void writeBackOwn(llvm::Instruction *At, unsigned Number);

  const LoopStreams &Streams;
  const StagingSlot &Slot;
  const WrongRewrite Wrong; ///< For tests of tests.
  SlotValues Slots;
  ChunkValues Chunk;
};

} // namespace sluice

#endif
