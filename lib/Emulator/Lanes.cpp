// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done lane by lane: lane functions, bytes rearranged, special
// registers.

#include "Launch.h"
#include <chrono>
#include <cstring>

using namespace sluice::emulator;

uint64_t sluice::emulator::readLane(const char *R, Slot S, unsigned Lane) {
  if (S.isMask()) {
    uint32_t Bits;
    std::memcpy(&Bits, R + S.Offset, 4);
    return Bits >> Lane & 1;
  }
  uint64_t Word = 0;
  std::memcpy(&Word, R + S.Offset + (S.Uniform ? 0 : Lane * S.Bytes), S.Bytes);
  return Word;
}

void sluice::emulator::writeLane(char *R, Slot S, unsigned Lane,
                                 uint64_t Word) {
  if (S.isMask()) {
    uint32_t Bits;
    std::memcpy(&Bits, R + S.Offset, 4);
    if (S.Uniform)
      Bits = Word & 1 ? ~0u : 0;
    else
      Bits = (Bits & ~(1u << Lane)) | uint32_t(Word & 1) << Lane;
    std::memcpy(R + S.Offset, &Bits, 4);
    return;
  }
  std::memcpy(R + S.Offset + (S.Uniform ? 0 : Lane * S.Bytes), &Word, S.Bytes);
}

void sluice::emulator::laneCall(Context *C, const Instruction *PC, char *R) {
  const auto &Call = *static_cast<const LaneCall *>(PC->Extra);
  uint32_t Mask = C->Mask;
  if (Call.HasGuard) {
    uint32_t G;
    std::memcpy(&G, R + Call.Guard.Offset, 4);
    Mask &= Call.GuardNegated ? ~G : G;
  }
  // A uniform result has uniform operands: one lane does.
  if (!Call.Results.empty() && Call.Results[0].Uniform &&
      (!Call.Results[0].isMask()))
    Mask &= -Mask;
  const unsigned N = Call.Operands.size();
  uint64_t Words[12];
  for (; Mask; Mask &= Mask - 1) {
    unsigned L = __builtin_ctz(Mask);
    for (unsigned I = 0; I < N; ++I)
      Words[I] = readLane(R, Call.Operands[I], L);
    uint64_t Result = Call.Evaluate(Words);
    if (!Call.Results.empty())
      writeLane(R, Call.Results[0], L, Result);
    if (Call.Results.size() > 1)
      writeLane(R, Call.Results[1], L, Words[N]);
  }
}

void sluice::emulator::repack(Context *C, const Instruction *PC, char *R) {
  const auto &P = *static_cast<const Repack *>(PC->Extra);
  for (uint32_t M = C->Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    char Buffer[256] = {};
    unsigned At = 0, Bit = 0;
    for (Slot S : P.From) {
      uint64_t Word = readLane(R, S, L);
      if (S.isMask()) { // i1s are packed
        Buffer[Bit / 8] = char(Buffer[Bit / 8] | (Word & 1) << Bit % 8);
        ++Bit;
        continue;
      }
      std::memcpy(Buffer + At, &Word, S.Bytes);
      At += S.Bytes;
    }
    At = Bit = 0;
    for (Slot S : P.To) {
      if (S.isMask()) {
        writeLane(R, S, L, Buffer[Bit / 8] >> Bit % 8 & 1);
        ++Bit;
        continue;
      }
      uint64_t Word = 0;
      std::memcpy(&Word, Buffer + At, S.Bytes);
      At += S.Bytes;
      writeLane(R, S, L, Word);
    }
  }
}

