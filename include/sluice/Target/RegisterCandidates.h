// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The limits of registers that are worth a try for kernels in PTX, and what
/// the assembler makes of each: the critical points between the thesis' two
/// bounds, which it also takes from the assembler (Li, section 4.3).

#ifndef SLUICE_TARGET_REGISTERCANDIDATES_H
#define SLUICE_TARGET_REGISTERCANDIDATES_H

#include "sluice/Target/AssemblyCache.h"
#include "sluice/Target/CriticalPoints.h"
#include "sluice/Target/KernelDirectives.h"
#include "sluice/Target/LaunchShape.h"

namespace sluice {

struct KernelToLimit {
  std::string Name; ///< In PTX.
  std::vector<LaunchShape> Launches;
  std::vector<unsigned> Also = {}; ///< Limits beside the critical points.
  bool MaySpillToShared = false;   ///< What a limit leaves no register for.
};

/// A kernel's code under a limit.
struct LimitedCode {
  unsigned Limit = 0;
  AssembledKernel Code; ///< May take fewer registers.
  /// Where that spills, the same with spills in shared memory too; none: the
  /// assembler refuses, or was not asked.
  std::optional<AssembledKernel> Shared = std::nullopt;
  /// Instructions of shared memory that our own spills put into that. None:
  /// they are the assembler's, which counts none.
  std::optional<unsigned> SharedAccesses = std::nullopt;
};

struct RegisterCandidates {
  AssembledKernel Chosen; ///< Without a limit.
  RegisterRange Range;    ///< Eq. 4.1. With more than Max nothing changes.
  KernelDirectives Own;   ///< What the source says.
  std::vector<LimitedCode> Limits; ///< Ascending: those of all launches.

  const LimitedCode *at(unsigned Limit) const;
};

struct CandidateSetup {
  const GPUModel *GPU = nullptr;
  unsigned SMs = 0;
  /// -maxrregcount, which the assembler heeds where the source says nothing.
  std::optional<unsigned> UsersMost;
};

/// Of each of \p Kernels, in their order. Two rounds of the assembler, each on
/// all cores: the bounds, then the points between them; and one more for what
/// spills there. Fails where a kernel is
/// not in \p Code or a limit that was asked for is not in its range, and says
/// what would be.
llvm::Expected<std::vector<RegisterCandidates>>
registerCandidates(const AssemblyCache &Cache, const AssemblyRequest &Code,
                   const CandidateSetup &Setup,
                   llvm::ArrayRef<KernelToLimit> Kernels);

} // namespace sluice

#endif
