// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The careful way of an access: which allocation does each lane's address fall
// into, may it be read or written, was it ever written. Handlers come here when
// the limits they remember do not hold.

#include "AsyncCopies.h"
#include "Launch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace sluice::emulator;
using llvm::utostr;

static const char *verb(bool IsWrite) { return IsWrite ? "write" : "read"; }

static std::string ofBytes(bool IsWrite, unsigned Bytes) {
  return std::string(verb(IsWrite)) + " of " + utostr(Bytes) +
         (Bytes == 1 ? " byte" : " bytes");
}

static std::string described(const Allocation &A) {
  if (A.Kind == MemoryKind::Variable)
    return "the variable " + A.Name + " of " + utostr(A.bytes()) + " bytes";
  if (A.Kind == MemoryKind::Parameters)
    return "the kernel's parameters";
  std::string Text = "the allocation of " + utostr(A.bytes()) + " bytes";
  std::string Place = A.Made.str();
  if (!Place.empty())
    Text += " made at " + Place;
  return Text;
}

static void badGlobal(Context *C, const Instruction *PC, unsigned Lane,
                      uint64_t Address, const AccessRequest &Q) {
  LaunchRun &Run = *C->Run;
  const Allocation *A = Run.E.Memory->find(Address);
  std::string Access = ofBytes(Q.IsWrite, Q.Bytes);
  std::vector<std::string> Detail;
  std::string What;
  if (Address < 65536)
    What = "null pointer " + Access;
  else if (A && A->Freed && A->contains(Address, 1)) {
    What = "use after free: " + Access;
    Detail.push_back("inside " + described(*A) + ", freed at " +
                     A->Released.str());
  } else {
    bool InWindow =
        Address >= GlobalWindow && Address < GlobalWindow + GlobalWindowBytes;
    if (!InWindow && !A && Address > (uint64_t(1) << 32)) {
      What = Access + " of host memory";
      Detail.push_back("the pointer is not one that the GPU can use: copy the "
                       "data with cudaMemcpy, or allocate it with "
                       "cudaMallocManaged");
    } else {
      What = "out-of-bounds " + Access;
      if (!A)
        Detail.push_back("no allocation is near this address");
      else if (Address >= A->End)
        Detail.push_back(utostr(Address - A->End) + " bytes past the end of " +
                         described(*A));
      else if (Address < A->Begin)
        Detail.push_back(utostr(A->Begin - Address) + " bytes before " +
                         described(*A));
      else
        Detail.push_back("across the end of " + described(*A));
    }
  }
  reportLane(C, PC, Lane, What, Detail, &Address);
  Run.fail(LaunchStatus::IllegalAddress);
}

// Are all the bits of [Begin, Begin + Bytes) set?
static bool allSet(const uint8_t *Bits, uint64_t Begin, unsigned Bytes) {
  for (unsigned I = 0; I < Bytes; ++I)
    if (!(Bits[(Begin + I) / 8] >> (Begin + I) % 8 & 1))
      return false;
  return true;
}

// Sets them, and returns how many were not. Blocks run side by side and may set
// bits of one byte.
static unsigned setAll(uint8_t *Bits, uint64_t Begin, unsigned Bytes) {
  unsigned New = 0;
  for (uint64_t I = Begin; I < Begin + Bytes;) {
    unsigned First = I % 8;
    unsigned Count = std::min<uint64_t>(8 - First, Begin + Bytes - I);
    uint8_t Mask = ((1u << Count) - 1) << First;
    uint8_t Old = __atomic_load_n(&Bits[I / 8], __ATOMIC_RELAXED);
    if ((Old & Mask) != Mask) {
      Old = __atomic_fetch_or(&Bits[I / 8], Mask, __ATOMIC_RELAXED);
      New += __builtin_popcount(Mask & ~Old);
    }
    I += Count;
  }
  return New;
}

