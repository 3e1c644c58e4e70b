// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Facts about each SM architecture that the planners compute with. Every
/// number has its source beside it in lib/Target/GPUModel.cpp.

#ifndef SLUICE_TARGET_GPUMODEL_H
#define SLUICE_TARGET_GPUMODEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sluice {

/// One SM architecture, or a chip of one. All "per SM" unless a name says
/// otherwise.
struct GPUModel {
  llvm::StringRef Name; ///< As clang and ptxas spell it: "sm_90".
  /// "h200": a chip whose memory differs from that of the chip its architecture
  /// is measured or described by (MemoryModel.h). Empty: that one.
  llvm::StringRef Chip;
  unsigned Major;       ///< Compute capability, 9 for sm_90.
  unsigned Minor;       ///< Compute capability, 0 for sm_90.

  unsigned DefaultSMs; ///< SMs of the architecture's largest chip on sale.

  unsigned UnifiedKiB; ///< L1 data cache and shared memory together, KiB.
  /// Shared-memory sizes the carveout can take, KiB, ascending. What the
  /// carveout does not take of UnifiedKiB is left to the L1.
  llvm::ArrayRef<unsigned> CarveoutKiB;
  unsigned MaxSharedPerBlockBytes;      ///< Opt-in limit of one thread block.
  unsigned ReservedSharedPerBlockBytes; ///< Taken by the driver, per block.
  unsigned SharedAllocationUnitBytes;

  unsigned LineBytes;      ///< Cache line: what one L1 tag covers.
  unsigned SectorBytes;    ///< What one L1 miss fetches.
  bool L1AllocatesOnStore; ///< A store that misses takes a line in the L1.

  unsigned WarpSize;
  unsigned MaxWarps;
  unsigned MaxThreads;
  unsigned MaxBlocks;
  unsigned Registers; ///< 32-bit registers of the SM.
  unsigned MaxRegistersPerThread;
  unsigned RegisterAllocationUnit; ///< Registers a warp is given at a time.
  unsigned SubPartitions;          ///< Warp schedulers.

  /// Bytes of L1 left when \p CarveoutKiB KiB are shared memory.
  uint64_t l1Bytes(unsigned CarveoutKiB) const {
    return uint64_t(UnifiedKiB - CarveoutKiB) * 1024;
  }

  /// How a program asks for the carveout of \p KiB: per cent of the largest.
  unsigned percentOfCarveout(unsigned KiB) const {
    return 100 * KiB / CarveoutKiB.back();
  }
  /// The carveout, KiB, of a program that asks for \p Percent of the largest:
  /// the driver takes the smallest that is no less.
  unsigned carveoutOfPercent(unsigned Percent) const;

  /// The carveout, KiB, that the driver picks when the program sets nothing,
  /// for a kernel of which \p BlocksPerSM blocks fit an SM, each with
  /// \p SharedPerBlockBytes of its own. More than the blocks need: see
  /// docs/internals/gpu-model.md for the rule and its measurement.
  unsigned defaultCarveoutKiB(unsigned BlocksPerSM,
                              uint64_t SharedPerBlockBytes) const;
};

/// Every architecture Sluice knows, ascending.
llvm::ArrayRef<GPUModel> allGPUModels();

/// The model for \p Name ("sm_90", also "sm_90a" and "90"), or for a chip of its
/// own memory ("h200"). The error names \p Name and lists the names that exist.
llvm::Expected<const GPUModel *> findGPUModel(llvm::StringRef Name);

/// The chips that findGPUModel knows beside the architectures.
llvm::ArrayRef<GPUModel> allChips();

/// The model of \p Chip if there is such a chip of \p GPU's architecture, else
/// \p GPU.
const GPUModel &chipOr(llvm::StringRef Chip, const GPUModel &GPU);

} // namespace sluice

#endif
