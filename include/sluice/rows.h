// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Rows in shared memory and in registers, for CUDA C++17 (nvcc, or clang
/// without the plugin). `sluice throttle` writes calls of it; it can also be
/// used by hand.
///
/// In a loop in which each thread reads or writes a row of its own, a warp asks
/// for 32 lines with each access and gets a few bytes of each:
///
///     for (int j = 0; j < n; ++j)
///       sum += A[i * n + j] * x[j];             // i: the thread
///
/// Here the lanes copy 128 bytes of each of their rows into shared memory
/// together, and the loop's body gets its element from there:
///
///     __shared__ sluice::Buffers<4, 1> buffers; // of 4 warps, for 1 row
///     sluice::open(buffers);                    // where the kernel begins
///     ...
///     int j = 0;
///     auto rows = sluice::rows(sluice::iterations(j, n),
///                              sluice::reads(&A[i * n + j]));
///     sluice::staged(buffers, rows, [&](auto &a) { sum += a * x[j]; ++j; });
///
/// What the body must be like, so that it does what the loop did:
///
/// * Its parameters are the rows' elements and the sums, in the order of
///   sluice::rows. It reaches their memory by no other way. It is called once
///   for each iteration, in order.
/// * Iteration k has the element k of each row: the row moves by one each time.
///   An element of sluice::writes is written whole in each call.
/// * It has no barrier, fence, atomic or volatile access, and no lane exchanges
///   values with another in it: lanes run different versions of it.
/// * What it reads else and the loop writes, or writes else, is listed by
///   sluice::beside. Where ranges overlap, the thread runs a plain loop.
///
/// Any number of threads may come to the loop, of any block: only lanes that
/// are there work together. Threads that find no buffers free wait for one.
/// Only bytes of elements are written, and read only the blocks of 16 bytes in
/// which elements lie; of the last only as far as the row goes. GPUs before
/// sm_80, which have no cp.async, copy through registers.

#ifndef SLUICE_ROWS_H
#define SLUICE_ROWS_H

#include "rowparts.h"

namespace sluice {
namespace detail {

//===- Rows in shared memory ----------------------------------------------===//

/// How chunks of a loop's rows lie in a lane's slot.
template <typename ListT> struct Layout {
  static constexpr unsigned Fitting = ChunkBytes / ListT::Largest;
  static constexpr bool HasBlocks =
      ListT::HasBlocks && ListT::Served <= Fitting;
  /// Of a chunk.
  static constexpr unsigned Iterations =
      HasBlocks ? Fitting / ListT::Served * ListT::Served : Fitting;
};

/// An element where its row's chunk is.
struct InSlot {
  char *Slot;
  unsigned Iteration;

  template <typename ElementT, bool IsRead, bool IsWritten>
  SLUICE_DEVICE ElementT &operator()(Row<ElementT, IsRead, IsWritten> &Of) {
    return reinterpret_cast<ElementT *>(Slot + Of.Offset +
                                        Of.Misaligned)[Iteration];
  }
  template <typename ElementT>
  SLUICE_DEVICE ElementT &operator()(Sum<ElementT> &Of) {
    return Of.Now;
  }
};

/// The slots of a warp, and who of it is there for a chunk.
struct Warp {
  char *Slots;
  unsigned SlotBytes, Lane, There = 0;

  SLUICE_DEVICE char *slot(unsigned Of) const { return Slots + Of * SlotBytes; }

  /// Calls \p Copy(global, shared) for the blocks that this lane copies of all
  /// lanes' rows, \p Units of each: neighbouring lanes have neighbouring ones.
  template <unsigned Units, typename RowT, typename CopyT>
  SLUICE_DEVICE void forUnitsTogether(const RowT &Row, CopyT Copy) const {
#pragma unroll
    for (unsigned Step = 0; Step < Units; ++Step) {
      const unsigned Mine = Lane + Step * Lanes, Of = Mine / Units;
      const unsigned At = (Mine - Of * Units) * UnitBytes;
      const Address From = ofLane(unsigned(Row.From), Of) |
                           Address(ofLane(unsigned(Row.From >> 32), Of)) << 32;
      Copy(From + At, slot(Of) + Row.Offset + At);
    }
  }

  /// Copies the lane's own row from byte \p Begin of the chunk on, as far as it
  /// is read: memory may end there.
  template <typename RowT>
  SLUICE_DEVICE void fetchOwn(const RowT &Row, unsigned Begin,
                              unsigned Iterations) const {
    const unsigned End = Row.Misaligned + Iterations * RowT::Bytes;
#pragma unroll 1
    for (unsigned At = Begin; At < End; At += UnitBytes)
      fetch(slot(Lane) + Row.Offset + At, Row.From + At,
            End - At < UnitBytes ? End - At : UnitBytes);
  }