// Lane reads bytes that were never all written: an error, or a warning where
// the value may not matter.
static void readUnwritten(Context *C, const Instruction *PC, unsigned Lane,
                          const AccessRequest &Q, const uint8_t *Bits,
                          uint64_t Begin, const std::string &Where,
                          const uint64_t *Address) {
  bool Some = false;
  for (unsigned I = 0; I < Q.Bytes; ++I)
    Some |= Bits[(Begin + I) / 8] >> (Begin + I) % 8 & 1;
  switch (Q.Use) {
  case ReadUse::Copied:
  case ReadUse::CopiedStruct:
    if (Some || Q.Use == ReadUse::CopiedStruct)
      return; // padding
    break;
  case ReadUse::Line:
    return;
  case ReadUse::Perhaps:
    C->Run->E.Reports->warnOnce(PC, [&] {
      return "uninitialised " + ofBytes(false, Q.Bytes) + " at " +
             placeOf(*C, PC).str() + " in kernel " +
             C->Run->E.Kernel->PrettyName + ", " + Where +
             "; the value may be unused";
    });
    return;
  case ReadUse::Certain:
    break;
  }
  reportLane(C, PC, Lane, "uninitialised " + ofBytes(false, Q.Bytes), {Where},
             Address);
  C->Run->fail(LaunchStatus::CheckFailed);
}

/// A line of which some bytes are in \p A: the others, which no GPU would miss
/// as no page ends within a line, are zero.
static char *partOfLine(const Allocation &A, unsigned Lane, uint64_t Address,
                        unsigned Bytes) {
  static thread_local char Lines[WarpLanes][32];
  char *Line = Lines[Lane];
  std::memset(Line, 0, sizeof Lines[Lane]);
  for (unsigned I = 0; I < Bytes; ++I)
    if (A.contains(Address + I, 1))
      Line[I] = *hostPointer<char>(Address + I);
  return Line;
}

/// The allocation that has one of the bytes; null: none has.
static const Allocation *allocationInLine(const DeviceMemory &Memory,
                                          uint64_t Address, unsigned Bytes) {
  for (unsigned I = 0; I < Bytes; ++I)
    if (const Allocation *A = Memory.find(Address + I);
        A && !A->Freed && A->contains(Address + I, 1))
      return A;
  return nullptr;
}

static bool resolveGlobal(Context *C, const Instruction *PC, unsigned Lane,
                          uint64_t Address, const AccessRequest &Q,
                          char *&Host) {
  Site *S = PC->Site < C->Running->NumSites ? &C->Sites[PC->Site] : nullptr;
  Site Local;
  if (!S)
    S = &Local;
  if (Address < S->Low || Address + Q.Bytes > S->High ||
      Address + Q.Bytes < Address) {
    const Allocation *A = C->Run->E.Memory->find(Address);
    if (!A || A->Freed || !A->contains(Address, Q.Bytes)) {
      if (Q.Use == ReadUse::Line && !Q.IsWrite)
        if (const Allocation *Part =
                allocationInLine(*C->Run->E.Memory, Address, Q.Bytes)) {
          Host = partOfLine(*Part, Lane, Address, Q.Bytes);
          return true;
        }
      badGlobal(C, PC, Lane, Address, Q);
      return false;
    }
    S->Low = A->Begin;
    S->High = A->End;
    S->Written = A->Initialised ? nullptr : A->Written.get();
    S->ReadOnly = A->ReadOnly;
  }
  if (Q.IsWrite && S->ReadOnly) {
    reportLane(C, PC, Lane, ofBytes(true, Q.Bytes) + " to constant memory", {},
               &Address);
    C->Run->fail(LaunchStatus::IllegalAddress);
    return false;
  }
  Host = hostPointer<char>(Address);
  if (S->Written) {
    uint64_t At = Address - S->Low;
    if ((!Q.IsWrite || Q.IsAtomic) && !allSet(S->Written, At, Q.Bytes)) {
      const Allocation *A = C->Run->E.Memory->find(Address);
      readUnwritten(C, PC, Lane, Q, S->Written, At, "inside " + described(*A),
                    &Address);
    }
    if (Q.IsWrite)
      setAll(S->Written, At, Q.Bytes);
  }
  return true;
}

static std::string inShared(uint64_t Offset) {
  return "in shared memory, offset " + utostr(Offset - ReservedSharedBytes);
}

