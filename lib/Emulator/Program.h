// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Decoded device code, and the state of the warps that run it.
///
/// A value of a warp is kept in the frame of its function, once for all 32
/// lanes where every lane has the same (a uniform slot of 8 bytes), else as 32
/// elements side by side. An i1 is 32 bits in a uniform slot in either case.
///
/// Handlers end by a tail call to the next instruction's handler, and return
/// only when the warp cannot go on: Context::State then says why.
///
/// Divergence. The blocks of a function are numbered so that each loop's are
/// contiguous and follow each other in topological order. Lanes that take
/// different ways become paths; the path whose block has the lowest number
/// runs, and paths that meet at a block become one ("thread frontiers", Diamos
/// et al., MICRO 2011). So lanes reconverge as early as they can, also around
/// early returns, and a waiting path's values stay as they are: what its blocks
/// use was defined in blocks that no lower-numbered path executes again, or
/// comes through the phis of a loop's exit (LCSSA), which are written when the
/// lanes leave. That is why arithmetic needs no mask.
///
/// Long because decoder, handlers and launches each need most of these structs.

#ifndef SLUICE_LIB_EMULATOR_PROGRAM_H
#define SLUICE_LIB_EMULATOR_PROGRAM_H

#include "ReadUse.h"
#include "sluice/Emulator/Device.h"
#include "sluice/Emulator/LaneFunctions.h"
#include "sluice/Simulator/Trace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace sluice::emulator {

struct Instruction;
struct Context;
struct Function;
class LaunchRun;
struct Worker;

using Handler = void (*)(const Instruction *PC, char *R, Context *C);

constexpr unsigned WarpLanes = 32;
constexpr uint32_t NoFrontier = ~0u;

/// One decoded instruction. What the fields mean is the handler's affair;
/// usually D is the frame offset of the result, A, B and E of the operands.
struct alignas(64) Instruction {
  Handler Run = nullptr;
  uint32_t D = 0, A = 0, B = 0, E = 0;
  int64_t Imm = 0;
  const Instruction *Target = nullptr; ///< Of a jump, or taken if true.
  union {
    const Instruction *Else = nullptr; ///< Taken if false.
    const void *Extra;                 ///< LaneCall, CallSite, WarpOp, ...
  };
  uint32_t Site = 0;  ///< Memory accesses: index of their limits' cache.
  uint32_t Count = 0; ///< Block heads: IR instructions of the block.
  uint32_t Order = 0; ///< Block heads: the block's number. Else a small extra.
  uint32_t Place = 0; ///< Index into Function::Places.
};
static_assert(sizeof(Instruction) <= 128);

/// Where a value's component lives.
struct Slot {
  uint32_t Offset = 0;
  uint8_t Bytes = 0; ///< 0: an i1, as 32 bits.
  bool Uniform = true;
  bool isMask() const { return Bytes == 0; }
};

/// Generic evaluation of one lane function over a warp.
struct LaneCall {
  LaneEvaluator Evaluate;
  llvm::SmallVector<Slot, 4> Operands;
  llvm::SmallVector<Slot, 2> Results; ///< 1 or 2.
  bool HasGuard = false, GuardNegated = false;
  Slot Guard;
};

/// Rearranges the bytes of a lane's value: bitcasts between vectors.
struct Repack {
  llvm::SmallVector<Slot, 4> From, To;
};

struct CallSite {
  const Function *Callee = nullptr; ///< Null: through Pointer.
  Slot Pointer;
  llvm::SmallVector<Slot, 8> Arguments;
  llvm::SmallVector<Slot, 2> Results;
};

/// A system call: printf, malloc, free, assert.
struct SystemCall {
  enum Kind { Printf, Malloc, Free, AssertFail } K;
  llvm::SmallVector<Slot, 6> Arguments;
  llvm::SmallVector<Slot, 1> Results;
};

enum class WarpOpKind : uint8_t {
  Sync,
  ShflIdx,
  ShflUp,
  ShflDown,
  ShflBfly,
  VoteAll,
  VoteAny,
  VoteUni,
  VoteBallot,
  MatchAny,
  MatchAll,
  ReduxAdd,
  ReduxMin,
  ReduxMax,
  ReduxUMin,
  ReduxUMax,
  ReduxAnd,
  ReduxOr,
  ReduxXor,
  ReduxFMin,
  ReduxFMax,
  Elect,
};