  template <unsigned Chunk, typename RowT>
  SLUICE_DEVICE void fetchRow(const RowT &Row, bool Together,
                              unsigned Iterations) const {
    constexpr unsigned Units = Chunk * RowT::Bytes / UnitBytes;
    if (!Together)
      return fetchOwn(Row, 0, Iterations);
    forUnitsTogether<Units>(Row,
                            [](Address From, char *To) { fetch(To, From); });
    // A row that begins in a block of 16 bytes may end in one more.
    if (!RowT::IsAligned || Chunk * RowT::Bytes % UnitBytes != 0)
      fetchOwn(Row, Units * UnitBytes, Iterations);
  }

  /// Writes the bytes of the lane's own chunk, no others.
  template <typename RowT>
  SLUICE_DEVICE void writeOwn(const RowT &Row, unsigned Iterations) const {
    constexpr unsigned Bytes = divisor(alignof(typename RowT::Value), 8);
    using PieceT = typename Piece<Bytes>::Type;
    const unsigned End = Row.Misaligned + Iterations * RowT::Bytes;
    const char *From = slot(Lane) + Row.Offset;
#pragma unroll 1
    for (unsigned At = Row.Misaligned; At < End;)
      if (At % UnitBytes == 0 && At + UnitBytes <= End) {
        writeBack(Row.From + At, From + At);
        At += UnitBytes;
      } else {
        *reinterpret_cast<PieceT *>(Row.From + At) =
            *reinterpret_cast<const PieceT *>(From + At);
        At += Bytes;
      }
  }