static bool resolveShared(Context *C, const Instruction *PC, unsigned Lane,
                          uint64_t Offset, const AccessRequest &Q,
                          char *&Host) {
  BlockState &B = *C->Block;
  if (Offset + Q.Bytes > C->SharedBytes || Offset + Q.Bytes < Offset) {
    uint64_t Known =
        C->SharedBytes - std::min(C->SharedBytes, ReservedSharedBytes);
    reportLane(
        C, PC, Lane, "out-of-bounds shared " + ofBytes(Q.IsWrite, Q.Bytes),
        {"offset " + llvm::itostr(int64_t(Offset - ReservedSharedBytes)) +
         " of " + utostr(Known) + " bytes of shared memory"});
    C->Run->fail(LaunchStatus::IllegalAddress);
    return false;
  }
  if (const std::string Copy = copyUnderWay(*C, Offset, Q.Bytes);
      !Copy.empty()) {
    reportLane(C, PC, Lane,
               ofBytes(Q.IsWrite, Q.Bytes) +
                   " where an asynchronous copy is under way",
               {Copy, inShared(Offset)});
    C->Run->fail(LaunchStatus::CheckFailed);
    return false;
  }
  Host = C->Shared + Offset;
  if (B.SharedWritten) {
    if ((!Q.IsWrite || Q.IsAtomic) &&
        !allSet(B.SharedWritten, Offset, Q.Bytes)) {
      readUnwritten(C, PC, Lane, Q, B.SharedWritten, Offset, inShared(Offset),
                    nullptr);
    }
    if (Q.IsWrite) {
      B.SharedUnwritten -= setAll(B.SharedWritten, Offset, Q.Bytes);
      if (!B.SharedUnwritten) {
        B.SharedWritten = nullptr;
        B.WatchShared = anyUnderWay(B);
      }
    }
  }
  return true;
}

static bool resolveLocal(Context *C, const Instruction *PC, unsigned Lane,
                         uint64_t Offset, const AccessRequest &Q, char *&Host) {
  uint64_t Top = C->LocalBase + C->Running->LocalBytes;
  if (Offset + Q.Bytes > Top || Offset + Q.Bytes < Offset) {
    reportLane(C, PC, Lane,
               "out-of-bounds local " + ofBytes(Q.IsWrite, Q.Bytes),
               {"offset " + llvm::itostr(int64_t(Offset)) + " of " +
                utostr(Top) + " bytes of local memory"});
    C->Run->fail(LaunchStatus::IllegalAddress);
    return false;
  }
  Host = localAddress(C->Local, Offset, Lane);
  return true;
}

uint32_t sluice::emulator::resolveAccess(Context *C, const Instruction *PC,
                                         const AccessRequest &Q, char **Host) {
  uint32_t Good = 0;
  for (uint32_t M = Q.Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    uint64_t Address = Q.Addresses[L];
    Space Where = Q.Where;
    if (Where == Space::Generic) {
      if (Address - SharedWindow < PrivateWindowBytes) {
        Where = Space::Shared;
        Address -= SharedWindow;
      } else if (Address - LocalWindow < PrivateWindowBytes) {
        Where = Space::Local;
        Address -= LocalWindow;
      }
    }
    if (Address & (Q.Bytes - 1)) {
      reportLane(C, PC, L, "misaligned " + ofBytes(Q.IsWrite, Q.Bytes), {},
                 &Address);
      C->Run->fail(LaunchStatus::MisalignedAddress);
      continue;
    }
    bool Ok =
        Where == Space::Shared  ? resolveShared(C, PC, L, Address, Q, Host[L])
        : Where == Space::Local ? resolveLocal(C, PC, L, Address, Q, Host[L])
                                : resolveGlobal(C, PC, L, Address, Q, Host[L]);
    if (Ok)
      Good |= uint32_t(1) << L;
  }
  return Good;
}

uint32_t sluice::emulator::guardOf(const Context *C, const char *R, bool Has,
                                   bool Negated, Slot Guard) {
  if (!Has)
    return C->Mask;
  uint32_t G;
  std::memcpy(&G, R + Guard.Offset, 4);
  return C->Mask & (Negated ? ~G : G);
}

