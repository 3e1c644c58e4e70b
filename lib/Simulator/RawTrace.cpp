// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp's records come in the order in which it ran the parts; those of
// different warps are mixed. Lanes that have parted make records of their own.

#include "sluice/Simulator/RawTrace.h"
#include "sluice/Simulator/LineSharing.h"
#include "sluice/Simulator/WarpBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Demangle/Demangle.h"
#include <cstring>
#include <map>

using namespace llvm;
using namespace sluice;

namespace {

struct Record {
  uint32_t Part, Block, Warp, Mask;
  const uint32_t *Addresses;

  uint64_t address(unsigned Which, unsigned Rank) const {
    const uint32_t *P = Addresses + 2 * (size_t(Which) * popcount(Mask) + Rank);
    return P[0] | uint64_t(P[1]) << 32;
  }
};

/// Makes one warp's trace of its records.
class WarpOfRecords {
public:
  void add(const Record &R, const TracedPart &P, const CodeSites &Sites);
  WarpTrace take(const CodeSites &Sites) { return Builder.take(Sites); }

private:
  WarpBuilder Builder;
  /// Lanes whose arrival at a barrier was the last that happened: others that
  /// come to it by another way come to the same.
  uint32_t AtBarrier = 0;
};

} // namespace

// The lanes that made the access, and their addresses.
static uint32_t addressesOf(const Record &R, const TracedPart::Access &A,
                            const AccessSite &Site, uint64_t (&Addresses)[32]) {
  uint32_t Lanes = 0;
  unsigned Rank = 0;
  for (uint32_t M = R.Mask; M; M &= M - 1, ++Rank) {
    const unsigned Lane = countr_zero(M);
    if (A.Address == TracedPart::NoAddress) {
      // As if each lane had a bank of its own.
      Addresses[Lane] = uint64_t(Lane) * Site.Bytes;
    } else {
      const uint64_t Base = R.address(A.Address, Rank);
      if (!Base) // generic, and not to global memory
        continue;
      Addresses[Lane] = Base + uint64_t(A.Offset);
    }
    Lanes |= 1u << Lane;
  }
  return Lanes;
}

void WarpOfRecords::add(const Record &R, const TracedPart &P,
                        const CodeSites &Sites) {
  Builder.enter(P, Sites);
  for (const TracedPart::Access &A : P.Accesses) {
    const AccessSite &Site = Sites.Accesses[A.Site];
    uint64_t Addresses[32] = {};
    const uint32_t Lanes = addressesOf(R, A, Site, Addresses);
    Builder.access(A.Site, Lanes, Addresses, Site.Kind != AccessSite::Store);
  }
  if (!P.EndsInBarrier) {
    AtBarrier = 0;
    return;
  }
  if (!AtBarrier || (AtBarrier & R.Mask)) {
    Builder.barrier();
    AtBarrier = 0;
  }
  AtBarrier |= R.Mask;
}

// Notes what a warp of another SM touched.
static void noteOther(LineSharing &Sharing, unsigned Other, const Record &R,
                      const TracedPart &P, const CodeSites &Sites) {
  for (const TracedPart::Access &A : P.Accesses) {
    if (A.Address == TracedPart::NoAddress)
      continue;
    uint64_t Addresses[32] = {};
    const AccessSite &Site = Sites.Accesses[A.Site];
    const uint32_t Lanes = addressesOf(R, A, Site, Addresses);
    Sharing.touch(Other, Lanes, Addresses, Site.Bytes);
  }
}

// Takes the record at the head of \p Words; false if there is no whole one of
// known code.
static bool takeRecord(ArrayRef<uint32_t> &Words, const TraceTable &Table,
                       Record &R) {
  if (Words.size() < TraceRecordWords)
    return false;
  R = {Words[0], Words[1], Words[2], Words[3], Words.data() + TraceRecordWords};
  if (R.Part >= Table.Parts.size() || !R.Mask)
    return false;
  const uint64_t Length = TraceRecordWords + uint64_t(2) * popcount(R.Mask) *
                                                 Table.Parts[R.Part].Addresses;
  if (Words.size() < Length)
    return false;
  Words = Words.drop_front(Length);
  return true;
}

