// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a program's memory accesses did in the L1 when it ran: for each access,
/// each pair of loads and each loop of each kernel. `sluice profile` fills it,
/// from the emulator or from a GPU; analyses and planners read it. Its file is
/// described in docs/profile-format.md.
///
/// The counts that Liang et al. (TCAD 2015, section IV) need are here under
/// these names: access_i is AccessProfile::SectorsAlone, hit_i HitsAlone, and
/// hit_ij PairProfile::Hits.

#ifndef SLUICE_ANALYSIS_PROFILE_H
#define SLUICE_ANALYSIS_PROFILE_H

#include "sluice/Analysis/FunctionText.h"
#include "sluice/Analysis/LaunchConfig.h"
#include "sluice/Analysis/SourcePlace.h"
#include "sluice/Target/CacheHint.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// What warps did at one access, and the L1 with it. All are sums over warps;
/// sectors are of 32 bytes, lines of 128.
struct AccessCounts {
  uint64_t Requests = 0;    ///< Executions by a warp.
  uint64_t Lanes = 0;       ///< Lanes that took part.
  uint64_t Bytes = 0;       ///< That lanes asked for: lanes * bytes of a lane.
  uint64_t UsefulBytes = 0; ///< Distinct bytes of each request.
  uint64_t Lines = 0;       ///< Distinct lines of each request.
  uint64_t Sectors = 0;     ///< Distinct sectors of each request.
  uint64_t Hits = 0;        ///< Sectors that were in the L1.
  uint64_t PendingHits = 0; ///< Sectors that had been asked for already and
                            ///< were on their way. Not among Hits.
  uint64_t DRAMSectors = 0; ///< Of the misses, sectors that the L2 had not.

  uint64_t misses() const { return Sectors - Hits - PendingHits; }
  /// What does not fit into 64 bits stays at the most there can be.
  AccessCounts &operator+=(const AccessCounts &Other);
};

/// Reuse distances of lines: how many other lines the SM touched between two
/// touches of a line. Bucket B counts distances below 2^B lines and not below
/// 2^(B-1); bucket 0 is distance 0.
struct ReuseHistogram {
  static constexpr unsigned Buckets = 32;
  std::array<uint64_t, Buckets> Count = {};
  uint64_t Never = 0; ///< First touches.

  ReuseHistogram &operator+=(const ReuseHistogram &Other);
};

/// A load, store or atomic of global memory as the source has it. The compiler
/// may have made several of it (unrolling, peeling): Copies has each, in the
/// order of the code; with one there is none. Id and Kind together say which
/// access it is: in A[i] += x a load and a store have one place.
struct AccessProfile {
  CodeId Id;          ///< Ordinal 0: copies are one access here.
  std::string Kind;   ///< "load", "store" or "atomic".
  unsigned Bytes = 0; ///< Of one lane, the most of any copy.
  AccessCounts Counts;
  ReuseHistogram Reuse;
  /// Loads: sectors and hits when this load alone is cached, all others bypass.
  uint64_t SectorsAlone = 0;
  uint64_t HitsAlone = 0;
  std::vector<AccessCounts> Copies;
};

/// Two loads of a kernel, by their indices in KernelProfile::Accesses.
struct PairProfile {
  unsigned First = 0, Second = 0;
  uint64_t Hits = 0; ///< Of both together when these two alone are cached.
};

/// The time of all launches of a kernel for which the program asks for a
/// carveout of so many per cent, with which an SM keeps all of its blocks.
struct CarveoutPrediction {
  std::optional<unsigned> Percent; ///< None: the driver's choice.
  uint64_t Nanoseconds = 0;
};

/// One of \p Carveouts makes a difference of 3 % or more to the driver's: what
/// the model sees in less is not worth a word.
bool changesAnything(llvm::ArrayRef<CarveoutPrediction> Carveouts);

/// What a load, by its index in KernelProfile::Accesses, asks of the caches in
/// place of what it does.
struct LoadHint {
  unsigned Access = 0;
  CacheHint Hint;

