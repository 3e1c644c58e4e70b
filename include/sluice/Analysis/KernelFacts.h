// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the analyses find out about a kernel: plain structs, no IR, no AST.
/// They are what planners decide on.

#ifndef SLUICE_ANALYSIS_KERNELFACTS_H
#define SLUICE_ANALYSIS_KERNELFACTS_H

#include "sluice/Analysis/AddressForm.h"
#include "sluice/Analysis/ArgumentMinimum.h"
#include "sluice/Analysis/LaunchConfig.h"
#include "sluice/Analysis/Profile.h"
#include "sluice/Analysis/SourcePlace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace sluice {

/// What an access did when the program ran: sums over warps (Profile.h).
struct AccessMeasurement {
  uint64_t Requests = 0; ///< At least 1.
  uint64_t Lines = 0;
  uint64_t Sectors = 0;
  ReuseHistogram Reuse;

  double linesPerRequest() const { return double(Lines) / double(Requests); }
  double sectorsPerRequest() const {
    return double(Sectors) / double(Requests);
  }
};

/// What a loop of the source did when the program ran, by a warp. 0: unknown.
struct LoopMeasurement {
  uint64_t Entries = 0;
  uint64_t Iterations = 0;
  double LinesPerIteration = 0; ///< Distinct lines of a warp, at least.
  /// What the kernel would take with turns at this loop, on the GPU that is
  /// planned for; empty: not simulated.
  std::vector<TurnsPrediction> Turns;
  /// With its rows in shared memory; likewise.
  std::optional<StagedPrediction> Staged = {};

  /// The mean, rounded up.
  std::optional<uint64_t> tripCount() const {
    if (Entries == 0 || Iterations == 0)
      return std::nullopt;
    return (Iterations + Entries - 1) / Entries;
  }
};

/// A load or store of global memory in a loop.
struct AccessPattern {
  CodeId Id;
  bool IsStore = false;
  unsigned Bytes = 0;  ///< That one lane moves.
  AddressForm Address; ///< In bytes.
  unsigned Loop = 0;   ///< The innermost loop it stands in.
  /// Each is 0 in the threads that run it: equalities on tid that dominate it.
  std::vector<AddressForm> OnlyWhereZero;
  std::optional<AccessMeasurement> Measured; ///< By a profile.

  /// Does the address of a lane depend on a value read from memory?
  bool isIndirect() const {
    return Address.any([](Variable V) { return V.Kind == Variable::Loaded; });
  }
};

/// Whether a loop's threads may take turns, found on the AST and the IR.
struct ThrottleRegion {
  /// The statement that would be throttled: loops with the same region are
  /// throttled together. Numbered within the kernel in source order.
  unsigned Index = 0;
  SourcePlace Place;
  std::string Refusal;      ///< Why not; empty when it may be throttled.
  SourcePlace RefusalPlace; ///< Where the reason stands.
  /// The source keeps Sluice away from it, or from a part of the kernel.
  bool SwitchedOff = false;
  /// In branches of the region beside the loop, which other threads take: a
  /// load outside of loops, if there is one, and the loops.
  std::optional<CodeId> LoadBeside;
  std::vector<unsigned> LoopsBeside;
};

/// A stream of which chunks can be kept in shared memory or in registers.
struct StageableStream {
  CodeId Id;        ///< Of its first access.
  int64_t Step = 0; ///< Bytes by iteration.
  /// Between neighbouring lanes' rows, where it is a known number of bytes.
  std::optional<int64_t> LaneDistance;
  AddressForm Start; ///< Of its first access.
  bool IsStore = false;
  /// Reads what another of them writes, in the same iteration.
  bool IsWithin = false;
  /// A loop around it reads the same rows again.
  bool IsReadAgain = false;
};

/// A data structure of which each thread can keep a line of 16 bytes.
struct CacheableStructure {
  CodeId Id; ///< Of its first access.
  bool IsWritten = false;
  unsigned Accesses = 0; ///< In the code.
};

/// A natural loop of the kernel, after inlining and before unrolling.
struct LoopFacts {
  CodeId Id;
  std::optional<unsigned> Parent;    ///< The loop around it.
  std::optional<uint64_t> TripCount; ///< Iterations, when constant.
  AddressForm TripForm; ///< Iterations as a form; empty when unknown.
  /// IR instructions of one iteration, those of inner loops counted once.
  unsigned Instructions = 0;
  /// Cycles that a quarter of an SM takes at least to begin them for a warp.
  unsigned IssueCycles = 0;
  /// It writes memory that others may be in, so an iteration's loads wait for
  /// the iteration before and the compiler does not load several iterations'
  /// data together.
  bool WritesMemory = false;
  /// But only to addresses that it does not change, by plain stores, and it is
  /// the innermost.
  bool WritesOnlySums = false;
  bool PromotesSums = false; ///< They stayed in registers when it was tried.
  /// Each thread's own rows that it reads; after sums have left it.
  std::vector<StageableStream> Stageable;
  /// Why staging them would not do, as in "the access at f.cu:3:5 is to no row
  /// of a thread"; empty: it would.
  std::string StagingRefusal;
  /// The same of rows in registers, which may be written too.
  std::vector<StageableStream> Widenable;
  std::string WideningRefusal;
  /// What could have lines, in it and in loops in it; the likeliest first. Only
  /// where that is asked for.
  std::vector<CacheableStructure> Cacheable;
  std::string CachingRefusal; ///< Why there is none; empty: there is some.
  /// Lanes must stay together, so each cannot choose by what it sees.
  bool KeepsLanesTogether = false;
  std::optional<unsigned> UnrollHint;  ///< N of `#pragma unroll N`.
  std::vector<AccessPattern> Accesses; ///< In it but not in an inner loop.
  ThrottleRegion Region;
  LoopMeasurement Measured; ///< By a profile.
};

