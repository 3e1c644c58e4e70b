// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The Plan: what will be done to each kernel and loop, and the numbers behind
/// it. It is the only thing that passes between deciding and doing. Its YAML
/// form is described in docs/plan-format.md.

#ifndef SLUICE_PLAN_PLAN_H
#define SLUICE_PLAN_PLAN_H

#include "sluice/Analysis/ArgumentMinimum.h"
#include "sluice/Analysis/LaunchConfig.h"
#include "sluice/Analysis/SourcePlace.h"
#include "sluice/Target/CacheHint.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

namespace sluice {

/// Bytes by which an iteration moves an address; none: it is not known.
using MaybeStride = std::optional<int64_t>;

/// A global load or store of a loop, as the footprint counted it.
struct AccessPlan {
  CodeId Id;
  std::string Kind;          ///< "load" or "store".
  unsigned Bytes = 0;        ///< Of one lane.
  std::string Address;       ///< AddressForm::str(), in bytes.
  unsigned LinesPerWarp = 0; ///< Distinct cache lines of a warp (Eq. 7).
  unsigned SectorsPerWarp = 0;
  uint64_t LinesPerBlock = 0; ///< Distinct lines of a block.
  /// Lines of a request in the mean by a profile, where LinesPerWarp is from
  /// it.
  std::optional<double> MeasuredLinesPerWarp;
  /// Of the loop. None: the plan, made by hand, does not say.
  std::optional<MaybeStride> IterationStride;
};

using BlockShape = std::array<unsigned, 3>; ///< Threads along x, y and z.

/// A row of a loop's table: N for some launches.
struct LaunchRow {
  /// For blocks of just this shape; else for one-dimensional blocks of whole
  /// warps, of MinThreads to MaxThreads threads.
  std::optional<BlockShape> Block;
  unsigned MinThreads = 0;
  unsigned MaxThreads = 0;
  uint64_t MinBlocks = 1; ///< Of the grid: the row holds from so many on.
  unsigned WarpGroups = 1;
};

struct LoopPlan {
  CodeId Id;
  /// The throttling factor N: the warps of a block take turns in N groups.
  /// 1: not throttled. With ByLaunch: the largest there.
  unsigned WarpGroups = 1;
  /// N by what the kernel is launched with (LaunchTable.h); empty: one N for
  /// all launches.
  std::vector<LaunchRow> ByLaunch;
  /// Turns are taken only where all of these hold, which the kernel tests.
  /// Empty where there are no turns.
  ArgumentMinima OnlyIf;
  std::string Why; ///< The decision in one sentence with its numbers.
  /// Cache lines of the resident blocks together, in bytes (Eq. 8), with every
  /// warp running and with N groups taking turns; of the launch with the
  /// largest.
  uint64_t FootprintBytes = 0;
  uint64_t ThrottledFootprintBytes = 0;
  /// What the kernel's launches in the profile take by the cost model, with N
  /// as planned and without turns; 0: not predicted.
  uint64_t PredictedNanoseconds = 0;
  uint64_t UnthrottledNanoseconds = 0;
  /// Scalar promotion of what it adds up in memory: wanted, or kept from it.
  /// None: none is foreseen, and where one can be proven it is made.
  std::optional<bool> Promote;
  std::string PromoteWhy; ///< Likewise in one sentence.
  std::vector<AccessPlan> Accesses;
};

/// What a global load asks of the caches.
struct LoadPlan {
  /// All copies of the load that the optimiser makes: the ordinal stays 0.
  /// Without calls: however it was inlined.
  CodeId Id;
  CacheHint Hint;
  std::string Why; ///< The decision in one sentence with its numbers.

  /// Is it for \p Load, in whichever copy?
  bool isFor(const CodeId &Load) const {
    return Id.Place == Load.Place &&
           (Id.InlinedAt.empty() || Id.InlinedAt == Load.InlinedAt);
  }
};

/// One launch and what an SM then holds.
struct LaunchPlan {
  LaunchDim Grid, Block;
  std::optional<uint64_t> DynamicSharedBytes;
  SourcePlace Place;
  /// Resident; 0 when it could not be known. With an unknown grid: at most.
  unsigned BlocksPerSM = 0;
  uint64_t L1Bytes = 0;
  bool FromProfile = false; ///< Its sizes are those that a profile saw.
};

struct KernelPlan {
  std::string Name;        ///< Mangled.
  std::string DisplayName; ///< As the source has it; for the reader.
  unsigned Registers = 0;  ///< Of a thread, in the throttled kernel; 0 unknown.
  std::string RegistersFrom; ///< "assembler", "assembler, at least", "launch
                             ///< bounds" or "assumed".
  uint64_t StaticSharedBytes = 0; ///< Of a block.
  /// Share of the on-chip memory asked for as shared memory, per cent of the
  /// most there can be; what the kernel needs is met in any case. None: the
  /// driver decides.
  std::optional<unsigned> CarveoutPercent;
  /// The decision on the carveout where it is not for M, also against one; or
  /// empty.
  std::string CarveoutWhy;
  /// M: thread blocks kept on an SM, by the carveout and a claim of shared
  /// memory. None: no limit.
  std::optional<unsigned> ResidentBlocks;
  /// Dynamic shared memory that the host adds to each launch.
  uint64_t ClaimedSharedBytes = 0;
  std::string BlocksWhy; ///< The decision on M, also against it; or empty.
  std::vector<LaunchPlan> Launches;
  std::vector<LoopPlan> Loops;
  std::vector<LoadPlan> Loads; ///< Those that are not listed get no hint.
};

/// The plan for one source file on one architecture.
struct Plan {
  std::string Source; ///< Last component of the main file's path.
  std::string GPU;    ///< "sm_90".
  unsigned SMs = 0;
  std::vector<KernelPlan> Kernels;

  const KernelPlan *kernel(llvm::StringRef Name) const;
};

/// Of the documents of a plan file the one for \p Source on \p GPU: one that
/// names the source before one that names none. Null: there is none.
const Plan *planFor(llvm::ArrayRef<Plan> Plans, llvm::StringRef Source,
                    llvm::StringRef GPU);

/// Writes \p Plans as a YAML stream, one document a plan. Stable: equal plans
/// give equal text, and parsePlans(text) gives equal plans.
void writePlans(llvm::ArrayRef<Plan> Plans, llvm::raw_ostream &OS);

/// Reads a stream of plans. On malformed text, an unknown key, a missing or an
/// impossible value: an error "NAME:line:column: what is wrong". \p Name is
/// what to call the text.
llvm::Expected<std::vector<Plan>> parsePlans(llvm::StringRef Text,
                                             llvm::StringRef Name);

/// parsePlans of a file; "-" is standard input.
llvm::Expected<std::vector<Plan>> readPlanFile(llvm::StringRef Path);

/// Writes \p P alone to the file \p Path in one step, whatever was in it; "-"
/// is standard output.
llvm::Error writePlanFile(llvm::StringRef Path, const Plan &P);

/// Puts \p New into the plan file \p Path, in place of the plan for the same
/// source and GPU, keeping the others; "-" writes to standard output. Refuses
/// to overwrite a file that is not a plan. The file is replaced in one step.
llvm::Error updatePlanFile(llvm::StringRef Path, const Plan &New);

} // namespace sluice

#endif
