// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Several blocks of a grid as one: which launches, how many, and by which
/// kernel. A GPU begins 1.6 blocks in a nanosecond, however small they are
/// (docs/passes/merged-blocks.md). Nothing of LLVM is in here: the replayer
/// launches by it, too.

#ifndef SLUICE_TARGET_MERGEDBLOCKS_H
#define SLUICE_TARGET_MERGEDBLOCKS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

/// Threads of the block that several become, at most.
inline constexpr unsigned MergedThreads = 256;
/// The most that a block may have in its third dimension.
inline constexpr unsigned MostMerged = 64;
/// Fewer than so many would not fill the GPU several times.
inline constexpr unsigned FewestMergedBlocks = 2048;
/// Of the first dimension, so that few blocks of the last one are empty.
inline constexpr unsigned FewestMergedInRow = 8;

/// Of the kernel that does the work of several blocks of another one.
struct MergedForm {
  unsigned Parameters = 0; ///< Of the other one; this has one more.
  /// In blocks of more threads it has more to do than to begin.
  unsigned MostThreads = 0;

  friend bool operator==(const MergedForm &A, const MergedForm &B) {
    return A.Parameters == B.Parameters && A.MostThreads == B.MostThreads;
  }
};

/// The most threads of a block that is over before the GPU begins the next
/// ones, of a kernel of which a thread runs so many instructions and has so
/// many bytes of global memory; at most half of MergedThreads. One SM of an
/// H100 or an H200 gets a block in 82 ns, which is 560 instructions of its four
/// schedulers. In the 0.61 ns from one block to the next its memory moves 2.4
/// KB.
constexpr unsigned mostThreadsToMerge(uint64_t Instructions, uint64_t Bytes) {
  constexpr uint64_t Issued = 560, WarpSize = 32, Moved = 2400;
  uint64_t Most = MergedThreads / 2;
  if (Instructions && Issued * WarpSize / Instructions < Most)
    Most = Issued * WarpSize / Instructions;
  if (Bytes && Moved / Bytes < Most)
    Most = Moved / Bytes;
  return unsigned(Most);
}

/// What a launch asks for.
struct AskedLaunch {
  uint64_t GridX = 1, GridY = 1, GridZ = 1, BlockX = 1, BlockY = 1, BlockZ = 1;
  uint64_t SharedBytes = 0; ///< Dynamic.
};

/// How many blocks one takes, which follow each other in the first dimension;
/// 1: the launch stays. The kernel uses no shared memory, so a launch that asks
/// for some has another reason.
constexpr unsigned mergedBlocks(const AskedLaunch &L, unsigned MostThreads) {
  const uint64_t Threads = L.BlockX * L.BlockY;
  if (L.BlockZ != 1 || L.SharedBytes != 0 || Threads == 0 ||
      Threads > MostThreads || Threads > MergedThreads / 2)
    return 1;
  const uint64_t Fitting = MergedThreads / Threads;
  const uint64_t Blocks = Fitting < MostMerged ? Fitting : MostMerged;
  const uint64_t Row = (L.GridX + Blocks - 1) / Blocks;
  return Row >= FewestMergedInRow &&
                 Row * L.GridY * L.GridZ >= FewestMergedBlocks
             ? unsigned(Blocks)
             : 1;
}

/// The name of the kernel that does the work of several blocks of \p Kernel:
///
///     __sluice_merged$1$3$128$12$_Z3addPfPKfi
///
/// version, parameters, most threads, and the kernel's name after its length.
/// Its last parameter is the first dimension of the grid that the program asked
/// for, of 32 bits. A block is launched with as many layers as it takes blocks.
/// The host finds the name in the GPU binary.
std::string mergedName(std::string_view Kernel, const MergedForm &Form);

struct MergedKernel {
  std::string Kernel; ///< The program's.
  MergedForm Form;
};
/// What \p Text begins with, if it is such a name.
std::optional<MergedKernel> mergedKernel(std::string_view Text);

/// Those named anywhere in \p Image, by the program's kernels.
std::map<std::string, MergedForm> findMergedKernels(std::string_view Image);

} // namespace sluice

#endif
