// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What changing one of the X-model's parameters does to where the machine
/// settles: the operations of the thesis's Figures 3.4 and 3.8 and of section
/// 3.6, as moves in the graph.

#ifndef SLUICE_XMODEL_MOVES_H
#define SLUICE_XMODEL_MOVES_H

#include "sluice/XModel/KernelX.h"

namespace sluice {

enum class MoveKind {
  FewerThreads,  ///< n down: throttling, fewer blocks (Figure 3.4-F).
  MoreThreads,   ///< n up: fewer registers or less shared memory.
  MoreILP,       ///< E up (Figure 3.4-E).
  LessILP,       ///< E down (Figure 3.17).
  HigherZ,       ///< Z up: sums in registers (Figure 3.4-D).
  LargerCache,   ///< S_$ up: the carveout (Figure 3.8-B).
  PartialBypass, ///< Some warps past the cache (Figure 3.15).
  NoCache,       ///< All of them.
  Streams,       ///< Each line is fetched once: rows in shared memory.
  LoadsInFlight, ///< More loads before a warp waits.
};
/// "fewer threads" and so on.
llvm::StringRef nameOfMove(MoveKind Kind);
/// What of Sluice does it: "throttling (N), block limit (M)". Empty: nothing.
llvm::StringRef techniqueFor(MoveKind Kind);

struct Move {
  MoveKind Kind;
  std::string What; ///< "n = 16 in place of 64".
  XModel After;
  Intersection At; ///< Where it settles then.
  /// CS throughput against that before: how much sooner the same work is done.
  double SpeedUp = 1;
};

/// \p Kind from \p Before to \p After, by the operations that the work takes.
Move makeMove(MoveKind Kind, std::string What, const XModel &Before,
              const XModel &After);

/// What may be asked of the machine and of the code.
struct MoveLimits {
  double MostThreads = 0;    ///< Warps that an SM can hold.
  double MostCacheBytes = 0; ///< With the smallest carveout that there may be.
  double UsefulShare = 1;    ///< Of what loads ask for.
  /// Bytes a cycle that the L1 can look up when lines are read whole.
  double WholeLineLookUps = 0;
  double WholeLineSupply = 0; ///< What memory gives of whole lines.
  /// Of the lines that a warp touches before it waits. 0: as many as it asks
  /// for.
  double WholeLineBytes = 0;
};
MoveLimits limitsOf(const KernelX &K);

/// The model of code that fetches each line once and whole, as rows in shared
/// memory do: \p UsefulShare of the bytes are asked for, none twice.
XModel withStreams(const XModel &M, double UsefulShare,
                   const MoveLimits &Limits);

/// Every operation that changes something, the best first. n, and the warps
/// that use the cache, are the best of those that a power of two divides out.
std::vector<Move> possibleMoves(const XModel &M, const MoveLimits &Limits);

} // namespace sluice

#endif
