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
/// At most one part of so many is lost where the last block has fewer.
inline constexpr unsigned MostLostOf = 8;
/// What the GPU takes of a block's threads, and threads of a row of blocks. A
/// launch of larger blocks, or of more blocks than that, is an error and has to
/// stay one. With more threads an index of 32 bits would go around, which LLVM
/// takes for impossible where it computes one index from another.
inline constexpr uint64_t MostBlockThreads = 1024, MostInRow = INT32_MAX;
/// Of blocks whose threads work together, those that one does the work of go
/// together where they agree. At the edges of a grid of several rows they do
/// not, and take longer than one by one: of four in a row every second (a
/// public stencil with halos, 16 blocks in a row: 0.33 ms became 0.51).
inline constexpr unsigned FewestInRow = 16;
/// Shared memory of all blocks that one does the work of, at most: blocks of
/// 256 threads leave room for as many on an SM as there would be.
inline constexpr unsigned MostSharedBytes = 16 << 10, SharedAlign = 16;
/// Threads that run together.
inline constexpr unsigned LanesOfWarp = 32;
/// Threads of a grid that is worth it: with small blocks, and without. A GPU
/// has room for 270,000.
inline constexpr unsigned FewestThreads = 1 << 19,
                          FewestThreadsTogether = 1 << 20;

/// Of the kernel that does the work of several blocks of another one.
struct MergedForm {
  unsigned Parameters = 0; ///< Of the other one; this has one more.
  /// In blocks of more threads it has more to do than to begin. 0: its blocks
  /// are no layers, as threads of a block work together. Then rows are of whole
  /// warps, or there is one.
  unsigned MostThreads = 0;
  /// Blocks that one thread does the work of, side by side.
  unsigned Together = 1;
  /// Does each block have as much shared memory as the launch says?
  bool HasDynamicShared = false;
  /// A launch of larger blocks than the program says there are is an error, and
  /// stays one.
  unsigned Bound = unsigned(MostBlockThreads);

  friend bool operator==(const MergedForm &A, const MergedForm &B) {
    return A.Parameters == B.Parameters && A.MostThreads == B.MostThreads &&
           A.Together == B.Together &&
           A.HasDynamicShared == B.HasDynamicShared && A.Bound == B.Bound;
  }
};

/// The most threads of a block that is over before the GPU begins the next
/// ones, of a kernel of which a thread runs so many instructions and has so
/// many bytes of global memory; at most half of MergedThreads. One SM of an
/// H100 or an H200 gets a block in 82 ns, which is 560 instructions of its four
/// schedulers. In the 0.61 ns from one block to the next its memory moves 2.4
/// KB.
constexpr unsigned mostThreadsToMerge(uint64_t Instructions, uint64_t Bytes) {
  constexpr uint64_t Issued = 560, Moved = 2400;
  uint64_t Most = MergedThreads / 2;
  if (Instructions && Issued * LanesOfWarp / Instructions < Most)
    Most = Issued * LanesOfWarp / Instructions;
  if (Bytes && Moved / Bytes < Most)
    Most = Moved / Bytes;
  return unsigned(Most);
}

/// What a launch asks for.
struct AskedLaunch {
  uint64_t GridX = 1, GridY = 1, GridZ = 1, BlockX = 1, BlockY = 1, BlockZ = 1;
  uint64_t SharedBytes = 0; ///< Dynamic.
};

/// How a launch is made of larger blocks.
struct MergedLaunch {
  unsigned Layers = 1;
  uint64_t Row = 0; ///< The first dimension of the grid; 0: the launch stays.
  uint64_t SharedBytes = 0; ///< Dynamic, of all blocks together.
};

/// Of a grid that is large enough, blocks of few threads become layers of a
/// larger one, and all do the work of as many as the form says. Where the
/// kernel uses no dynamic shared memory, a launch that asks for some has
/// another reason. Where it does, all blocks' shares begin at multiples of
/// SharedAlign.
constexpr MergedLaunch mergedLaunch(const AskedLaunch &L,
                                    const MergedForm &Form) {
  const uint64_t Threads = L.BlockX * L.BlockY;
  const uint64_t Shared =
      (L.SharedBytes + SharedAlign - 1) / SharedAlign * SharedAlign;
  if (L.BlockZ != 1 || Threads == 0 ||
      (Form.HasDynamicShared ? L.SharedBytes > MostSharedBytes / Form.Together
                             : L.SharedBytes != 0) ||
      Threads > Form.Bound || L.GridX * L.BlockX > MostInRow ||
      (Form.Together == 1 && Threads > Form.MostThreads) ||
      (Form.MostThreads == 0 && L.BlockX % LanesOfWarp != 0 && L.BlockY != 1))
    return {};
  uint64_t Layers = 1;
  if (Threads <= Form.MostThreads) {
    Layers = MergedThreads / Threads;
    Layers = Layers < MostMerged ? Layers : MostMerged;
  }
  const uint64_t Blocks = Layers * Form.Together;
  const uint64_t Row = (L.GridX + Blocks - 1) / Blocks;
  const uint64_t Lost = Row * Blocks - L.GridX;
  const uint64_t ByBlock = Blocks * Threads;
  const uint64_t Fewest = Layers > 1 ? FewestThreads : FewestThreadsTogether;
  const bool HasShortRows =
      Form.MostThreads == 0 && L.GridY * L.GridZ != 1 && Row < FewestInRow;
  return !HasShortRows && Lost * MostLostOf <= L.GridX &&
                 Row * L.GridY * L.GridZ >= (Fewest + ByBlock - 1) / ByBlock
             ? MergedLaunch{unsigned(Layers), Row, Shared * Form.Together}
             : MergedLaunch{};
}

/// The name of the kernel that does the work of several blocks of \p Kernel:
///
///     __sluice_merged$3$3$128$4$0$1024$12$_Z3addPfPKfi
///
/// version, parameters, most threads, blocks together, 1 where launches say how
/// much shared memory a block has, the program's launch bound, and the kernel's
/// name after its length.
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