  friend bool operator==(const LoadHint &A, const LoadHint &B) {
    return A.Access == B.Access && A.Hint == B.Hint;
  }
};

/// The time of all launches of a kernel some of whose loads have other hints.
struct HintsPrediction {
  std::vector<LoadHint> Loads; ///< Ascending. Empty: the code as it is.
  uint64_t Nanoseconds = 0;
};

/// The time of all launches of a kernel whose warps take turns at one loop in
/// so many groups (the throttling factor N; 1: none).
struct TurnsPrediction {
  unsigned WarpGroups = 1;
  uint64_t Nanoseconds = 0;
  /// The same with the driver's carveout, first, and with others; empty if that
  /// was not simulated. Ascending.
  std::vector<CarveoutPrediction> Carveouts = {};
};

/// The time of all launches of a kernel of which no more than so many blocks
/// stay on an SM (M), with the L1 that the claim for it leaves.
struct BlocksPrediction {
  static constexpr unsigned All = 32; ///< As many as an SM can hold at most.
  unsigned Blocks = All;
  uint64_t Nanoseconds = 0;
};

/// \p B, one of \p Of, is fewer blocks than there are in some launch, or is
/// All.
bool changesAnything(const BlocksPrediction &B,
                     llvm::ArrayRef<BlocksPrediction> Of);

/// The time of all launches of a kernel of which only the first so many warps
/// of a block use the L1 (docs/passes/warp-bypass.md).
struct BypassPrediction {
  static constexpr unsigned All = 32; ///< As many as a block can have at most.
  unsigned CachedWarps = All;
  uint64_t Nanoseconds = 0;
};

/// The time of all launches of a kernel with rows of one loop in shared memory
/// (docs/passes/software-l1.md), and of the same launches as they are.
struct StagedPrediction {
  uint64_t Nanoseconds = 0;
  uint64_t Without = 0;
};

/// A loop, per warp that enters it and per iteration.
struct LoopProfile {
  CodeId Id;
  uint64_t Entries = 0;    ///< By a warp.
  uint64_t Iterations = 0; ///< By a warp, all entries together.
  /// Distinct lines that a warp touches in one iteration, inner loops included:
  /// sum over iterations, and the most.
  uint64_t IterationLines = 0;
  uint64_t MostIterationLines = 0;
  /// What the kernel would take if warps took turns at this loop; empty if that
  /// was not simulated. Ascending, from one group on.
  std::vector<TurnsPrediction> Turns = {};
  /// None: not simulated, as it reads no rows that lanes have each for itself.
  std::optional<StagedPrediction> Staged = {};
};

/// One shape a kernel was launched with, and how often.
struct LaunchProfile {
  LaunchDim Grid, Block;
  uint64_t DynamicSharedBytes = 0;
  uint64_t Launches = 0;
};

/// What a kernel waits for most.
enum class BindingUnit { Latency, Issue, TagStage, L2, DRAM };
/// "latency", "issue", "tag stage" and so on.
llvm::StringRef nameOfUnit(BindingUnit Unit);

/// How long the simulated SM took, and how long each of its units was busy
/// meanwhile, in cycles.
struct UnitCycles {
  uint64_t Cycles = 0;
  uint64_t IssueCycles = 0; ///< Of the busiest warp scheduler.
  uint64_t TagCycles = 0;   ///< The L1's look-ups.
  uint64_t L2Cycles = 0;    ///< This SM's share of the L2.
  uint64_t DRAMCycles = 0;  ///< And of DRAM.

  /// The unit that is busy for the largest part of Cycles; latency if none is
  /// for more than half.
  BindingUnit boundBy() const;
};

/// What the model predicts for a kernel.
struct PredictedTime : UnitCycles { ///< Of the blocks that were simulated.
  uint64_t Nanoseconds = 0;         ///< Of all launches.

  PredictedTime &operator+=(const PredictedTime &Other);
};