// Long because it has a case for each special register, of a line or two.
static uint64_t specialValue(const Context *C, SpecialRegister Which,
                             unsigned Dimension, unsigned L) {
  const LaunchRun &Run = *C->Run;
  const LaunchShape &Shape = Run.E.Shape;
  const BlockState &B = *C->Block;
  auto Pick = [&](const Dim3 &D) -> uint64_t {
    return Dimension == 0   ? D.X
           : Dimension == 1 ? D.Y
           : Dimension == 2 ? D.Z
                            : 0;
  };
  auto PickSize = [&](const Dim3 &D) -> uint64_t {
    return Dimension == 3 ? 0 : Pick(D);
  };
  const Dim3 &K = Shape.Cluster;
  using S = SpecialRegister;
  switch (Which) {
  case S::Tid:
    return Dimension < 3 ? C->Warp->Tid[Dimension][L] : 0;
  case S::Ntid:
    return PickSize(Shape.Block);
  case S::Ctaid:
    return Pick(B.Index);
  case S::Nctaid:
    return PickSize(Shape.Grid);
  case S::LaneId:
    return L;
  case S::WarpId:
    return C->Warp->Index;
  case S::NWarpId:
    return Run.E.GPU->MaxWarps;
  case S::SmId:
    return B.Linear % Run.E.GPU->DefaultSMs;
  case S::NSmId:
    return Run.E.GPU->DefaultSMs;
  case S::GridId:
    return Run.E.Number;
  case S::WarpSize:
    return WarpLanes;
  case S::LaneMaskEq:
    return uint32_t(1) << L;
  case S::LaneMaskLt:
    return (uint32_t(1) << L) - 1;
  case S::LaneMaskLe:
    return uint32_t((uint64_t(2) << L) - 1);
  case S::LaneMaskGt:
    return ~uint32_t((uint64_t(2) << L) - 1);
  case S::LaneMaskGe:
    return ~((uint32_t(1) << L) - 1);
  case S::Clock:
  case S::Clock64:
    // Instructions of the warp, which only ever grow, as a clock does.
    return C->LaneInstructions + 1 + (C->By->LaneInstructions);
  case S::GlobalTimer:
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  case S::TotalShared:
    return C->SharedBytes;
  case S::DynamicShared:
    return Shape.DynamicSharedBytes;
  case S::EnvReg: // 1 and 2: where cooperative groups keeps the grid's barrier
    return Dimension == 1   ? Run.E.GridWorkspace >> 32
           : Dimension == 2 ? uint32_t(Run.E.GridWorkspace)
                            : 0;
  case S::ActiveMask:
    return C->Mask;
  case S::ClusterNctaid:
    return PickSize(K);
  case S::ClusterCtaid:
    return Dimension == 0   ? B.Index.X % K.X
           : Dimension == 1 ? B.Index.Y % K.Y
           : Dimension == 2 ? B.Index.Z % K.Z
                            : 0;
  case S::ClusterId:
    return Dimension == 0   ? B.Index.X / K.X
           : Dimension == 1 ? B.Index.Y / K.Y
           : Dimension == 2 ? B.Index.Z / K.Z
                            : 0;
  case S::NClusterId:
    return Dimension == 0   ? Shape.Grid.X / K.X
           : Dimension == 1 ? Shape.Grid.Y / K.Y
           : Dimension == 2 ? Shape.Grid.Z / K.Z
                            : 0;
  case S::ClusterCtaRank:
    return B.Index.X % K.X + K.X * (B.Index.Y % K.Y + K.Y * (B.Index.Z % K.Z));
  case S::ClusterNctaRank:
    return K.count();
  case S::IsExplicitCluster:
    return K.count() > 1;
  case S::ReservedShared:
  case S::Zero:
    return 0;
  }
  return 0;
}

void sluice::emulator::specialRegister(Context *C, const Instruction *PC,
                                       char *R) {
  Slot D;
  D.Offset = PC->D;
  D.Bytes = PC->Count;
  D.Uniform = PC->B;
  auto Which = SpecialRegister(PC->Site);
  if (D.Uniform) {
    writeLane(R, D, 0,
              specialValue(C, Which, PC->Order, __builtin_ctz(C->Mask)));
    return;
  }
  for (unsigned L = 0; L < WarpLanes; ++L)
    writeLane(R, D, L, specialValue(C, Which, PC->Order, L));
}

void sluice::emulator::isSpace(Context *C, const Instruction *PC, char *R) {
  Slot A, D;
  A.Offset = PC->A;
  A.Bytes = 8;
  A.Uniform = PC->B;
  D.Offset = PC->D;
  D.Uniform = PC->Order;
  for (uint32_t M = C->Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    uint64_t Address = readLane(R, A, L);
    bool Shared = Address - SharedWindow < PrivateWindowBytes,
         Local = Address - LocalWindow < PrivateWindowBytes;
    bool Is = PC->Count == unsigned(Space::Shared)   ? Shared
              : PC->Count == unsigned(Space::Local)  ? Local
              : PC->Count == unsigned(Space::Global) ? !Shared && !Local
                                                     : false;
    writeLane(R, D, L, Is);
  }
}
