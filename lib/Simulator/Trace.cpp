// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How accesses are kept: affine in the lane, which most are, in five words;
// else in four and one for each lane.

#include "sluice/Simulator/Trace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace sluice;

L1Hint sluice::l1HintOf(const CacheHint &Hint) {
  switch (Hint.L1) {
  case CacheHint::L1Eviction::First:
    return L1Hint::EvictFirst;
  case CacheHint::L1Eviction::Last:
    return L1Hint::EvictLast;
  case CacheHint::L1Eviction::Unchanged:
    return L1Hint::Unchanged;
  case CacheHint::L1Eviction::NoAllocate:
    return L1Hint::NoAllocate;
  case CacheHint::L1Eviction::None:
    break; // an operator excludes those
  }
  switch (Hint.Operator) {
  case CacheHint::CacheOperator::CS:
  case CacheHint::CacheOperator::LU:
    return L1Hint::EvictFirst;
  case CacheHint::CacheOperator::CG:
  case CacheHint::CacheOperator::CV:
    return L1Hint::Global;
  case CacheHint::CacheOperator::None:
  case CacheHint::CacheOperator::CA:
    break;
  }
  return L1Hint::Normal;
}

static void addAddress(std::vector<uint32_t> &Words, uint64_t Address) {
  Words.push_back(uint32_t(Address));
  Words.push_back(uint32_t(Address >> 32));
}

static uint64_t addressAt(const uint32_t *P) {
  return P[0] | uint64_t(P[1]) << 32;
}

void WarpTrace::encodeAccess(uint32_t Site, uint32_t Lanes,
                             const uint64_t *Addresses,
                             std::vector<uint32_t> &Words) {
  if (!Lanes)
    return;
  const unsigned First = llvm::countr_zero(Lanes);
  const unsigned Last = 31 - llvm::countl_zero(Lanes);
  // Of two lanes side by side the distance; of others it is tried.
  int64_t Stride = 0;
  if (First != Last)
    Stride = (int64_t(Addresses[Last]) - int64_t(Addresses[First])) /
             int64_t(Last - First);
  bool IsAffine = Stride == int32_t(Stride);
  for (uint32_t M = Lanes; M && IsAffine; M &= M - 1) {
    unsigned L = llvm::countr_zero(M);
    IsAffine = int64_t(Addresses[L]) ==
               int64_t(Addresses[First]) + Stride * int64_t(L - First);
  }
  if (IsAffine) {
    Words.push_back(uint32_t(Affine) << ArgumentBits | Site);
    Words.push_back(Lanes);
    addAddress(Words, Addresses[First] - uint64_t(Stride) * First);
    Words.push_back(uint32_t(int32_t(Stride)));
    return;
  }
  uint64_t Least = ~uint64_t(0);
  for (uint32_t M = Lanes; M; M &= M - 1)
    Least = std::min(Least, Addresses[llvm::countr_zero(M)]);
  uint32_t Near = 0;
  for (uint32_t M = Lanes; M; M &= M - 1)
    if (Addresses[llvm::countr_zero(M)] - Least <= UINT32_MAX)
      Near |= M & -M;
  Words.push_back(uint32_t(Scattered) << ArgumentBits | Site);
  Words.push_back(Near);
  addAddress(Words, Least);
  for (uint32_t M = Near; M; M &= M - 1)
    Words.push_back(uint32_t(Addresses[llvm::countr_zero(M)] - Least));
  encodeAccess(Site, Lanes & ~Near, Addresses, Words);
}

const FunctionSite *CodeSites::kernel(llvm::StringRef Name) const {
  auto Found = llvm::find_if(
      Functions, [&](const FunctionSite &F) { return F.Kernel == Name; });
  return Found == Functions.end() ? nullptr : &*Found;
}

const uint32_t *sluice::skipAccess(const uint32_t *P) {
  return WarpTrace::op(*P) == WarpTrace::Affine ? P + 5
                                                : P + 4 + llvm::popcount(P[1]);
}

void sluice::forEachLane(
    const uint32_t *P,
    llvm::function_ref<void(unsigned Lane, uint64_t Address)> Visit) {
  const uint64_t Base = addressAt(P + 2);
  const bool IsAffine = WarpTrace::op(*P) == WarpTrace::Affine;
  const uint32_t *Distance = P + 4;
  for (uint32_t M = P[1]; M; M &= M - 1) {
    const unsigned Lane = llvm::countr_zero(M);
    Visit(Lane, IsAffine ? Base + uint64_t(int64_t(int32_t(P[4]))) * Lane
                         : Base + *Distance++);
  }
}