Expected<LaunchTrace> sluice::traceOfRecords(const TraceTable &Table,
                                             StringRef Kernel,
                                             const RawLaunchHeader &Launch,
                                             ArrayRef<uint32_t> Records) {
  LaunchTrace T;
  T.Kernel = Kernel.str();
  copy(Launch.Grid, T.Grid.begin());
  copy(Launch.Block, T.Block.begin());
  T.Registers = Launch.Registers;
  for (const TraceTable::Kernel &K : Table.Kernels)
    if (K.Name == Kernel && K.Registers)
      T.Registers = K.Registers;
  T.StaticSharedBytes = Launch.StaticSharedBytes;
  T.DynamicSharedBytes = Launch.DynamicSharedBytes;
  T.CarveoutPercent = Launch.CarveoutPercent;
  T.ActiveSMs = Launch.Stride;
  T.Sites = Table.Sites;
  auto Damaged = [&] {
    return createStringError("the records of " + demangle(T.Kernel) +
                             " are damaged");
  };
  if (!Launch.Stride || !T.blockThreads() || T.blockThreads() > 1024 ||
      !T.gridBlocks())
    return Damaged();
  const unsigned Warps = (T.blockThreads() + 31) / 32;
  std::map<uint64_t, std::vector<WarpOfRecords>> Blocks;
  for (uint64_t B = Launch.First; B < T.gridBlocks(); B += Launch.Stride)
    Blocks[B].resize(Warps);
  LineSharing Sharing;
  const auto *Unused = find(Launch.Others, ~0u);
  ArrayRef<uint32_t> Others(std::begin(Launch.Others), Unused);
  const unsigned Near = std::min(TracedNear, Launch.Stride - 1);
  const unsigned StandsFor[] = {Near, Launch.Stride - 1 - Near};
  Sharing.start(ArrayRef(StandsFor).take_front(Others.size()));
  while (!Records.empty()) {
    Record R;
    if (!takeRecord(Records, Table, R)) {
      // Behind the last that fitted there is nothing.
      if (Launch.WantedWords > Launch.RecordWords)
        break;
      return Damaged();
    }
    if (const auto *Of = find(Others, R.Block % Launch.Stride);
        Of != Others.end()) {
      noteOther(Sharing, unsigned(Of - Others.begin()), R, Table.Parts[R.Part],
                T.Sites);
      continue;
    }
    auto Block = Blocks.find(R.Block);
    if (Block == Blocks.end() || R.Warp >= Warps)
      return Damaged();
    Block->second[R.Warp].add(R, Table.Parts[R.Part], T.Sites);
  }
  for (auto &[Number, Of] : Blocks) {
    BlockTrace B;
    B.Number = Number;
    for (WarpOfRecords &W : Of)
      B.Warps.push_back(W.take(T.Sites));
    T.Blocks.push_back(std::move(B));
  }
  T.SharedByOtherSM = Sharing.shareOf(T);
  return T;
}

// Takes \p Length bytes from the head of \p Bytes; false: so many are not
// there.
static bool take(StringRef &Bytes, uint64_t Length, StringRef &Piece) {
  if (Length > Bytes.size())
    return false;
  Piece = Bytes.take_front(Length);
  Bytes = Bytes.drop_front(Length);
  return true;
}

Expected<Trace> sluice::readRawTrace(StringRef Bytes, StringRef Name) {
  Trace T;
  while (!Bytes.empty()) {
    RawLaunchHeader H;
    StringRef Head, Kernel, Table, Words;
    bool IsWhole = take(Bytes, sizeof(H), Head);
    if (IsWhole)
      std::memcpy(&H, Head.data(), sizeof(H));
    IsWhole = IsWhole && take(Bytes, H.NameBytes, Kernel) &&
              take(Bytes, H.TableBytes, Table) &&
              H.RecordWords <= Bytes.size() / 4 &&
              take(Bytes, H.RecordWords * 4, Words);
    if (!IsWhole)
      return createStringError(Name +
                               " is damaged or was not written to its end");
    std::vector<uint32_t> Records(H.RecordWords);
    if (!Records.empty())
      std::memcpy(Records.data(), Words.data(), Words.size());
    auto Code = readTraceTable(Table);
    if (!Code)
      return createStringError(Name + ": " + toString(Code.takeError()));
    auto Launch = traceOfRecords(*Code, Kernel, H, Records);
    if (!Launch)
      return createStringError(Name + ": " + toString(Launch.takeError()));
    T.Source = Code->Source;
    T.GPU = Code->GPU;
    H.Device[sizeof(H.Device) - 1] = 0;
    T.Origin = H.Device;
    T.Launches.push_back(std::move(*Launch));
  }
  return T;
}
