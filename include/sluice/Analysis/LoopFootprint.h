// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The cache lines a loop iteration touches (CATT, section 4.2, Eq. 5 to 8),
/// by enumerating the lanes of each warp. A plain function of facts.

#ifndef SLUICE_ANALYSIS_LOOPFOOTPRINT_H
#define SLUICE_ANALYSIS_LOOPFOOTPRINT_H

#include "sluice/Analysis/ArgumentMinimum.h"
#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Target/GPUModel.h"
#include <map>
#include <tuple>

namespace sluice {

/// One access of the loop under one launch.
struct AccessFootprint {
  const AccessPattern *Access = nullptr;
  uint64_t InnerIterations = 1; ///< Of inner loops, in one of the loop's.
  unsigned LinesPerWarp = 0;    ///< Distinct lines, of the warp with the most.
  unsigned SectorsPerWarp = 0;  ///< Distinct sectors, likewise.
  /// Distinct bytes that lanes ask for, likewise; 0: not enumerated, or not
  /// asked for.
  uint64_t UsefulBytesPerWarp = 0;
  uint64_t LinesPerBlock = 0; ///< Distinct lines of all the block's warps.
  /// Bytes by which one iteration of the loop moves it (C_i of Eq. 5).
  std::optional<int64_t> IterationStride;
  /// The access is indirect and no profile has it, so one line a warp is
  /// counted (section 4.2: C_tid = 1 for irregular accesses).
  bool Assumed = false;
  /// Where each thread reads from memory at which address it begins, and walks
  /// on from there by a known stride (rows of a sparse matrix): the lines of a
  /// block if no two threads share one, the most that it can be. Assumed, so
  /// LinesPerBlock is a line a warp. 0: it is not so.
  uint64_t MostLinesPerBlock = 0;
  /// The distance between the lanes of some warp is a multiple of an argument,
  /// and from this value on they are in different lines, as they are counted.
  /// With a smaller one the lines are fewer.
  ArgumentMinima OnlyIf;
  /// The distance between the lanes of some warp is not known at compile time,
  /// and no such minimum makes it known (a stride that is read from memory):
  /// lanes at such a distance are counted as in different lines, which is the
  /// most that it can be.
  bool UnknownDistance = false;
  /// It would be Assumed, have an UnknownDistance or hold OnlyIf, but a profile
  /// has it: its lines are as many as a warp's request had in the mean, rounded
  /// up, where what is known at compile time does not make them fewer.
  bool Measured = false;
  /// For loads: Eq. 6, or by a profile where the stride is not known (see
  /// computeLoopFootprint).
  bool HasReuse = false;
};

/// A loop under one launch.
struct LoopFootprint {
  std::vector<AccessFootprint> Accesses;
  /// Accesses that are not among them, as they ran in less than MinShare of the
  /// iterations that a profile saw.
  unsigned RareAccesses = 0;
  bool HasReuse = false; ///< Some load has (Eq. 6).
  unsigned WarpsPerBlock = 0;
  /// All that its accesses have: else the lines are the most that they can be.
  ArgumentMinima OnlyIf;
  /// An access whose UnknownDistance is set, where there is one: then the lines
  /// are the most that they can be. Its place is known if that of any is.
  const AccessPattern *UnknownDistance = nullptr;
  /// Why it could not be computed; empty when it could.
  std::string Unknown;
  /// What it took to compute, in about the time of a product.
  uint64_t Steps = 0;

  /// Distinct lines of one thread block when its warps take turns in
  /// \p WarpGroups groups: of the group with the most.
  uint64_t linesPerBlock(unsigned WarpGroups) const;

  /// A line: which base address, and its number relative to that.
  using Line = std::pair<unsigned, int64_t>;
  /// By warp, then by access: the distinct lines.
  std::vector<std::vector<std::vector<Line>>> LinesOfWarp;

private:
  mutable std::map<unsigned, uint64_t> Counted; ///< By WarpGroups.
};

/// The warps of group \p Group when \p Warps warps take turns in \p Groups
/// groups: first and one past the last. group = warp / ceil(Warps / Groups).
std::pair<unsigned, unsigned> warpsOfGroup(unsigned Warps, unsigned Groups,
                                           unsigned Group);

/// The iterations of a loop under a launch, where known or measured.
std::optional<uint64_t> tripCount(const LoopFacts &Loop,
                                  const LaunchConfig &Launch);

/// Steps after which a loop's footprint is given up: about a tenth of a second.
/// A block of 1,024 threads has 8,192 accesses and inner iterations with it.
constexpr uint64_t MaxFootprintSteps = uint64_t(1) << 23;

/// The footprint of loop \p LoopIndex of \p Kernel under \p Launch. Accesses of
/// inner loops count for all their iterations, which must be few (at most
/// MaxInnerIterations) and known. Stores count where the L1 allocates on them.
/// \p Launch must have a known block. Useful bytes take a tenth of the time
/// that planning takes, so they are counted only if \p CountsUsefulBytes. It is
/// unknown if it takes more than MaxFootprintSteps.
///
/// A measured load of unknown stride has reuse if at least half of its touches
/// come again before the warps that fit on an SM have touched the lines of one
/// iteration each: what Eq. 6 says of a stride.
LoopFootprint computeLoopFootprint(const KernelFacts &Kernel,
                                   unsigned LoopIndex,
                                   const LaunchConfig &Launch,
                                   const GPUModel &GPU,
                                   bool CountsUsefulBytes = false);

/// The footprints of \p Kernel's loops, each computed once for all launches
/// under which it is the same. Both facts must outlive it. Those that are asked
/// for when MaxKernelSteps have been taken are unknown.
class LoopFootprints {
public:
  LoopFootprints(const KernelFacts &Kernel, const GPUModel &GPU)
      : Kernel(Kernel), GPU(GPU) {}
  /// As computeLoopFootprint. Stays valid.
  const LoopFootprint &of(unsigned LoopIndex, const LaunchConfig &Launch);

private:
  const KernelFacts &Kernel;
  const GPUModel &GPU;
  /// By the loop and all of a launch that an address can depend on.
  using Key =
      std::tuple<unsigned, decltype(LaunchDim::Sizes),
                 decltype(LaunchDim::Sizes), decltype(LaunchConfig::Arguments)>;
  std::map<Key, LoopFootprint> Computed;
  uint64_t Steps = 0; ///< Of all of them.
};

/// Of a kernel with all its loops and launches, likewise: so many as of one
/// loop, so that no compile takes much longer.
constexpr uint64_t MaxKernelSteps = MaxFootprintSteps;

/// Inner iterations that are enumerated for an outer loop's footprint.
constexpr unsigned MaxInnerIterations = 64;

/// What a warp's request of an access has to run in, of the iterations of the
/// loop, to count.
constexpr double MinShare = 0.1;

} // namespace sluice

#endif