/// An exchange between the lanes of a warp.
struct WarpOp {
  WarpOpKind Kind;
  Slot Mask;                          ///< The member mask.
  Slot Value;                         ///< Sync, Elect: unused.
  Slot Lane;                          ///< Shuffles: the lane operand b.
  Slot Clamp;                         ///< Shuffles: the clamp operand c.
  llvm::SmallVector<Slot, 2> Results; ///< Value, then predicate if asked for.
  bool HasMask = true; ///< False: the old forms without member mask.
  /// A guard predicate (inline PTX): lanes that take part.
  bool HasGuard = false;
  bool GuardNegated = false;
  Slot Guard;
};

enum class BarrierKind : uint8_t { Sync, Arrive, And, Or, Popc };

struct BarrierOp {
  BarrierKind Kind;
  Slot Id;
  bool HasCount = false;
  Slot Count;
  Slot Predicate; ///< And, Or, Popc
  llvm::SmallVector<Slot, 1> Results;
  bool Cluster = false;
  bool Aligned = false; ///< All threads of the block meet at this very place.
};

enum class AtomicKind : uint8_t {
  Exchange,
  Add,
  Sub,
  And,
  Or,
  Xor,
  Nand,
  Min,
  Max,
  UMin,
  UMax,
  FAdd,
  FSub,
  FMin,
  FMax,
  Inc,
  Dec,
  CompareExchange,
  Load,
  Store,
  UCondSub,
  USubSat,
};

enum class Space : uint8_t { Generic, Global, Shared, Local };

struct AtomicOp {
  AtomicKind Kind;
  Space Where;
  uint8_t Bytes;
  enum Type : uint8_t { Integer, Float, Half, BFloat, Half2, BFloat2 } T;
  Slot Address;
  int64_t Offset = 0;
  Slot Value;                         ///< Or the comparand's replacement.
  Slot Compare;                       ///< CompareExchange.
  llvm::SmallVector<Slot, 2> Results; ///< Old value; success.
  bool Acquires = false, Releases = false;
  bool HasGuard = false, GuardNegated = false;
  Slot Guard;
};

/// A load or store as the checks and observers see it.
struct AccessOp {
  Slot Address;
  int64_t Offset = 0;
  Space Where;
  uint8_t Bytes; ///< All components.
  bool IsWrite, IsAtomic, IsVolatile;
  bool SaysReadOnly = false; ///< MemoryAccess::SaysReadOnly.
  bool IsLine = false;       ///< MemoryAccess::IsLine.
  bool Acquires = false, Releases = false, IsReadWrite = false; ///< Likewise.
  bool IsFence = false;  ///< No access: a fence.
  uint32_t Site = ~0u;   ///< Of Program::Sites.
  bool HasValue = false; ///< A store of one component: what it writes.
  Slot Value;
  bool HasGuard = false, GuardNegated = false;
  Slot Guard;
};

/// A load or store of inline PTX.
struct GuardedAccess {
  AccessOp Access;
  llvm::SmallVector<Slot, 4> Data;
  unsigned ElementBytes;
  bool SignExtend;
  /// cp.async: a lane reads that many bytes; the others are zero.
  bool HasSourceBytes = false;
  Slot SourceBytes;
  bool IsAsync = false; ///< What cp.async writes: see AsyncCopies.h.
};

/// cp.async.commit_group, .wait_group and .wait_all.
struct AsyncGroupOp {
  bool Commits = false;
  bool Waits = false;
  uint32_t Groups = 0; ///< That may be under way after the wait.
  bool HasGuard = false, GuardNegated = false;
  Slot Guard;
};

enum class MBarrierKind : uint8_t {
  Init,
  Invalidate,
  Arrive,
  AsyncArrive, ///< cp.async.mbarrier.arrive that counts itself.
  ExpectBytes,
  CompleteBytes,
  Wait,
  PendingCount, ///< Of a state; touches no memory.
};

/// An operation on an mbarrier: see MBarrier.cpp.
struct MBarrierOp {
  MBarrierKind Kind;
  bool Drop = false;         ///< Arrive: also in all later phases.
  bool NoComplete = false;   ///< Arrive: must not end the phase.
  bool ExpectsBytes = false; ///< Arrive: Value is the transaction count.
  bool Parity = false;       ///< Wait: Value is the phase's parity.
  bool OfCopies = false;     ///< cp.async.mbarrier.arrive.
  AccessOp Word;             ///< Its address and guard.
  /// Init, Arrive: the count; transactions: bytes; Wait, PendingCount: state.
  bool HasValue = false;
  Slot Value;
  llvm::SmallVector<Slot, 1> Results; ///< The state, or whether it is over.
};