// A lane's load of fewer bytes than the instruction moves; zeros are the rest.
static void readBeginning(Context *C, const Instruction *PC, char *R,
                          unsigned Lane, uint64_t Address, uint32_t Bytes) {
  const auto &Op = *static_cast<const GuardedAccess *>(PC->Extra);
  char Read[32] = {};
  for (uint32_t I = 0; I < Bytes; ++I) {
    uint64_t Addresses[WarpLanes];
    Addresses[Lane] = Address + I;
    char *Host[WarpLanes];
    if (resolveAccess(
            C, PC,
            {Addresses, uint32_t(1) << Lane, Op.Access.Where, 1, false, false},
            Host))
      Read[I] = *Host[Lane];
  }
  for (auto [I, S] : llvm::enumerate(Op.Data)) {
    uint64_t Word = 0;
    std::memcpy(&Word, Read + I * Op.ElementBytes, Op.ElementBytes);
    writeLane(R, S, Lane, Word);
  }
}

// Tells of a load of which each lane reads as many bytes as it says.
static void tellBeginnings(Context *C, const Instruction *PC, const char *R,
                           uint32_t Lanes) {
  const auto &Op = *static_cast<const GuardedAccess *>(PC->Extra);
  auto BytesOf = [&](unsigned L) {
    return uint8_t(
        std::min<uint64_t>(readLane(R, Op.SourceBytes, L), Op.Access.Bytes));
  };
  while (Lanes) {
    AccessOp Part = Op.Access;
    Part.Bytes = BytesOf(__builtin_ctz(Lanes));
    uint32_t Same = 0;
    for (uint32_t M = Lanes; M; M &= M - 1)
      if (unsigned L = __builtin_ctz(M); BytesOf(L) == Part.Bytes)
        Same |= uint32_t(1) << L;
    if (Part.Bytes)
      tellAccess(C, PC, R, Part, Same);
    Lanes &= ~Same;
  }
}

// Loads and stores of inline PTX.
void sluice::emulator::guardedAccess(Context *C, const Instruction *PC,
                                     char *R) {
  const auto &Op = *static_cast<const GuardedAccess *>(PC->Extra);
  const AccessOp &A = Op.Access;
  uint32_t Mask = guardOf(C, R, A.HasGuard, A.GuardNegated, A.Guard);
  uint64_t Addresses[WarpLanes];
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    Addresses[L] = readLane(R, A.Address, L) + A.Offset;
  }
  if (A.IsVolatile)
    noteWait(C, PC, A.Where, Mask, Addresses);
  char *Host[WarpLanes];
  uint32_t Whole = Mask;
  if (Op.HasSourceBytes) {
    tellBeginnings(C, PC, R, Mask);
    Whole = 0;
    for (uint32_t M = Mask; M; M &= M - 1) {
      unsigned L = __builtin_ctz(M);
      uint32_t Bytes = uint32_t(readLane(R, Op.SourceBytes, L));
      if (Bytes >= A.Bytes)
        Whole |= uint32_t(1) << L;
      else
        readBeginning(C, PC, R, L, Addresses[L], Bytes);
    }
    Mask = Whole;
  }
  AccessRequest Q{Addresses, Whole, A.Where,       A.Bytes,
                  A.IsWrite, false, ReadUse(PC->E)};
  uint32_t Good = resolveAccess(C, PC, Q, Host);
  if (Op.IsAsync)
    return startCopies(C, PC, R, Good, Host);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    for (auto [I, S] : llvm::enumerate(Op.Data)) {
      uint64_t Word = 0;
      unsigned Offset = I * Op.ElementBytes;
      if (A.IsWrite) {
        Word = readLane(R, S, L);
        if (Good >> L & 1)
          std::memcpy(Host[L] + Offset, &Word, Op.ElementBytes);
        continue;
      }
      if (Good >> L & 1)
        std::memcpy(&Word, Host[L] + Offset, Op.ElementBytes);
      if (Op.SignExtend && Op.ElementBytes < 8) {
        unsigned Shift = 64 - 8 * Op.ElementBytes;
        Word = uint64_t(int64_t(Word << Shift) >> Shift);
      }
      writeLane(R, S, L, Word);
    }
  }
}
