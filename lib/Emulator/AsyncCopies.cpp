// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies are kept as their warps issued them, so a wait looks at those of one
// warp. An access looks at bits, and for the copy only where it is wrong.

#include "AsyncCopies.h"
#include "Launch.h"
#include "Observers.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace sluice::emulator;

static uint32_t bit(unsigned Lane) { return uint32_t(1) << Lane; }

bool sluice::emulator::anyUnderWay(const BlockState &B) {
  return B.Copies && llvm::any_of(B.Copies->OfWarp, [](const auto &Copies) {
           return !Copies.empty();
         });
}

std::string sluice::emulator::copyUnderWay(const Context &C, uint64_t Offset,
                                           unsigned Bytes) {
  const BlockState &B = *C.Block;
  if (!B.Copies ||
      B.Copies->UnderWay.find_first_in(unsigned(Offset / 4),
                                       unsigned((Offset + Bytes + 3) / 4)) < 0)
    return "";
  for (auto [Warp, Copies] : llvm::enumerate(B.Copies->OfWarp))
    for (const AsyncCopy &Copy : Copies)
      for (uint32_t M = Copy.Lanes; M; M &= M - 1) {
        unsigned L = __builtin_ctz(M);
        if (Copy.To[L] < Offset + Bytes && Offset < Copy.To[L] + Copy.Bytes)
          return "copied at " + Copy.Place->str() + " by " +
                 nameOfThread(C.Run->E.Shape, B.Linear,
                              unsigned(Warp) * WarpLanes + L) +
                 ", and not waited for";
      }
  return "";
}

void sluice::emulator::startCopies(Context *C, const Instruction *PC,
                                   const char *R, uint32_t Lanes,
                                   char *const *Host) {
  if (!Lanes)
    return;
  const auto &Op = *static_cast<const GuardedAccess *>(PC->Extra);
  BlockState &B = *C->Block;
  const unsigned Warp = C->Warp->Index;
  if (!B.Copies)
    B.Copies = std::make_unique<AsyncCopies>(B.Warps.size(), C->SharedBytes);
  AsyncCopy Copy;
  Copy.Lanes = Lanes;
  Copy.Bytes = Op.Access.Bytes;
  Copy.Place = &placeOf(*C, PC);
  for (uint32_t M = Lanes; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    Copy.Group[L] = B.Copies->Committed[Warp * WarpLanes + L];
    Copy.To[L] = uint64_t(Host[L] - C->Shared);
    for (auto [I, S] : llvm::enumerate(Op.Data)) {
      const uint64_t Word = readLane(R, S, L);
      std::memcpy(Copy.Data[L] + I * Op.ElementBytes, &Word, Op.ElementBytes);
    }
    B.Copies->UnderWay.set(unsigned(Copy.To[L] / 4),
                           unsigned((Copy.To[L] + Copy.Bytes) / 4));
  }
  B.Copies->OfWarp[Warp].push_back(Copy);
  B.WatchShared = true;
}

// The bytes of \p Lanes are there.
static void land(Context *C, AsyncCopy &Copy, uint32_t Lanes) {
  for (uint32_t M = Lanes; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    std::memcpy(C->Shared + Copy.To[L], Copy.Data[L], Copy.Bytes);
    C->Block->Copies->UnderWay.reset(unsigned(Copy.To[L] / 4),
                                     unsigned((Copy.To[L] + Copy.Bytes) / 4));
  }
  Copy.Lanes &= ~Lanes;
}

static void forgetLanded(BlockState &B, unsigned Warp) {
  llvm::erase_if(B.Copies->OfWarp[Warp],
                 [](const AsyncCopy &Copy) { return !Copy.Lanes; });
  B.WatchShared = B.SharedWritten || anyUnderWay(B);
}

static void tellLanding(Context *C, const AsyncCopy &Copy, uint32_t Lanes) {
  if (!C->Block->Observed)
    return;
  MemoryAccess A;
  A.Place = {C->Block->Linear, C->Warp->Index, Copy.Place->File.c_str(),
             Copy.Place->Line};
  A.Lanes = Lanes;
  A.Bytes = Copy.Bytes;
  A.IsWrite = true;
  std::fill_n(A.Space, WarpLanes, AccessSpace::Shared);
  std::copy_n(Copy.To, WarpLanes, A.Addresses);
  for (Observer *O : C->Run->E.Observers)
    if (O->wants(A.Place.Block))
      O->copyLanded(A);
}

void sluice::emulator::asyncGroupOperation(Context *C, const Instruction *PC,
                                           char *R) {
  const auto &Op = *static_cast<const AsyncGroupOp *>(PC->Extra);
  BlockState &B = *C->Block;
  if (!B.Copies) // so far all groups are empty
    return;
  const unsigned Warp = C->Warp->Index;
  const uint32_t Lanes = guardOf(C, R, Op.HasGuard, Op.GuardNegated, Op.Guard);
  uint32_t *Committed = &B.Copies->Committed[Warp * WarpLanes];
  if (Op.Commits)
    for (uint32_t M = Lanes; M; M &= M - 1)
      ++Committed[__builtin_ctz(M)];
  if (!Op.Waits)
    return;
  for (AsyncCopy &Copy : B.Copies->OfWarp[Warp]) {
    uint32_t There = 0;
    for (uint32_t M = Copy.Lanes & Lanes; M; M &= M - 1) {
      unsigned L = __builtin_ctz(M);
      if (Committed[L] - Copy.Group[L] > Op.Groups)
        There |= bit(L);
    }
    if (!There)
      continue;
    land(C, Copy, There);
    tellLanding(C, Copy, There);
  }
  forgetLanded(B, Warp);
}

void sluice::emulator::tieCopies(Context *C, unsigned Lane, uint64_t Barrier) {
  if (!C->Block->Copies)
    return;
  for (AsyncCopy &Copy : C->Block->Copies->OfWarp[C->Warp->Index])
    if (Copy.Lanes & ~Copy.Tied & bit(Lane)) {
      Copy.Tied |= bit(Lane);
      Copy.Barrier[Lane] = Barrier;
    }
}

static uint32_t tiedTo(const AsyncCopy &Copy, uint64_t Barrier) {
  uint32_t Lanes = 0;
  for (uint32_t M = Copy.Lanes & Copy.Tied; M; M &= M - 1)
    if (unsigned L = __builtin_ctz(M); Copy.Barrier[L] == Barrier)
      Lanes |= bit(L);
  return Lanes;
}

void sluice::emulator::endPhaseOfCopies(Context *C, uint64_t Barrier) {
  if (C->Block->Copies)
    for (auto &Copies : C->Block->Copies->OfWarp)
      for (AsyncCopy &Copy : Copies)
        Copy.Over |= tiedTo(Copy, Barrier);
}

// Whom an mbarrier orders the races' checker knows by its atomic accesses.
void sluice::emulator::landTiedCopies(Context *C, uint64_t Barrier) {
  BlockState &B = *C->Block;
  if (!B.Copies)
    return;
  for (auto [Warp, Copies] : llvm::enumerate(B.Copies->OfWarp)) {
    if (Copies.empty())
      continue;
    for (AsyncCopy &Copy : Copies)
      land(C, Copy, tiedTo(Copy, Barrier) & Copy.Over);
    forgetLanded(B, unsigned(Warp));
  }
}
