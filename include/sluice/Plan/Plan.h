// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The Plan: what will be done to each kernel and loop, and the numbers behind
/// it. It is the only thing that passes between deciding and doing. What each
/// technique decides is in TechniqueParts.h. Its YAML form is described in
/// docs/plan-format.md.

#ifndef SLUICE_PLAN_PLAN_H
#define SLUICE_PLAN_PLAN_H

#include "sluice/Analysis/LaunchConfig.h"
#include "sluice/Analysis/SourcePlace.h"
#include "sluice/Plan/TechniqueParts.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

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

struct LoopPlan : LoopDecisions {
  CodeId Id;
  std::vector<AccessPlan> Accesses;
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

struct KernelPlan : KernelDecisions {
  std::string Name;        ///< Mangled.
  std::string DisplayName; ///< As the source has it; for the reader.
  unsigned Registers = 0;  ///< Of a thread, in the throttled kernel; 0 unknown.
  std::string RegistersFrom; ///< "assembler", "assembler, at least", "launch
                             ///< bounds" or "assumed".
  uint64_t StaticSharedBytes = 0; ///< Of a block.
  std::vector<LaunchPlan> Launches;
  std::vector<LoopPlan> Loops;
};

/// The plan for one source file on one architecture.
struct Plan {
  std::string Source; ///< Last component of the main file's path.
  std::string GPU;    ///< "sm_90".
  /// "h200", if it was planned for a chip with another memory than that of the
  /// architecture's measured one; else empty. It does not choose the plan.
  std::string Chip;
  unsigned SMs = 0;
  std::vector<KernelPlan> Kernels;

  const KernelPlan *kernel(llvm::StringRef Name) const;
  /// Is it for the same source and GPU?
  bool isForSameCompile(const Plan &Other) const {
    return Source == Other.Source && GPU == Other.GPU;
  }
};

/// Turns, fewer blocks or another L1: what depends on registers.
bool isThrottled(const KernelPlan &Kernel);

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