enum class SpecialRegister : uint8_t {
  Tid,
  Ntid,
  Ctaid,
  Nctaid, // Which dimension: Instruction::Order
  LaneId,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  GridId,
  WarpSize,
  LaneMaskEq,
  LaneMaskLt,
  LaneMaskLe,
  LaneMaskGt,
  LaneMaskGe,
  Clock,
  Clock64,
  GlobalTimer,
  TotalShared,
  DynamicShared,
  EnvReg,
  ClusterCtaid,
  ClusterNctaid,
  ClusterId,
  NClusterId,
  ClusterCtaRank,
  ClusterNctaRank,
  IsExplicitCluster,
  ReservedShared,
  ActiveMask,
  Zero,
};

/// A source position of an instruction: innermost first.
struct CodePlace {
  std::string File; ///< As the compiler was given it.
  unsigned Line = 0;
  std::string Folder; ///< Where the compiler ran.
  std::string str() const;
  std::string fullPath() const;
};

/// A decoded device function.
struct Function {
  std::string Name;       ///< Mangled.
  std::string PrettyName; ///< Demangled.
  bool IsKernel = false;
  unsigned Registers = 32; ///< Of a thread; a guess unless they were counted.
  std::vector<Instruction> Code;
  uint32_t FrameBytes = 0;
  uint32_t UniformBytes = 0; ///< Frame prefix of constants and uniform slots.
  /// Offset and element size of each varying slot.
  std::vector<std::pair<uint32_t, uint8_t>> VaryingSlots;
  uint32_t ConstantBytes = 0; ///< Frame prefix filled from Constants.
  std::vector<char> Constants;
  uint32_t LocalBytes = 0; ///< Of one lane, this function's own.
  Slot LocalBase;          ///< Where the address of its locals goes.
  std::vector<llvm::SmallVector<Slot, 1>> Parameters;
  llvm::SmallVector<Slot, 2> Result; ///< Filled before the return.
  std::vector<CodePlace> Places;
  /// Of a kernel: the offset in shared memory where the dynamic part begins.
  uint64_t DynamicSharedBase = 0;
  uint32_t NumSites = 0;
  uint32_t FirstSite = 0; ///< In a worker's sites.
  /// What the instructions' Extra point to.
  std::vector<std::shared_ptr<void>> Extras;
  /// Of a by-value parameter: its bytes in the parameter buffer; else 0.
  std::vector<uint32_t> ParameterBytes;
  std::vector<uint32_t> ParameterOffsets;
  std::vector<bool> ParameterByValue;
  /// Of a kernel: a pointer through which nothing is written.
  std::vector<bool> ParameterReadOnly;
  std::vector<std::string> ParameterNames; ///< Empty where the code has none.
};

/// Limits of the allocation an access last fell into.
struct Site {
  uint64_t Low = 1, High = 0; ///< [Low, High), device addresses.
  uint8_t *Written = nullptr; ///< Its shadow, if it must be looked at.
  bool ReadOnly = false;
};

struct Path {
  const Instruction *PC;
  uint32_t Order;
  uint32_t Mask;
};

struct CallRecord {
  const Instruction *CallPC; ///< The call; execution goes on behind it.
  const Function *Caller;
  uint32_t CallerFrame; ///< Offset of the caller's frame in Frames.
  uint32_t CallerLocal; ///< Context::LocalBase of the caller.
  uint32_t PathsBelow;  ///< Paths that belong to outer levels.
  uint32_t CallLater;   ///< Indirect call: lanes with other targets.
};

struct AsyncCopies;
struct BlockState;
struct WarpState;

enum class RunState : uint8_t {
  Ready,
  Waiting, ///< It spins, perhaps: others first.
  AtBarrier,
  AtWarpSync,
  Done,
};

/// A warp that has made so many atomic or volatile accesses since it last gave
/// way may be waiting for somebody.
constexpr uint32_t WaitLimit = 64;

