// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The X-model of a kernel: Table 3.1's parameters for one SM, with warps as
/// threads, cycles of its clock, and bytes of the sectors that loads ask of the
/// L1.
///
/// With a profile, Z, the bytes of a request, alpha, beta and what misses cost
/// are from what the kernel did, and there is a predicted time. Without one,
/// they are from its code, and what the L2 has is not known: memory is DRAM.

#ifndef SLUICE_XMODEL_KERNELX_H
#define SLUICE_XMODEL_KERNELX_H

#include "sluice/Analysis/Profile.h"
#include "sluice/XModel/CodeMix.h"
#include "sluice/XModel/XModel.h"
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// Launches of one shape.
struct LaunchX {
  unsigned WarpsPerBlock = 1;
  unsigned BlocksPerSM = 1; ///< Resident.
  uint64_t GridBlocks = 0;  ///< 0: not known.
  uint64_t Launches = 1;
  uint64_t L1Bytes = 0;
  std::string LimitedBy; ///< What keeps more blocks away; empty: not known.

  unsigned warps() const { return WarpsPerBlock * BlocksPerSM; }
};

/// What a loop reads in one iteration, by its code.
struct LoopReads {
  double SectorsPerLoad = 1, LinesPerLoad = 1; ///< Of a warp's load, the mean.
  double FootprintBytes = 0; ///< Of an iteration of all warps of the SM.
  /// Of the lines of an iteration, those that an earlier one has touched.
  double ReusedShare = 0;
  double UsefulShare = 1; ///< Of the sectors' bytes, those that lanes want.
};

struct KernelX {
  std::string Name; ///< Mangled.
  const GPUModel *GPU = nullptr;
  unsigned SMs = 0;
  LaunchX Launch; ///< That the graph is of: most warps, then most blocks.
  CodeMix Mix;
  XModel Model;
  bool IsProfiled = false;
  double FitError = 0; ///< Of alpha and beta, in hit rates (LocalityFit).
  /// Of the bytes that are asked for, those that some lane wants.
  double UsefulShare = 1;
  double LinesPerRequest = 1; ///< Of a load.

  // With a profile alone.
  std::optional<double> SimulatedHitRate; ///< Those on their way among them.
  /// All launches: by the X-model, the same without the cache, and by the
  /// simulator of the profile.
  double Milliseconds = 0, WithoutCacheMilliseconds = 0;
  double SimulatedMilliseconds = 0;
  /// As the first, with alpha and beta in place of the curve of hits.
  double Equation35Milliseconds = 0;
  /// And by the roofline: the lanes or the memory behind the L1, whichever
  /// takes longer for what was simulated.
  double RooflineMilliseconds = 0;
  /// Of each byte that loads ask for, what goes on to the L2 and to DRAM.
  double L2Share = 0, DRAMShare = 0;
  /// Bytes of these a cycle of an SM, at most: with the stores beside them, and
  /// lines of which DRAM gives more than is asked for. 0: it has none.
  double L2Rate = 0, DRAMRate = 0;
  double InstructionsPerBlock = 0;
  std::vector<LaunchX> Launches;

  /// What \p Bytes a cycle of each SM are, in GB/s of the chip.
  double gigabytesPerSecond(double Bytes) const;
  double microseconds(double Cycles) const;
  uint64_t launches() const; ///< Of all shapes.
};

/// The kernel \p Of a profile. \p StaticSharedBytes of a block are the code's.
/// Errors as computeOccupancy, and if nothing of it was simulated.
llvm::Expected<KernelX> kernelXOf(const KernelProfile &Of, const CodeMix &Mix,
                                  const GPUModel &GPU, unsigned SMs,
                                  uint64_t StaticSharedBytes);

/// A kernel that has not been run. \p Reads: its loop that touches most; none:
/// it has no loop, or one of which nothing is known.
KernelX kernelXOf(llvm::StringRef Name, const CodeMix &Mix, const GPUModel &GPU,
                  unsigned SMs, const LaunchX &Launch,
                  const std::optional<LoopReads> &Reads);

/// Milliseconds of all launches of \p K, which has a profile, if each is as
/// \p Change makes it.
double predictedMilliseconds(const KernelX &K,
                             llvm::function_ref<void(XModel &)> Change);

} // namespace sluice

#endif
