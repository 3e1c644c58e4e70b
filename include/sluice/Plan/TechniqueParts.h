// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What each technique may be asked and what it decides: its part of the
/// options and its part of the plan, with the reason. Options.h and Plan.h put
/// the parts together; the techniques' rows (Technique.h) read and write them.
/// Long because each technique has its parts in it.

#ifndef SLUICE_PLAN_TECHNIQUEPARTS_H
#define SLUICE_PLAN_TECHNIQUEPARTS_H

#include "sluice/Analysis/ArgumentMinimum.h"
#include "sluice/Analysis/SourcePlace.h"
#include "sluice/Target/CacheHint.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

//===- Throttling ---------------------------------------------------------===//

struct ThrottleSettings {
  bool Throttle = true;                         ///< `throttle=auto|off|N[,M]`.
  std::optional<unsigned> ForcedWarpGroups;     ///< N of `throttle=N`.
  std::optional<unsigned> ForcedResidentBlocks; ///< M of `throttle=N,M`.
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

/// Of a loop: the warps of a block take turns in it.
struct TurnsPlan {
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
};

//===- Carveout -----------------------------------------------------------===//

struct CarveoutSettings {
  bool Carveout = true; ///< `carveout=auto|off`.
};

/// Of a kernel.
struct CarveoutPlan {
  /// Share of the on-chip memory asked for as shared memory, per cent of the
  /// most there can be; what the kernel needs is met in any case. None: the
  /// driver decides.
  std::optional<unsigned> CarveoutPercent;
  /// The decision on the carveout where it is not for M, also against one; or
  /// empty.
  std::string CarveoutWhy;
};

//===- Limit of blocks ----------------------------------------------------===//

struct BlocksSettings {
  bool LimitBlocks = true;   ///< `blocks=auto|prefer`; not with `off`.
  bool PreferBlocks = false; ///< `blocks=prefer`.
};

/// Of a kernel.
struct BlocksPlan {
  /// M: thread blocks kept on an SM, by the carveout and a claim of shared
  /// memory. None: no limit.
  std::optional<unsigned> ResidentBlocks;
  /// Dynamic shared memory that the host adds to each launch.
  uint64_t ClaimedSharedBytes = 0;
  std::string BlocksWhy; ///< The decision on M, also against it; or empty.
};

//===- Scalar promotion ---------------------------------------------------===//

struct PromotionSettings {
  bool Promote = true;         ///< `promote=on|off`.
  bool PromoteIsGiven = false; ///< Not `on` by default.
  /// Of text, in which sums are promoted in loops with rows alone.
  bool PromoteInRows = false;
};

/// Of a loop.
struct PromotionPlan {
  /// Scalar promotion of what it adds up in memory: wanted, or kept from it.
  /// None: none is foreseen, and where one can be proven it is made.
  std::optional<bool> Promote;
  std::string PromoteWhy; ///< Likewise in one sentence.
};

//===- Cache hints --------------------------------------------------------===//

struct HintSettings {
  bool Hints = true;             ///< `hints=auto|off|profile`.
  bool HintsNeedProfile = false; ///< `hints=profile`.
  /// `test-hints=SEED`, not in the help: random cache hints on the loads that
  /// no plan lists, for sluice-fuzz.
  std::optional<uint64_t> RandomHints;
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

/// Of a kernel.
struct HintsPlan {
  std::vector<LoadPlan> Loads; ///< Those that are not listed get no hint.
};

//===- Warp-partitioned bypassing -----------------------------------------===//

/// What the other warps bypass.
enum class BypassedCache : uint8_t {
  L1,
  ReadOnly, ///< The L1 as read-only data goes through it, and only that data.
  L2,
};

struct BypassSettings {
  bool Bypass = true;                  ///< `bypass=`; not with `off`.
  std::optional<unsigned> CachedWarps; ///< `bypass=PI`.
  bool SamplesWarps = false;           ///< `bypass=dynamic`.
  bool BypassByFootprint = false;      ///< `bypass=footprint`.
  bool BypassByProfile = false;        ///< `bypass=profile`.
  /// `bypass-of=`, of what these ask for.
  BypassedCache BypassOf = BypassedCache::L1;
};

/// Of a kernel.
struct BypassPlan {
  /// Of a block, the warps that use the cache: the thesis's threshold (section
  /// 5.4.2). None: all do.
  std::optional<unsigned> CachedWarps;
  /// In place of a number: the kernel's first blocks try several, and the
  /// others take the best (section 5.4.4).
  bool SamplesWarps = false;
  BypassedCache BypassOf = BypassedCache::L1;
  std::string BypassWhy; ///< The decision, also against it; or empty.
};

//===- Special function units ---------------------------------------------===//

/// In place of a number of warps: the program says it as it runs, in a variable
/// of the device, `sluice_sfu_warps`.
inline constexpr unsigned SfuWarpsOfSymbol = ~0u;

struct SfuSettings {
  bool Sfu = true; ///< `sfu=`; not with `off`.
  /// `sfu=LAMBDA`; `sfu=symbol`: SfuWarpsOfSymbol.
  std::optional<unsigned> SfuWarps;
  std::vector<std::string> SfuKernels; ///< `sfu-kernels=`; empty: all.
  bool SfuBySlot = false;              ///< `sfu-index=slot`.
  /// `test-sfu=exact`, for sluice-fuzz: two versions that compute the same.
  bool SfuStaysExact = false;
};

/// Of a kernel.
struct SfuPlan {
  /// Warps below this one compute approximately, or SfuWarpsOfSymbol. None: no
  /// warp does.
  std::optional<unsigned> SfuWarps;
  /// Only in functions whose source asks for it, and in what they call.
  bool SfuOfFunctions = false;
  /// By the warp's place on the SM, and not in its block.
  bool SfuBySlot = false;
  std::string SfuWhy; ///< The decision, also against it; or empty.
};

//===- Register limit -----------------------------------------------------===//

/// `shared-spills=`: who may spill to shared memory?
enum class SharedSpills : uint8_t {
  Auto,  ///< We, where Sluice limits registers.
  Off,   ///< Nobody: all goes to local memory.
  Ptxas, ///< ptxas, also within launch bounds.
  Own,   ///< We, likewise.
};

/// Which kernels may have as many registers as keep the blocks on an SM that
/// there are without.
enum class StepRegisters {
  None,  ///< `registers=off`, and where another choice is made.
  Grown, ///< `registers=auto`: in which Sluice made more values alive at once;
         ///< and of the others those have fewer that gain blocks by it.
  All    ///< `registers=step`
};

struct RegisterSettings {
  std::optional<unsigned> MaxRegisters; ///< `registers=N`.
  bool CratRegisters = false;           ///< `registers=crat`, `crat-whole`.
  bool CratByTpscAlone = false;         ///< Not `crat-whole`.
  StepRegisters Step = StepRegisters::Grown;
  /// `enough-blocks=KERNEL:M`: what the user measured.
  std::vector<std::pair<std::string, unsigned>> GivenEnoughBlocks;
  SharedSpills Spills = SharedSpills::Auto;
  /// `test-spills=N`, for sluice-fuzz: so many values of each kernel, whether
  /// or not they have registers.
  unsigned ForcedSpills = 0;
  /// `registers-code=FILE`, for `sluice registers`: bitcode of which limits are
  /// tried. Empty: none.
  std::string RegistersCodeFile;
};

/// Of a kernel.
struct RegisterPlan {
  /// The most registers of a thread. None: the assembler decides.
  std::optional<unsigned> MaxRegisters;
  std::string RegistersWhy; ///< The decision, also against one; or empty.
  /// Limits that are worth a try, ascending (findRegisterPoints). The tuner's:
  /// they are in no plan file.
  std::vector<unsigned> RegisterPoints;
  /// So many blocks on an SM are enough (CRAT's OptTLP), as a profile's
  /// simulation or the user says; MostEnoughBlocks: all that there are. None:
  /// neither says.
  std::optional<unsigned> EnoughBlocks;
  std::string EnoughWhy; ///< Where that is from; or empty.
};

/// As many blocks as an SM can hold (BlocksPrediction::All).
constexpr unsigned MostEnoughBlocks = 32;

//===- Software L1 --------------------------------------------------------===//

struct SoftwareL1Settings {
  bool SoftwareL1 = true;  ///< `software-l1=`; not with `off`.
  bool StageAll = false;   ///< `software-l1=staged`.
  bool WidenAll = false;   ///< `software-l1=registers`.
  bool CacheAll = false;   ///< `software-l1=shared`.
  bool ShortRows = true;   ///< `short-rows=auto|off`.
  unsigned ChunkBytes = 0; ///< `test-chunk=`, for sluice-fuzz; 0: a line's.
  /// Accesses that a thread counts before it chooses what to keep lines of: the
  /// paper's number, or `test-count=`, for sluice-fuzz; 0: none is counted.
  unsigned CountedAccesses = 300;
};

/// A stream of which more than an access's bytes are kept.
struct StagedStream {
  CodeId Id; ///< Of its first access, all copies.
};

/// Of a loop.
struct StagingPlan {
  std::vector<StagedStream> Staged; ///< Empty: none.
  unsigned ChunkBytes = 0;          ///< Of each stream at a time, at most.
  /// Warps of a block that have buffers at a time; others wait for them.
  unsigned StagedWarps = 0;
  /// Iterations from which on they are staged; 0: what two chunks serve.
  uint64_t StagedFrom = 0;
  /// Copied through the L1, as other warps of the block read the same lines.
  bool ThroughL1 = false;
  std::string StagedWhy; ///< The decision, also against it; or empty.
  /// Kept in registers, 16 bytes at a time, in place of shared memory.
  std::vector<StagedStream> Widened;
  std::string WidenedWhy; ///< As StagedWhy.
};

/// Of a kernel of which a loop's rows or lines are kept.
struct KeptRowsPlan {
  /// Of a thread of the kernel as clang has it, by the assembler, where blocks
  /// of 1,024 threads cannot have so many; else 0.
  unsigned OwnRegisters = 0;
};

/// Of a loop: each thread keeps lines of what it accesses in shared memory.
struct LinesPlan {
  /// Data structures that may have a line, each by its first access. Empty:
  /// none.
  std::vector<StagedStream> Lines;
  unsigned LinesPerThread = 0;
  /// Threads of a block that have lines; others run the loop as it was.
  unsigned LineThreads = 0;
  /// A thread counts hits first and chooses by them; else the first that are
  /// listed have lines.
  bool LinesMonitored = false;
  std::string LinesWhy; ///< The decision, also against it; or empty.
};

//===- Loads in flight ----------------------------------------------------===//

struct LoadsInFlightSettings {
  bool LoadsInFlight = true; ///< `loads-in-flight=`; not with `off`.
  /// `loads-in-flight=N`: of each loop that may be.
  std::optional<unsigned> ForcedUnroll;
  bool ConditionsFirst = true; ///< `conditions-first=auto|off`.
};

/// Of a kernel.
struct LoadsInKernelPlan {
  /// Registers that a thread may have without fewer threads on an SM, as the
  /// launches are small: the assembler keeps to fewer by itself. 0: not known.
  unsigned LoadRegisters = 0;
  /// False: conditions stay in its loops. None: they are asked before, where
  /// all threads decide alike.
  std::optional<bool> ConditionsFirst;
};

/// Of a loop.
struct LoadsInFlightPlan {
  unsigned Unroll = 0;   ///< Iterations taken together; 0: as clang has it.
  std::string UnrollWhy; ///< The decision; or empty.
};

//===- Atomics ------------------------------------------------------------===//

struct AtomicsSettings {
  bool Atomics = true; ///< `atomics=auto|off`.
};

/// Of a kernel.
struct AtomicsPlan {
  /// False: its atomics are kept as clang makes them. None: they have the order
  /// and scope that CUDA says.
  std::optional<bool> RelaxAtomics;
};

//===- Struct copies ------------------------------------------------------===//

struct CopiesSettings {
  bool Copies = true; ///< `copies=auto|off`.
};

/// Of a kernel.
struct CopiesPlan {
  /// False: structs are copied as clang copies them. None: read before they are
  /// written.
  std::optional<bool> ReadFirst;
};

//===- Local arrays -------------------------------------------------------===//

struct LocalArraysSettings {
  bool LocalArrays = true; ///< `local-arrays=auto|off`.
  /// `write-rounding=auto|off`; `auto` in clang, which knows how code will be
  /// generated.
  bool WriteRounding = false;
};

/// Of a kernel.
struct LocalArraysPlan {
  /// False: its arrays stay where clang has them. None: in registers, where
  /// loops over them can be unrolled.
  std::optional<bool> ArraysInRegisters;
};

//===- Constant arrays ----------------------------------------------------===//

struct ConstantArraysSettings {
  bool ConstantArrays = true; ///< `constant-arrays=auto|off`.
};

/// Of a kernel.
struct ConstantArraysPlan {
  /// False: its arrays in constant memory are read as clang has it. None:
  /// through the L1, where the caches for constants serve them badly.
  std::optional<bool> ConstantsThroughL1;
};

//===- Early loads --------------------------------------------------------===//

struct EarlyLoadsSettings {
  bool EarlyLoads = true; ///< `early-loads=auto|all|off`.
  /// `all`: loads of shared memory also go back into loops where the assembler
  /// has registers for them.
  bool AllLateLoads = false;
};

/// Of a kernel.
struct EarlyLoadsPlan {
  /// False: its loads stay behind the stores where clang has them. None: they
  /// go before those that they do not depend on.
  std::optional<bool> LoadsFirst;
};

//===- Synchronisation ----------------------------------------------------===//

struct SyncSettings {
  bool Sync = true;        ///< `sync=`; not with `off`.
  bool SyncFences = false; ///< `sync=all`: fences too.
};

/// Of a kernel.
struct SyncPlan {
  /// False: its barriers, fences and locks are as the source has them. None:
  /// with `sync=auto` they are for the threads that they concern.
  std::optional<bool> NarrowSync;
};

//===- Fewer instructions -------------------------------------------------===//

struct FewerInstructionsSettings {
  bool FewerInstructions = true; ///< `fewer-instructions=auto|off`.
  /// `inline-calls=auto|off`; `auto` in clang, which knows how code will be
  /// generated.
  bool InlineCalls = false;
};

/// Of a kernel.
struct FewerInstructionsPlan {
  /// False: its sums, SIMD intrinsics, choices, calls and arrays stay as clang
  /// has them.
  std::optional<bool> FewerInstructions;
};

//===- Blocks that are launched as one ------------------------------------===//

struct MergedBlocksSettings {
  bool MergeBlocks = true; ///< `merge-blocks=`; not with `off`.
  /// Blocks that a thread does the work of side by side: `merge-blocks=N`; 0:
  /// as many as what it accesses says.
  unsigned BlocksTogether = 0;
};

/// Of a kernel.
struct MergedBlocksPlan {
  /// False: its blocks are launched as the program says.
  std::optional<bool> MergesBlocks;
};

//===- Angles -------------------------------------------------------------===//

struct AngleReductionSettings {
  bool AngleReduction = true; ///< `angle-reduction=auto|off`.
};

/// Of a kernel.
struct AngleReductionPlan {
  /// False: each sine and cosine reduces its angle as libdevice has it. None:
  /// once, and in registers.
  std::optional<bool> AnglesOnce;
};

//===- All ----------------------------------------------------------------===//

struct TechniqueSettings : ThrottleSettings,
                           CarveoutSettings,
                           BlocksSettings,
                           PromotionSettings,
                           HintSettings,
                           BypassSettings,
                           SfuSettings,
                           RegisterSettings,
                           SoftwareL1Settings,
                           LoadsInFlightSettings,
                           AtomicsSettings,
                           CopiesSettings,
                           LocalArraysSettings,
                           ConstantArraysSettings,
                           EarlyLoadsSettings,
                           SyncSettings,
                           FewerInstructionsSettings,
                           MergedBlocksSettings,
                           AngleReductionSettings {};

struct KernelDecisions : CarveoutPlan,
                         BlocksPlan,
                         HintsPlan,
                         BypassPlan,
                         SfuPlan,
                         RegisterPlan,
                         KeptRowsPlan,
                         LoadsInKernelPlan,
                         AtomicsPlan,
                         CopiesPlan,
                         LocalArraysPlan,
                         ConstantArraysPlan,
                         EarlyLoadsPlan,
                         SyncPlan,
                         FewerInstructionsPlan,
                         MergedBlocksPlan,
                         AngleReductionPlan {};

struct LoopDecisions : TurnsPlan,
                       PromotionPlan,
                       StagingPlan,
                       LinesPlan,
                       LoadsInFlightPlan {};

} // namespace sluice

#endif