  template <unsigned Chunk, typename RowT>
  SLUICE_DEVICE void writeRow(const RowT &Row, bool Together,
                              unsigned Iterations) const {
    constexpr unsigned Units = Chunk * RowT::Bytes / UnitBytes;
    if (!Together)
      return writeOwn(Row, Iterations);
    forUnitsTogether<Units>(
        Row, [](Address To, char *From) { writeBack(To, From); });
  }
};

/// The iterations of one chunk, \p Count.
template <unsigned Unroll, typename ListT, typename BodyT>
SLUICE_DEVICE void runChunk(ListT &Elements, char *Slot, unsigned Count,
                            BodyT &Body) {
  using Of = Layout<ListT>;
  bool IsAligned = Count == Of::Iterations;
  Elements.forRows([&](auto &Row) { IsAligned &= Row.Misaligned == 0; });
  if constexpr (Of::HasBlocks)
    if (IsAligned) {
      constexpr unsigned Served = ListT::Served,
                         Blocks = Of::Iterations / Served;
      constexpr unsigned Together = Unroll < Served ? 1 : Unroll / Served;
#pragma unroll Together
      for (unsigned Block = 0; Block < Blocks; ++Block)
        runBlock(
            Elements,
            [&](auto &Row) {
              using RowT = typename WithoutReference<decltype(Row)>::Type;
              return reinterpret_cast<Unit *>(Slot + Row.Offset +
                                              Block * (Served * RowT::Bytes));
            },
            Body);
      return;
    }
#pragma unroll 1
  for (InSlot Get{Slot, 0}; Get.Iteration < Count; ++Get.Iteration)
    call(Elements, Get, Body);
}

/// All iterations. The first \p Missing elements of a chunk are not there in
/// the first one.
template <unsigned Unroll, typename ListT, typename BodyT>
SLUICE_DEVICE void runChunks(ListT &Elements, Warp Here, Address Iterations,
                             unsigned Missing, BodyT &Body) {
  constexpr unsigned Chunk = Layout<ListT>::Iterations;
  Address Begin = 0;
#pragma unroll 1
  do {
    const unsigned Most = Begin == 0 ? Chunk - Missing : Chunk;
    const Address Left = Iterations - Begin;
    const unsigned Count = Left < Most ? unsigned(Left) : Most;
    Elements.forRows([&](auto &Row) { Row.startChunk(Begin); });
    Here.There = activeLanes();
    meet(Here.There); // nobody reads the chunk before any more
    const bool Together =
        Here.There == AllLanes && doAll(AllLanes, Count == Chunk);
    Elements.forRows([&](auto &Row) {
      using RowT = typename WithoutReference<decltype(Row)>::Type;
      if constexpr (RowT::Reads)
        Here.template fetchRow<Chunk>(Row, Together, Count);
    });
    waitForCopies();
    meet(Here.There);
    runChunk<Unroll>(Elements, Here.slot(Here.Lane), Count, Body);
    meet(Here.There);
    Elements.forRows([&](auto &Row) {
      using RowT = typename WithoutReference<decltype(Row)>::Type;
      if constexpr (RowT::Writes)
        Here.template writeRow<Chunk>(
            Row,
            Together && Chunk * RowT::Bytes % UnitBytes == 0 &&
                doAll(AllLanes, Row.Misaligned == 0),
            Count);
    });
    if constexpr (ListT::Writes)
      meet(Here.There); // others may have read this lane's slot
    Begin += Count;
  } while (Begin < Iterations);
}

template <typename ListT> struct Loop {
  ListT Elements;
  Address Iterations;
  bool IsApart; ///< What it writes and all else.
};

} // namespace detail

//===- What is called -----------------------------------------------------===//

/// Iterations of a loop from \p Begin while it is less than \p End, by ones.
template <typename BeginT, typename EndT>
SLUICE_DEVICE detail::Address iterations(BeginT Begin, EndT End) {
  using ElementT = decltype(Begin + End); // what `Begin < End` compares
  const ElementT First = Begin, Last = End;
  return First < Last ? detail::Address(Last) - detail::Address(First) : 0;
}

/// A row of which each iteration reads an element; \p First: of the first. It
/// may be any address, also where there is no iteration.
template <typename ElementT>
SLUICE_DEVICE detail::Row<const ElementT, true, false>
reads(const ElementT *First) {
  return detail::Row<const ElementT, true, false>(First);
}

/// A row of which each iteration writes an element, all of it.
template <typename ElementT>
SLUICE_DEVICE detail::Row<ElementT, false, true> writes(ElementT *First) {
  return detail::Row<ElementT, false, true>(First);
}

/// A row of which each iteration reads and writes its own element, in place.
template <typename ElementT>
SLUICE_DEVICE detail::Row<ElementT, true, true> updates(ElementT *First) {
  return detail::Row<ElementT, true, true>(First);
}

/// A place that each iteration reads and writes, which can be in a register
/// meanwhile.
template <typename ElementT>
SLUICE_DEVICE detail::Sum<ElementT> sum(ElementT *Place) {
  return detail::Sum<ElementT>(Place);
}

/// What the body reads in memory itself, from \p First on, by \p Step elements
/// further in each iteration.
template <int Step, typename ElementT>
SLUICE_DEVICE detail::Other<const ElementT, Step, false>
besideRead(const ElementT *First) {
  return detail::Other<const ElementT, Step, false>(First);
}

/// The same of what it writes.
template <int Step, typename ElementT>
SLUICE_DEVICE detail::Other<ElementT, Step, true>
besideWritten(ElementT *First) {
  return detail::Other<ElementT, Step, true>(First);
}

/// A loop of so many \p Iterations. \p Parts: what reads(), writes() and so on
/// give. What they say of the memory is looked at here, all of it, so they are
/// not to be evaluated after another access of the loop.
template <typename... PartTs>
SLUICE_DEVICE auto rows(detail::Address Iterations, PartTs... Parts) {
  auto Elements = detail::elementsOf(Parts...);
  return detail::Loop<decltype(Elements)>{
      Elements, Iterations, detail::allApart(Iterations, Parts...)};
}

/// Shared memory for \p Warps warps of a block at a time, for chunks of so many
/// rows. Declare it `__shared__`, one for each loop.
template <unsigned Warps, unsigned Rows> struct Buffers {
  /// An odd number of 16 bytes: then no two of eight neighbouring lanes'
  /// accesses meet in a bank.
  static constexpr unsigned SlotBytes =
      (detail::ChunkBytes + detail::UnitBytes) * Rows + detail::UnitBytes;

  alignas(detail::ChunkBytes) char Slots[Warps][detail::Lanes * SlotBytes];
  unsigned Locks[Warps]; ///< Lanes that hold the slots.
};

/// Call it once for all buffers of the kernel, where all threads of the block
/// are: it has a __syncthreads().
template <unsigned... Warps, unsigned... Rows>
SLUICE_DEVICE void open(Buffers<Warps, Rows> &...All) {
  const unsigned Thread = detail::threadNumber();
  ((Thread < Warps ? void(All.Locks[Thread] = 0) : void()), ...);
  detail::barrier();
}

/// Runs \p Loop with its rows in \p Own. Loops of fewer iterations than \p From
/// or than two chunks have, and those that overlap, are run as they are.
/// \p Unroll: iterations that a compiler is to unroll, for long bodies fewer.
template <unsigned Unroll = 32, unsigned Warps, unsigned Rows, typename ListT,
          typename BodyT>
SLUICE_DEVICE void staged(Buffers<Warps, Rows> &Own, detail::Loop<ListT> Loop,
                          BodyT Body, detail::Address From = 0) {
  using namespace detail;
  constexpr unsigned Chunk = Layout<ListT>::Iterations;
  static_assert(ListT::Rows != 0 && ListT::Rows <= Rows, "other buffers");
  static_assert(ListT::Largest <= ChunkBytes / 2, "elements are too large");
  ListT &Elements = Loop.Elements;
  // A row that begins anywhere has a shorter first chunk, so that the others
  // begin at lines: of written rows first, as parts of lines cost more there.
  unsigned Missing = 0, Best = 0, Offset = 0;
  Elements.forRows([&](auto &Row) {
    using RowT = typename WithoutReference<decltype(Row)>::Type;
    constexpr unsigned Bytes = RowT::Bytes, Rank = RowT::Writes ? 2 : 1;
    Row.Offset = Offset;
    Offset += inUnits(Chunk * Bytes) + UnitBytes;
    if (RowT::IsAligned || !isPower(Bytes) || !isPower(Chunk) || Best >= Rank)
      return;
    Best = Rank;
    Missing = unsigned(Row.begin(0)) % (Chunk * Bytes) / Bytes;
  });
  Address Least = From < 2 * Chunk ? 2 * Chunk : From;
  Least += Missing == 0 ? 0 : Chunk - Missing;
  bool MayStage = Loop.IsApart & (Loop.Iterations >= Least);
  // Both versions one after the other cost more than either.
  const unsigned There = activeLanes();
  MayStage &= 2 * count(whoDoes(There, MayStage)) >= count(There);
  if (!Loop.IsApart || (!ListT::HasSums && !MayStage))
    return runInMemory<false>(Elements, 0, Loop.Iterations, Body);
  if (Loop.Iterations == 0)
    return;
  Elements.forSums([](auto &Sum) { Sum.Now = *Sum.Place; });
  if (!MayStage) {
    runInMemory<true>(Elements, 0, Loop.Iterations, Body);
  } else {
    // The slots of the warp's number, which other warps may have. Who has slots
    // waits for nobody, so all get theirs.
    const unsigned Number = threadNumber() / Lanes % Warps;
    unsigned *Lock = &Own.Locks[Number];
    const unsigned Group = activeLanes();
    if (laneNumber() == firstOf(Group))
      while (!tryLock(Lock, count(Group)))
        sleep(200);
    meet(Group);
    fenceBlock();
    runChunks<Unroll>(
        Elements,
        Warp{Own.Slots[Number], Buffers<Warps, Rows>::SlotBytes, laneNumber()},
        Loop.Iterations, Missing, Body);
    fenceBlock();
    countDown(Lock);
  }
  Elements.forSums([](auto &Sum) { *Sum.Place = Sum.Now; });
}

/// Runs \p Loop with 16 bytes of each row at a time in registers. It needs no
/// shared memory. Rows that have no common beginning of 16 bytes, and those
/// that overlap something, are run as they are.
template <typename ListT, typename BodyT>
SLUICE_DEVICE void widened(detail::Loop<ListT> Loop, BodyT Body) {
  using namespace detail;
  constexpr unsigned Served = ListT::Served;
  ListT &Elements = Loop.Elements;
  // The first iteration whose elements begin with a block, and whether they do
  // so in all rows.
  unsigned Peeled = 0, Unit = 2 * UnitBytes, Low = 0;
  Elements.forRows([&](auto &Row) {
    constexpr unsigned Bytes = WithoutReference<decltype(Row)>::Type::Bytes;
    constexpr unsigned Own = divisor(Bytes, UnitBytes);
    constexpr unsigned Blocks = UnitBytes / Own, Odd = Bytes / Own % Blocks;
    if (Own >= Unit)
      return;
    Unit = Own;
    // An odd number's inverse modulo 16 is its cube.
    const unsigned Units = unsigned(Row.begin(0)) % UnitBytes / Own;
    Peeled = (0 - Units) * (Odd * Odd * Odd) % Blocks;
  });
  Elements.forRows([&](auto &Row) { Low |= unsigned(Row.end(Peeled)); });
  constexpr bool Can =
      ListT::HasBlocks && Served * ListT::Largest <= ChunkBytes;
  if (!Loop.IsApart)
    return runInMemory<false>(Elements, 0, Loop.Iterations, Body);
  if (Loop.Iterations == 0)
    return;
  Elements.forSums([](auto &Sum) { Sum.Now = *Sum.Place; });
  Address Begin = 0;
  if constexpr (Can)
    if (Low % UnitBytes == 0 && Loop.Iterations >= Peeled + Served) {
      runInMemory<true>(Elements, 0, Peeled, Body);
      Begin = Peeled;
#pragma unroll 1
      do {
        runBlock(
            Elements,
            [&](auto &Row) {
              using UnitT =
                  typename WithoutReference<decltype(Row)>::Type::UnitT;
              return reinterpret_cast<UnitT *>(Row.First + Begin);
            },
            Body);
        Begin += Served;
      } while (Loop.Iterations - Begin >= Served);
    }
  runInMemory<true>(Elements, Begin, Loop.Iterations, Body);
  Elements.forSums([](auto &Sum) { *Sum.Place = Sum.Now; });
}

} // namespace sluice

#endif