/// A hazard: something because of which code around it must not be throttled.
struct RegionHazard {
  SourcePlace KernelPlace; ///< Where it is reached from in the kernel's body;
                           ///< unknown: could be anywhere in it.
  SourcePlace Place;       ///< Where it stands (perhaps in a callee).
  std::string What;        ///< A clause: "contains a block barrier".
  /// Some warps of the block may wait there for others, so that a barrier
  /// anywhere in the kernel could part them for ever.
  bool WholeKernel = false;
};

/// What is known of a Uniform, Varying or Loaded variable, by its index.
struct UnknownValue {
  std::optional<unsigned> Loop; ///< The innermost loop that computes it anew.
  /// It is known what it is made of, but that is too much to follow.
  bool IsTooLarge = false;
};

/// Where a field of a struct lies that is passed by value.
struct ParameterField {
  unsigned Parameter = 0; ///< Number of the struct.
  uint64_t Offset = 0;    ///< In bytes, from where the struct begins.
  unsigned Bytes = 0;     ///< Of the field.
};

/// A parameter of the kernel, as code in the kernel sees it, or an integer in a
/// struct that is one.
struct KernelParameter {
  std::string Name;
  /// Why no test of it, where a loop begins, would be one of the argument: "is
  /// changed ...". Empty: it is an integer that keeps its value.
  std::string Untestable;
  int64_t Largest = 0; ///< Of its type.
  /// Set: it is no parameter but lies in one.
  std::optional<ParameterField> Field = std::nullopt;
};

/// A function of the device whose source says how many warps compute it
/// approximately.
struct MarkedFunction {
  std::string Name;      ///< As the source has it.
  unsigned SfuWarps = 0; ///< Never 0.
};

struct KernelFacts {
  std::string Name;        ///< Mangled.
  std::string DisplayName; ///< As the source has it.
  /// Options may call it by these too.
  std::vector<std::string> Names;
  SourcePlace Place;
  /// By number, and behind them the fields of those that are structs; empty:
  /// not known.
  std::vector<KernelParameter> Parameters;
  std::vector<LaunchConfig> Launches;
  std::vector<LoopFacts> Loops; ///< Outer before inner, in source order.
  std::vector<CodeId> LoadsOutsideLoops; ///< Of global memory.
  std::vector<UnknownValue> Unknowns;
  std::vector<RegionHazard> Hazards;
  std::optional<unsigned> MaxThreadsPerBlock; ///< __launch_bounds__, first.
  std::optional<unsigned> MinBlocksPerSM;     ///< __launch_bounds__, second.
  std::optional<unsigned> MaxRegisters;       ///< __maxnreg__.
  /// The threads of its largest block; none: not known.
  std::optional<unsigned> LargestBlock;
  /// Of a thread, with which that block, or one of 1024 threads, fits an SM.
  unsigned MostRegisters = 255;
  /// What the kernel would take with fewer blocks on an SM, by a profile, on
  /// the GPU that is planned for; empty: not simulated.
  std::vector<BlocksPrediction> FewerBlocks;
  std::vector<CarveoutPrediction> Carveouts; ///< Likewise.
  uint64_t PredictedL1Bytes = 0; ///< With which all predictions were made.
  uint64_t StaticSharedBytes = 0;
  bool UsesDynamicShared = true; ///< Or may.
  bool Off = false;              ///< annotate("sluice:off") on the kernel.
  /// annotate("sluice:sfu=N") on the kernel.
  std::optional<unsigned> SfuWarps;
  /// The same on functions that it calls.
  std::vector<MarkedFunction> SfuFunctions;
  /// Of a library's header, launched there, and no one reads why its loops are
  /// left alone.
  bool IsLibrarys = false;
  bool IsPlanned = true; ///< Else nothing is known of its loops.
  /// Why the blocks on an SM must stay as many as they are: "reads ...". Empty:
  /// they may be limited.
  std::string FixedResidency;

  /// Is it what an option calls \p Other?
  bool isCalled(llvm::StringRef Other) const {
    return Other == Name || Other == DisplayName ||
           llvm::is_contained(Names, Other);
  }
};

/// Why \p Kernel cannot make the test \p Of, as a sentence's rest: "'n' is
/// changed in the kernel at k.cu:7:3". Empty: it can.
std::string whyNoTest(const KernelFacts &Kernel, const ArgumentMinimum &Of);

/// Is the address of \p Access, or a part of it, known but too much to follow?
bool isTooLarge(const KernelFacts &Kernel, const AccessPattern &Access);

/// Is loop \p Inner inside \p Outer, or the same?
inline bool isWithin(const KernelFacts &Kernel, unsigned Inner,
                     unsigned Outer) {
  std::optional<unsigned> L = Inner;
  while (L && *L != Outer)
    L = Kernel.Loops[*L].Parent;
  return L.has_value();
}

} // namespace sluice

#endif