/// Its FunctionText is the kernel's own.
struct KernelProfile : FunctionText {
  std::string Name; ///< Mangled.
  /// Functions whose code is in the kernel's by inlining: where places are that
  /// stand outside of it. One that is missing is not checked and not moved.
  std::vector<FunctionText> Inlined;
  unsigned Registers = 0; ///< Of a thread; decides how many blocks fit.
  std::vector<LaunchProfile> Launches;
  uint64_t L1Bytes = 0;         ///< That was simulated.
  uint64_t SimulatedBlocks = 0; ///< Of all launches' blocks, those simulated.
  uint64_t Blocks = 0;
  PredictedTime Time;
  /// What the kernel would take with fewer blocks; empty if that was not
  /// simulated. Ascending, up to BlocksPrediction::All.
  std::vector<BlocksPrediction> FewerBlocks;
  /// What it would take with the driver's carveout, first, and with others;
  /// empty if that was not simulated. Ascending.
  std::vector<CarveoutPrediction> Carveouts;
  /// What it would take with fewer warps in the L1; empty if that was not
  /// simulated. Ascending, up to BypassPrediction::All.
  std::vector<BypassPrediction> CachedWarps;
  /// What it would take without other hints, first, and with the fastest that
  /// were simulated; empty if none gains.
  std::vector<HintsPrediction> Hints;
  std::vector<AccessProfile> Accesses; ///< In source order.
  std::vector<PairProfile> Pairs;
  std::vector<LoopProfile> Loops;
};

struct Profile {
  static constexpr unsigned CurrentVersion = 1;
  std::string Source; ///< Last component of the main file's path.
  std::string GPU;    ///< "sm_90": the model simulated.
  std::string Origin; ///< "emulator" or the device's name.
  uint64_t Runs = 1;  ///< Merged.
  std::vector<KernelProfile> Kernels; ///< By name.

  const KernelProfile *kernel(llvm::StringRef Name) const;
};

/// Puts kernels in the order of their names, accesses and loops in source
/// order, pairs in that of their accesses, launches in that of their shapes.
void sortProfile(Profile &P);

/// Writes \p P as YAML. Stable: equal profiles give equal text, and
/// parseProfile(text) gives an equal profile.
void writeProfile(const Profile &P, llvm::raw_ostream &OS);

/// Writes \p P to the file \p Path in one step; "-" is standard output.
llvm::Error writeProfileFile(llvm::StringRef Path, const Profile &P);

/// On malformed text, an unknown key, a newer version or an impossible value:
/// an error "NAME:line:column: what is wrong". \p Name is what to call the
/// text.
llvm::Expected<Profile> parseProfile(llvm::StringRef Text,
                                     llvm::StringRef Name);

/// parseProfile of a file; "-" is standard input.
llvm::Expected<Profile> readProfileFile(llvm::StringRef Path);

/// Adds \p From to \p Into, kernel by kernel, access by access, and sorts it.
/// Refuses, naming what differs, profiles of different sources or GPUs, or of
/// one kernel with different texts; \p Into is then as it was. A kernel that
/// stands at other lines in \p From is moved to those it has in \p Into.
llvm::Error mergeProfile(Profile &Into, const Profile &From);

/// What a profile's places mean in a source as it is now.
enum class ProfileState {
  Current, ///< The text is where it was.
  Moved,   ///< The text is at other lines: the places must move along.
  Stale,   ///< The text has changed: the places mean nothing.
  Unknown, ///< The profile does not know the text.
};

/// \p FirstLine is where the function of \p F begins in \p Source now.
ProfileState compareWithSource(const FunctionText &F, llvm::StringRef Source,
                               unsigned FirstLine);

/// Shifts the places in \p K's own text, which now begins at \p NewFirstLine.
void moveProfile(KernelProfile &K, unsigned NewFirstLine);

/// Looks in \p Source, the text of \p File as it is now, for the kernel and
/// what it inlines, as far as they stood in \p File, and moves all their places
/// there. Stale if one of them is not there: then \p K is left as it was.
/// Unknown if none stood in \p File, or if the profile knows no text.
ProfileState updateProfile(KernelProfile &K, llvm::StringRef File,
                           llvm::StringRef Source);

} // namespace sluice

#endif
