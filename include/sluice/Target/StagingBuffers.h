// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The shared memory that chunks of rows take (docs/passes/software-l1.md).

#ifndef SLUICE_TARGET_STAGINGBUFFERS_H
#define SLUICE_TARGET_STAGINGBUFFERS_H

#include "llvm/ADT/bit.h"
#include <cstdint>

namespace sluice {

/// What is copied into shared memory at a time, in bytes (cp.async.cg).
inline constexpr unsigned CopyUnit = 16;

/// The bytes of a lane's chunks of \p ChunkBytes, one of each of \p Rows rows,
/// at most: one 16-byte block more for each row that begins anywhere, and one
/// for banks.
constexpr uint64_t stagingBytesOfLane(uint64_t Rows, uint64_t ChunkBytes) {
  return (ChunkBytes + CopyUnit) * Rows + CopyUnit;
}

/// Of a lane whose rows begin anywhere, as they are laid out: an odd number of
/// copies, so that lanes are in other banks.
constexpr uint64_t largestSlotBytes(uint64_t Rows, uint64_t ChunkBytes) {
  return CopyUnit * ((ChunkBytes / CopyUnit + 1) * Rows | 1);
}

/// Of a warp's lanes, and its lock.
constexpr uint64_t stagingBytesOfWarp(uint64_t Rows, uint64_t ChunkBytes,
                                      unsigned WarpSize) {
  return stagingBytesOfLane(Rows, ChunkBytes) * WarpSize + 4;
}

/// Of the \p Warps of a block, those that have buffers at a time: all, or a
/// power of two of \p OfWarp bytes each in \p Free bytes. 0: none fits.
constexpr uint64_t warpsWithBuffers(uint64_t Free, uint64_t OfWarp,
                                    uint64_t Warps) {
  const uint64_t Fitting = Free / OfWarp;
  return Fitting >= Warps ? Warps : llvm::bit_floor(Fitting);
}

} // namespace sluice

#endif