/// A set of lanes of one warp that run together: usually all of them.
struct Context {
  uint32_t Mask = 0;
  uint32_t Active = 0;            ///< Lanes in Mask.
  uint32_t Frontier = NoFrontier; ///< Lowest Order among waiting paths.
  uint32_t PendingMask = 0;       ///< A divergent branch's other side.
  uint64_t LaneInstructions = 0;
  uint64_t Counted = 0; ///< Of them, against the launch's limit.
  uint64_t Budget = 0;  ///< LaneInstructions at which the scheduler is asked.
  const Instruction *PendingEdge = nullptr;
  Site *Sites = nullptr;
  char *Shared = nullptr; ///< Host address of the block's offset 0.
  uint64_t SharedBytes = 0;
  char *Local = nullptr;   ///< Lane-interleaved: see localAddress().
  uint64_t LocalBytes = 0; ///< Of one lane, what Local holds.
  uint32_t LocalBase = 0;  ///< Of the running function.
  uint32_t Waits = 0; ///< Atomic and volatile accesses since it last yielded.
  /// Where the last of them was, for a report of a hang.
  const Instruction *Looked = nullptr;
  Space LookedIn = Space::Generic;
  uint64_t LookedAt = 0;
  bool LookedAtMBarrier = false;
  RunState State = RunState::Ready;

  const Instruction *PC = nullptr; ///< Where to go on, when not running.
  const Function *Running = nullptr;
  uint32_t Frame = 0; ///< Offset of the running frame in Frames.
  char *Frames = nullptr;
  uint32_t FramesBytes = 0;
  uint32_t FramesTop = 0;
  llvm::SmallVector<Path, 8> Paths; ///< Waiting; lowest Order last, by level.
  llvm::SmallVector<CallRecord, 4> Calls;

  BlockState *Block = nullptr;
  WarpState *Warp = nullptr;
  LaunchRun *Run = nullptr;
  Worker *By = nullptr;

  /// Host addresses of the last access whose further components follow.
  char *LastHost[WarpLanes];
  uint32_t LastMask = 0;

  /// A warp operation under way: operands of this context's lanes.
  const WarpOp *Exchange = nullptr;
  uint32_t ExchangeMask[WarpLanes];
  uint64_t ExchangeValue[WarpLanes];
  uint32_t ExchangeLane[WarpLanes], ExchangeClamp[WarpLanes];
  uint32_t ExchangeNeed = 0, ExchangeLanes = 0;
  /// A barrier under way.
  const BarrierOp *Barrier = nullptr;
  uint32_t BarrierId = 0;
  uint32_t BarrierPredicate = 0;         ///< Mask of lanes.
  const Instruction *Observed = nullptr; ///< The access being observed.
  uint32_t CallLater = 0, CallDone = 0;  ///< Of an indirect call under way.
  uint32_t Spins = 0; ///< Times it yielded waiting without getting on.

  Context() = default;
  Context(const Context &) = delete;
  ~Context();

  void setMask(uint32_t M) {
    Mask = M;
    Active = __builtin_popcount(M);
  }
};

struct WarpState {
  unsigned Index = 0;
  uint32_t Existing = 0; ///< Lanes that the block has.
  uint32_t Live = 0;     ///< Those that have not exited.
  uint32_t Tid[3][WarpLanes];
  llvm::SmallVector<Context *, 2> Contexts;
};

struct BarrierState {
  unsigned Arrived = 0;             ///< Threads.
  unsigned Expected = 0;            ///< 0: all that live.
  const CodePlace *First = nullptr; ///< Where the first of them waits.
  bool FirstAligned = false;
  bool DivergenceReported = false;
};

struct BlockState {
  Dim3 Index;
  uint64_t Linear = 0;
  unsigned Live = 0; ///< Threads that have not exited.
  bool Observed = false;
  std::vector<WarpState> Warps;
  std::vector<std::unique_ptr<Context>> Contexts;
  std::vector<Context *> Order; ///< Scheduling order.
  BarrierState Barriers[16];
  std::vector<char> Shared;
  /// One bit for each byte of shared memory that was written; null once all
  /// were, or when uninitialised reads are not looked for.
  uint8_t *SharedWritten = nullptr;
  std::vector<uint8_t> SharedBits;
  uint64_t SharedUnwritten = 0;
  std::unique_ptr<AsyncCopies> Copies; ///< Null until there is one.
  /// Each access of shared memory goes the careful way: some of it was never
  /// written, or copies are under way.
  bool WatchShared = false;
};

/// The host address of a local byte. The lanes' pieces of 32 bytes (the widest
/// access) lie side by side, so that the stack can grow without being laid out
/// anew.
inline char *localAddress(char *Local, uint64_t Offset, unsigned Lane) {
  return Local + (Offset & ~uint64_t(31)) * WarpLanes + Lane * 32 +
         (Offset & 31);
}

