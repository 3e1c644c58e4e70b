// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells the observers what warps do. The instructions that call this are there
// only if somebody observes; volatile loads and nanosleep also let other warps
// run.

#include "Launch.h"
#include <algorithm>
#include <cstring>

using namespace sluice::emulator;

// Fills in all lanes, also those that do not take part: a loop without
// conditions is what the compiler makes vectors of.
static void addressesOf(const char *R, const AccessOp &Op, MemoryAccess &A) {
  if (Op.Address.Bytes == 8 && !Op.Address.Uniform) {
    std::memcpy(A.Addresses, R + Op.Address.Offset, sizeof A.Addresses);
    for (uint64_t &Address : A.Addresses)
      Address += Op.Offset;
  } else if (Op.Address.Uniform) {
    std::fill_n(A.Addresses, WarpLanes, readLane(R, Op.Address, 0) + Op.Offset);
  } else {
    for (unsigned L = 0; L < WarpLanes; ++L)
      A.Addresses[L] = readLane(R, Op.Address, L) + Op.Offset;
  }
  std::fill_n(A.Space, WarpLanes,
              Op.Where == Space::Shared  ? AccessSpace::Shared
              : Op.Where == Space::Local ? AccessSpace::Local
                                         : AccessSpace::Global);
  if (Op.Where != Space::Generic)
    return;
  for (unsigned L = 0; L < WarpLanes; ++L) {
    uint64_t &Address = A.Addresses[L];
    if (Address - SharedWindow < PrivateWindowBytes) {
      A.Space[L] = AccessSpace::Shared;
      Address -= SharedWindow;
    } else if (Address - LocalWindow < PrivateWindowBytes) {
      A.Space[L] = AccessSpace::Local;
      Address -= LocalWindow;
    }
  }
}

static WarpPlace warpPlaceOf(const Context *C, const Instruction *PC) {
  const CodePlace &Place = placeOf(*C, PC);
  return {C->Block->Linear, C->Warp->Index, Place.File.c_str(), Place.Line};
}

static void tellFence(Context *C, const Instruction *PC, uint32_t Lanes) {
  if (!C->Block->Observed)
    return;
  for (Observer *O : C->Run->E.Observers)
    if (O->wants(C->Block->Linear))
      O->fence(warpPlaceOf(C, PC), Lanes);
}

void sluice::emulator::observeAccess(Context *C, const Instruction *PC,
                                     char *R) {
  auto *Op = static_cast<const AccessOp *>(PC->Extra);
  if (!Op) { // nanosleep
    C->Waits += WaitLimit - 1;
    noteWait(C);
    return;
  }
  const uint32_t Mask =
      guardOf(C, R, Op->HasGuard, Op->GuardNegated, Op->Guard);
  if (Op->IsFence)
    return tellFence(C, PC, Mask);
  if (Op->IsVolatile && !Op->IsWrite && Mask) {
    const uint64_t First =
        readLane(R, Op->Address, __builtin_ctz(Mask)) + Op->Offset;
    noteWait(C, PC, Op->Where, 1, &First);
  }
  tellAccess(C, PC, R, *Op, Mask);
}

void sluice::emulator::tellAccess(Context *C, const Instruction *PC,
                                  const char *R, const AccessOp &Op,
                                  uint32_t Lanes) {
  const LaunchRun &Run = *C->Run;
  if (!C->Block->Observed)
    return;
  C->Observed = PC;
  MemoryAccess A;
  A.Lanes = Lanes;
  A.Place = warpPlaceOf(C, PC);
  A.Bytes = Op.Bytes;
  A.IsWrite = Op.IsWrite;
  A.IsAtomic = Op.IsAtomic;
  A.IsVolatile = Op.IsVolatile;
  A.Acquires = Op.Acquires;
  A.Releases = Op.Releases;
  A.IsReadWrite = Op.IsReadWrite;
  A.SaysReadOnly = Op.SaysReadOnly;
  A.IsLine = Op.IsLine;
  A.Site = Op.Site;
  uint64_t Values[WarpLanes];
  if (Op.HasValue) {
    for (uint32_t M = A.Lanes; M; M &= M - 1) {
      unsigned L = __builtin_ctz(M);
      Values[L] = readLane(R, Op.Value, L);
    }
    A.Values = Values;
  }
  addressesOf(R, Op, A);
  for (Observer *O : Run.E.Observers)
    if (O->wants(A.Place.Block))
      O->access(A, {C->Warp->Tid, C->Block->Index, C});
}

void sluice::emulator::observeBlock(Context *C, const Instruction *PC, char *) {
  if (!C->Block->Observed)
    return;
  for (Observer *O : C->Run->E.Observers)
    if (O->wants(C->Block->Linear))
      O->blockEntered(warpPlaceOf(C, PC), C->Mask,
                      *static_cast<const BlockSummary *>(PC->Extra));
}