namespace {

/// Collects the lines of one access.
class LineCollector {
public:
  explicit LineCollector(LineAccess &A) : A(A) { A.Count = 0; }

  /// Lines come in rising or falling order: only the last can be met again.
  void addInOrder(uint64_t Sector) {
    uint64_t Line = Sector >> 2;
    if (A.Count == 0 || A.Line[A.Count - 1] != Line)
      open(Line);
    A.Sectors[A.Count - 1] |= 1u << (Sector & 3);
  }
  void add(uint64_t Sector) {
    uint64_t Line = Sector >> 2;
    unsigned I = A.Count;
    while (I && A.Line[I - 1] != Line)
      --I;
    if (!I) {
      open(Line);
      I = A.Count;
    }
    A.Sectors[I - 1] |= 1u << (Sector & 3);
  }

private:
  void open(uint64_t Line) {
    A.Line[A.Count] = Line;
    A.Sectors[A.Count++] = 0;
  }
  LineAccess &A;
};

constexpr unsigned SectorShift = 5;

} // namespace

const uint32_t *sluice::expandAccess(const uint32_t *P, unsigned Bytes,
                                     LineAccess &A) {
  const uint32_t Lanes = P[1];
  const uint64_t Base = addressAt(P + 2);
  LineCollector Lines(A);
  const uint32_t *Next;
  if (WarpTrace::op(*P) == WarpTrace::Affine) {
    const int64_t Stride = int32_t(P[4]);
    Next = P + 5;
    if (Stride == 0) {
      Lines.addInOrder(Base >> SectorShift);
      Lines.addInOrder((Base + Bytes - 1) >> SectorShift);
    } else if (Lanes == ~0u && (Stride >= 128 || Stride <= -128) &&
               llvm::has_single_bit(Bytes) &&
               ((Base | uint64_t(Stride)) & (Bytes - 1)) == 0) {
      // Each lane has a line of its own.
      uint64_t At = Base;
      for (unsigned L = 0; L < 32; ++L, At += uint64_t(Stride)) {
        A.Line[L] = At >> 7;
        A.Sectors[L] = 1u << (At >> SectorShift & 3);
      }
      A.Count = A.NumSectors = 32;
      return Next;
    } else if (Stride > 0 && Stride <= 32 && llvm::isShiftedMask_32(Lanes)) {
      // All sectors from the first to the last.
      const uint64_t Low = Base + uint64_t(Stride) * llvm::countr_zero(Lanes);
      const uint64_t Last =
          Base + uint64_t(Stride) * (31 - llvm::countl_zero(Lanes));
      const uint64_t End = ((Last + Bytes - 1) >> SectorShift) + 1;
      A.NumSectors = unsigned(End - (Low >> SectorShift));
      for (uint64_t S = Low >> SectorShift; S < End; S = (S | 3) + 1) {
        const unsigned Behind = unsigned(std::min<uint64_t>(End - (S & ~3), 4));
        A.Line[A.Count] = S >> 2;
        A.Sectors[A.Count++] = (0xF >> (4 - Behind)) & (0xF << (S & 3));
      }
      return Next;
    } else {
      const bool IsOverlapping = std::abs(Stride) < int64_t(Bytes);
      for (uint32_t M = Lanes; M; M &= M - 1) {
        uint64_t At = Base + uint64_t(Stride) * llvm::countr_zero(M);
        uint64_t Low = At >> SectorShift,
                 High = (At + Bytes - 1) >> SectorShift;
        if (IsOverlapping) { // a line may be met again
          Lines.add(Low);
          Lines.add(High);
          continue;
        }
        if (Stride < 0)
          std::swap(Low, High);
        Lines.addInOrder(Low);
        Lines.addInOrder(High);
      }
    }
  } else {
    Next = P + 4;
    for (uint32_t M = Lanes; M; M &= M - 1) {
      uint64_t At = Base + *Next++;
      uint64_t Low = At >> SectorShift, High = (At + Bytes - 1) >> SectorShift;
      Lines.add(Low);
      if (High != Low)
        Lines.add(High);
    }
  }
  A.NumSectors = 0;
  for (unsigned I = 0; I < A.Count; ++I)
    A.NumSectors += countSectors(A.Sectors[I]);
  return Next;
}