/// The decoded form of all images that belong together.
struct Program {
  llvm::StringMap<std::unique_ptr<Function>> Functions;
  std::vector<Function *> ByAddress; ///< Function pointers: see FunctionBase.
  CodeSites Sites;                   ///< Only if accesses are observed.
  /// Some access SaysReadOnly; only if they are observed.
  bool HasReadOnlyLoads = false;
};

/// Function pointers: FunctionBase + 16 * index into Program::ByAddress.
constexpr uint64_t FunctionBase = uint64_t(0x1700) << 32;
/// What the driver keeps for itself at the start of shared memory (sm_80 and
/// later); cooperative groups asks for its address.
constexpr uint64_t ReservedSharedBytes = 1024;

// What handlers call when the fast way does not do. R is the running frame.

struct AccessRequest {
  const uint64_t *Addresses; ///< One for each lane, in the space Where.
  uint32_t Mask;             ///< Lanes that take part.
  Space Where;
  unsigned Bytes; ///< Of all components; also the alignment asked for.
  bool IsWrite, IsAtomic;
  ReadUse Use = ReadUse::Certain; ///< Of what is read.
};

/// Looks at a warp's access, reports what is wrong, notes what is written, and
/// fills in host addresses. Returns the lanes that may go ahead.
uint32_t resolveAccess(Context *C, const Instruction *PC,
                       const AccessRequest &Request, char **Host);

enum class Outcome : uint8_t { GoOn, Stop };

/// Pops the next path of this context after its active lanes are gone. Returns
/// the instruction to go on with and sets R, or null when no lane is left.
const Instruction *nextPath(Context *C, char *&R);
/// The block head \p Head is entered by the active lanes, but a path with a
/// lower or equal number waits or the budget is used up. Returns the
/// instruction to go on with, or null to return to the scheduler.
const Instruction *arbitrate(Context *C, const Instruction *Head);
void addPath(Context *C, const Instruction *Head, uint32_t Mask);
/// Lanes of \p C that are not active become a context of their own.
void splitOthers(Context *C);

void startKernel(Context *C, const Function &Kernel, uint64_t Parameters);
const Instruction *enterCall(Context *C, const Instruction *PC, char *&R);
const Instruction *leaveCall(Context *C, char *&R);
/// Active lanes end. Returns where the others go on, or null.
const Instruction *exitLanes(Context *C, char *&R);

Outcome warpOperation(Context *C, const Instruction *PC, char *R);
Outcome barrierOperation(Context *C, const Instruction *PC, char *R);
Outcome atomicOperation(Context *C, const Instruction *PC, char *R);
void mbarrierOperation(Context *C, const Instruction *PC, char *R);
/// What an mbarrier that holds \p Word still waits for, for a report.
std::string waitOfMBarrier(uint64_t Word);
void asyncGroupOperation(Context *C, const Instruction *PC, char *R);
void systemCall(Context *C, const Instruction *PC, char *R);
void laneCall(Context *C, const Instruction *PC, char *R);
void repack(Context *C, const Instruction *PC, char *R);
void specialRegister(Context *C, const Instruction *PC, char *R);
void observeAccess(Context *C, const Instruction *PC, char *R);
/// Tells the observers of \p Lanes' access.
void tellAccess(Context *C, const Instruction *PC, const char *R,
                const AccessOp &Op, uint32_t Lanes);
void observeBlock(Context *C, const Instruction *PC, char *R);
void guardedAccess(Context *C, const Instruction *PC, char *R);
/// trap, unreachable code, an instruction that cannot run.
const Instruction *trapLanes(Context *C, const Instruction *PC, char *&R);
void isSpace(Context *C, const Instruction *PC, char *R);

/// Active lanes whose guard predicate holds.
uint32_t guardOf(const Context *C, const char *R, bool Has, bool Negated,
                 Slot Guard);
/// Counts an access by which a warp may be waiting for others.
void noteWait(Context *C);
/// The same of an access by the lanes of \p Mask to \p Addresses in \p Where.
void noteWait(Context *C, const Instruction *PC, Space Where, uint32_t Mask,
              const uint64_t *Addresses);

/// Reads and writes a slot's lane as LaneFunctions has its words.
uint64_t readLane(const char *R, Slot S, unsigned Lane);
void writeLane(char *R, Slot S, unsigned Lane, uint64_t Word);

} // namespace sluice::emulator

#endif
