// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the warps of some thread blocks did: their accesses to memory with
/// addresses, the instructions between, where they wait for loaded values, and
/// where they enter and leave loops. The emulator records traces, GPU runs can,
/// and the simulator replays them under any GPU model and plan.

#ifndef SLUICE_SIMULATOR_TRACE_H
#define SLUICE_SIMULATOR_TRACE_H

#include "sluice/Analysis/FunctionText.h"
#include "sluice/Analysis/LaunchConfig.h"
#include "sluice/Analysis/SourcePlace.h"
#include "sluice/Target/CacheHint.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <vector>

namespace sluice {

/// How a load asks the L1 to treat its line (PTX ISA, "Cache Operators" and
/// "Cache Eviction Priority Hints").
enum class L1Hint : uint8_t {
  Normal,
  EvictFirst,
  EvictLast,
  Unchanged,
  NoAllocate,
  Global, ///< .cg: cached in the L2 alone.
};

/// Does its line also leave the L2 before all others? (docs/internals/
/// gpu-model.md, "What the L2 keeps")
constexpr bool leavesL2First(L1Hint Hint) {
  return Hint == L1Hint::EvictFirst || Hint == L1Hint::NoAllocate;
}

/// What of \p Hint the model knows: `.cs` and `.lu` allocate with evict-first,
/// and `.cv` looks behind the L1.
L1Hint l1HintOf(const CacheHint &Hint);

/// An access of the code, as compiled.
struct AccessSite {
  enum KindTy : uint8_t { Load, Store, Atomic };
  enum SpaceTy : uint8_t { Global, Local, Shared };
  CodeId Id; ///< The ordinal counts the copies of one source access.
  KindTy Kind = Load;
  SpaceTy Space = Global;
  uint8_t Bytes = 0;            ///< Of one lane.
  L1Hint Hint = L1Hint::Normal; ///< That the code has.
  bool ReadOnly = false;        ///< ld.global.nc.
  int Loop = -1;                ///< Innermost loop, of LaunchTrace::Loops.
  /// Those that the places of Id stand in, of CodeSites::Functions.
  std::vector<unsigned> Functions;
};

struct LoopSite {
  CodeId Id;
  int Parent = -1;
  std::vector<unsigned> Functions; ///< As an access has them.
};

/// The text of a kernel or of another function, as it was when the code was
/// loaded.
struct FunctionSite : FunctionText {
  std::string Kernel; ///< Its mangled name; empty: not a kernel.
  std::string Source; ///< The main file that it was compiled with.
};

/// Code whose accesses a trace refers to by number: a kernel and what it calls.
struct CodeSites {
  std::vector<AccessSite> Accesses;
  std::vector<LoopSite> Loops;
  std::vector<FunctionSite> Functions;

  /// Null: not known.
  const FunctionSite *kernel(llvm::StringRef Name) const;
};

/// How many sectors of a line are in \p Mask, a bit for each.
constexpr unsigned countSectors(unsigned Mask) {
  return unsigned(0x4332322132212110u >> (4 * Mask) & 15);
}

/// One access of a warp, taken apart into lines.
struct LineAccess {
  unsigned Count = 0;              ///< Distinct lines.
  std::array<uint64_t, 64> Line;   ///< Address / 128, in order of the lanes.
  std::array<uint8_t, 64> Sectors; ///< Of each line, a bit for each touched.
  unsigned NumSectors = 0;
};

/// What warps do, in 32-bit words: an operation and its argument in the first,
/// see OpTy.
class WarpTrace {
public:
  enum OpTy : uint32_t {
    End,
    Issue,     ///< Argument: instructions that only compute.
    Wait,      ///< Argument: for the value of which load: 1 is the last one.
    Barrier,   ///< Of the block.
    LoopEnter, ///< Argument: which loop.
    LoopExit,
    Iterate,   ///< An iteration of the loop begins.
    Affine,    ///< Argument: site. Then lanes, address of lane 0 (low, high),
               ///< bytes between lanes.
    Scattered, ///< Argument: site. Then lanes, address of the least one (low,
               ///< high), for each lane that takes part its distance to that.
  };
  static constexpr unsigned ArgumentBits = 28;
  static OpTy op(uint32_t Word) { return OpTy(Word >> ArgumentBits); }
  static uint32_t argument(uint32_t Word) {
    return Word & ((1u << ArgumentBits) - 1);
  }

  std::vector<uint32_t> Words;

  void add(OpTy Op, uint32_t Argument) {
    Words.push_back(uint32_t(Op) << ArgumentBits | Argument);
  }
  /// Appends to \p Words an access of \p Lanes, with an address for each of 32;
  /// of no lanes, nothing. Lanes further than 4 GiB apart become accesses of
  /// their own.
  static void encodeAccess(uint32_t Site, uint32_t Lanes,
                           const uint64_t *Addresses,
                           std::vector<uint32_t> &Words);
};

/// Takes apart the access that \p P points to (Affine or Scattered), each lane
/// of \p Bytes, and returns the word behind it.
const uint32_t *expandAccess(const uint32_t *P, unsigned Bytes,
                             LineAccess &Access);
/// The word behind the access at \p P.
const uint32_t *skipAccess(const uint32_t *P);
/// Calls \p Visit for each lane that takes part in the access at \p P, with its
/// address.
void forEachLane(
    const uint32_t *P,
    llvm::function_ref<void(unsigned Lane, uint64_t Address)> Visit);

struct BlockTrace {
  uint64_t Number = 0; ///< In the grid.
  std::vector<WarpTrace> Warps;
};

/// The blocks of one launch that were traced: those that one SM gets, or the
/// first of them. None, and no code: the launch was left out as one like
/// others.
struct LaunchTrace {
  std::string Kernel; ///< Mangled.
  std::array<unsigned, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  unsigned Registers = 32;
  uint64_t StaticSharedBytes = 0, DynamicSharedBytes = 0;
  int CarveoutPercent = -1; ///< The program's wish; -1: none.
  unsigned ActiveSMs = 1;   ///< Over which the grid's blocks were spread.
  CodeSites Sites;
  std::vector<BlockTrace> Blocks; ///< In the order they start.
  uint64_t gridBlocks() const { return uint64_t(Grid[0]) * Grid[1] * Grid[2]; }
  unsigned blockThreads() const { return Block[0] * Block[1] * Block[2]; }
  /// For each access, of the lines that the traced SM touches by it, the share
  /// that another SM touches too: an estimate from samples. Empty: not known.
  std::vector<float> SharedByOtherSM;
};

/// Traces of one program run.
struct Trace {
  static constexpr uint32_t CurrentVersion = 2;
  std::string Source;
  std::string GPU;                 ///< Whose code it is: "sm_90".
  std::string Origin = "emulator"; ///< Profile::Origin; not in the file.
  std::vector<LaunchTrace> Launches;
};

/// A binary file. Errors name the file and what is wrong with it.
llvm::Error writeTraceFile(const Trace &T, llvm::StringRef Path);
/// Also reads what a program that recorded on a GPU left (TraceControl.h).
llvm::Expected<Trace> readTraceFile(llvm::StringRef Path);
/// The same without the file. \p Name: of what has the bytes, for errors.
void writeTrace(const Trace &T, llvm::raw_ostream &OS);
llvm::Expected<Trace> readTrace(llvm::StringRef Bytes, llvm::StringRef Name);

} // namespace sluice

#endif
