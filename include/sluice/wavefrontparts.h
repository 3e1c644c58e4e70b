// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What sluice/wavefront.h is made of: which cells an actor needs, and how a
/// warp goes along its rows. Nothing here is called from outside.

#ifndef SLUICE_WAVEFRONTPARTS_H
#define SLUICE_WAVEFRONTPARTS_H

#include "channelparts.h"

namespace sluice {
namespace detail {

__host__ __device__ constexpr int most() { return 0; }
template <typename... Others>
__host__ __device__ constexpr int most(int First, Others... Rest) {
  const int Other = most(Rest...);
  return First < Other ? Other : First;
}

/// A word that any block may read or write.
SLUICE_DEVICE Address loadGlobal(const Address *From) {
  Address Word;
  asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(Word) : "l"(From));
  return Word;
}
/// In shared memory too.
SLUICE_DEVICE void storeGeneric(Address *To, Address Word) {
  asm volatile("st.relaxed.gpu.b64 [%0], %1;" ::"l"(To), "l"(Word));
}

/// Adds one and gives what was there. Acquires and releases to all blocks.
SLUICE_DEVICE unsigned takeNumber(unsigned *From) {
  unsigned Number;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(Number)
               : "l"(From)
               : "memory");
  return Number;
}

template <typename T> SLUICE_DEVICE unsigned bitsOf(T Value) {
  unsigned Bits = 0;
  __builtin_memcpy(&Bits, &Value, sizeof(T));
  return Bits;
}
template <typename T> SLUICE_DEVICE T fromBits(unsigned Bits) {
  T Value;
  __builtin_memcpy(&Value, &Bits, sizeof(T));
  return Value;
}

/// One of the words of a larger value.
template <typename T> SLUICE_DEVICE unsigned wordOf(const T &Of, unsigned At) {
  unsigned Words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(Words, &Of, sizeof(T));
  return Words[At];
}
template <typename T>
SLUICE_DEVICE void setWord(T &Of, unsigned At, unsigned Word) {
  unsigned Words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(Words, &Of, sizeof(T));
  Words[At] = Word;
  __builtin_memcpy(&Of, Words, sizeof(T));
}

/// Which cells an actor needs, and what follows for lanes and registers.
template <typename... Needs> struct Pattern {
  /// Columns that a lane is behind the one before: enough that what it needs of
  /// the row above has been computed.
  static constexpr int Skew = 1 + most(Needs::Up == 1 ? -Needs::Left : 0 ...);
  /// Columns of the row above that a lane remembers, of its own likewise.
  static constexpr int UpDepth =
      Skew + most(Needs::Up == 1 ? Needs::Left : 0 ...);
  static constexpr int OwnDepth = most(1, Needs::Up == 0 ? Needs::Left : 0 ...);
  static constexpr bool NeedsBack = (false || ... || (Needs::Back == 1));
};

/// Columns that are waited for, fetched and computed at a time, and those that
/// the ring between two warps holds.
constexpr int BatchColumns = 8, RingShift = 6, RingColumns = 1 << RingShift;

/// At the beginning of the space.
struct SpaceHeader {
  unsigned Ticket; ///< The next rows to be taken.
  unsigned Epoch;  ///< How many launches there were.
  unsigned Unused[30];
};

/// The extents of a grid; a grid of two dimensions has one plane.
struct Extents {
  int Rows, Planes, Columns;
  /// Planes lie one behind the other along a row.
  SLUICE_DEVICE int rowLength() const { return Planes * Columns; }
};

/// A place in a row.
struct RowPlace {
  int Plane, Column;
  SLUICE_DEVICE RowPlace(int Plane, int Column)
      : Plane(Plane), Column(Column) {}
  SLUICE_DEVICE RowPlace(const Extents &Grid, int At)
      : Plane(Grid.Planes == 1 ? 0 : At / Grid.Columns),
        Column(Grid.Planes == 1 ? At : At - Plane * Grid.Columns) {}
  SLUICE_DEVICE void next(const Extents &Grid) {
    if (++Column == Grid.Columns && Grid.Planes != 1) {
      Column = 0;
      ++Plane;
    }
  }
};

/// Where the values of the row above come from.
enum class Source { Outside, Ring, Global };

/// Where lanes exchange words, so that memory is read and written along rows:
/// [lane][column of the batch]. Of an odd number of words, so that neither
/// rows nor columns meet in a bank.
using Stage = unsigned[32][BatchColumns + 1];

/// Where a batch of a warp is. Inside: all lanes are in the grid, and so are
/// the cells that they need. Border: some may not be. Deep: neither, and there
/// are several planes.
enum class Region { Inside, Border, Deep };

/// Who writes the row above a warp's, and where the warp's last row goes.
struct Neighbours {
  Source Above;
  const Address *AboveWords;                ///< Global.
  unsigned AboveRing, AboveTag, AboveTaken; ///< Shared addresses, and a tag.
  Address *Below;                           ///< Shared memory if it is a ring.
  unsigned BelowTag, BelowTaken, BelowMask, BelowShift;
  bool HasBelow, BelowIsRing;
};

/// A warp's 32 rows of a grid.
template <typename T, typename ActorT, typename... Needs> struct Band {
  using Pattern = detail::Pattern<Needs...>;
  static constexpr int Batch = BatchColumns, Ring = RingColumns;
  /// Columns that lane 0 is ahead of what it gets from above, and lane 31.
  static constexpr int Skew = Pattern::Skew, Behind = Skew - 1 + Skew * 31;

  ActorT &Actor;
  const Extents Grid;
  const Neighbours Beside;
  Stage *const Exchange; ///< One for each word of the input, and one behind.
  const int Lane, FirstRow, Row, Length;
  T *const Plane; ///< This row's of the plane before.

  using InputT = decltype(Actor.fetch(0, 0, 0));
  static constexpr unsigned InputWords = (sizeof(InputT) + 3) / 4;
  static_assert(__is_trivially_copyable(InputT),
                "what fetch() gives is copied byte by byte");
  /// Fetched is this lane's part of the input of the batch after the next, of
  /// any rows.
  InputT Input[Batch], Fetched[Batch];
  T Back[Batch], NextBack[Batch];
  T Up[Pattern::UpDepth], Own[Pattern::OwnDepth];
  T Values[Batch];  ///< That this lane computed in the batch.
  Address Ahead[2]; ///< Words of the row above, asked for early.
  int Taken = 0;    ///< Of this warp's ring, as far as known.

  SLUICE_DEVICE Band(ActorT &Actor, const Extents &Grid,
                     const Neighbours &Beside, Stage *Exchange, int FirstRow,
                     T *Planes)
      : Actor(Actor), Grid(Grid), Beside(Beside), Exchange(Exchange),
        Lane(laneNumber()), FirstRow(FirstRow), Row(FirstRow + Lane),
        Length(Grid.rowLength()),
        Plane(Planes + (unsigned long long)(Row)*Grid.Columns) {
    for (T &Value : Up)
      Value = T();
    for (T &Value : Own)
      Value = T();
    for (InputT &Value : Fetched)
      Value = InputT();
  }

  //===- The rows above and below -----------------------------------------===//

  /// The word of the row above at \p At, as it is now.
  SLUICE_DEVICE Address look(int At) const {
    if (Beside.Above == Source::Global)
      return loadGlobal(Beside.AboveWords + At);
    Address Word;
    loadWord<false>(Beside.AboveRing + At % Ring * 8, Word);
    return Word;
  }
  SLUICE_DEVICE unsigned tagOf(int At) const {
    return Beside.AboveTag + (Beside.Above == Source::Global ? 0 : At / Ring);
  }
  /// This lane's of the words of a batch that begins at \p At.
  SLUICE_DEVICE Address ask(int At) const {
    const int Mine = At + Lane;
    const bool IsThere = Beside.Above != Source::Outside && Lane < Batch;
    return IsThere && Mine < Length ? look(Mine) : 0;
  }

  /// The row above, lane L's of column \p At + L. Waits until it is there.
  SLUICE_DEVICE unsigned await(int At) {
    const int Mine = At + Lane;
    const bool IsMine = Lane < Batch && Mine < Length;
    if (Beside.Above == Source::Outside) {
      if (!IsMine)
        return 0;
      const RowPlace Place(Grid, Mine);
      return bitsOf<T>(Actor.outside(-1, Place.Plane, Place.Column));
    }
    Address Word = Ahead[0];
    while (!doAll(AllLanes, !IsMine || unsigned(Word >> 32) == tagOf(Mine)))
      Word = ask(At);
    Ahead[0] = Ahead[1];
    Ahead[1] = ask(At + 2 * Batch);
    if (Beside.Above == Source::Ring) {
      meet(AllLanes);
      if (Lane == 0)
        storeWord<true>(Beside.AboveTaken, unsigned(At + Batch));
    }
    return unsigned(Word);
  }

  /// Waits until the ring below has room up to column \p Last.
  SLUICE_DEVICE void reserve(int Last) {
    while (Taken <= Last - Ring) {
      unsigned Now;
      loadWord<true>(Beside.BelowTaken, Now);
      Taken = int(Now);
    }
  }

  /// Gives the last lane's value to the row below: a ring, or a whole row.
  SLUICE_DEVICE void give(int At, T Value) {
    const Address Tag = Beside.BelowTag + (unsigned(At) >> Beside.BelowShift);
    storeGeneric(Beside.Below + (unsigned(At) & Beside.BelowMask),
                 Tag << 32 | bitsOf<T>(Value));
  }

  //===- Memory -----------------------------------------------------------===//

  // Lanes are at different columns of different rows. So half a warp reads a
  // batch of one row, and words change lanes in shared memory. As \p Number
  // goes through a batch, this lane reads column Lane % 16 of those rows. What
  // is read is two batches ahead and what is written one behind: a cell of each
  // stands in the shadow of a step's shuffles.

  SLUICE_DEVICE int rowOf(int Number) const {
    return Number + Lane / Batch * Batch;
  }
  /// The column that the lane of row \p Of computes when the batch begins in
  /// which lane 0 gets the values above \p At.
  SLUICE_DEVICE static int columnOf(int Of, int At) {
    return At - (Skew - 1) - Skew * Of;
  }

  /// Calls \p Do(row, plane, column) for cell \p Number that this lane reads or
  /// writes of the batch \p At, if it is in the grid.
  template <Region Where, typename DoT>
  SLUICE_DEVICE void withCell(int Number, int At, DoT Do) {
    const int Of = rowOf(Number), Mine = columnOf(Of, At) + Lane % Batch;
    if constexpr (Where == Region::Inside) {
      Do(FirstRow + Of, 0, Mine);
    } else if ((unsigned(Mine) < unsigned(Length)) &
               (FirstRow + Of < Grid.Rows)) {
      const RowPlace Place(Grid, Mine);
      Do(FirstRow + Of, Place.Plane, Place.Column);
    }
  }
  template <Region Where> SLUICE_DEVICE void fetch(int Number, int At) {
    withCell<Where>(Number, At, [&](int I, int J, int K) {
      Fetched[Number] = Actor.fetch(I, J, K);
    });
  }
  /// What was fetched is laid out for the lanes that compute,
  SLUICE_DEVICE void deal(int Number) {
#pragma unroll
    for (unsigned Word = 0; Word < InputWords; ++Word)
      Exchange[Word][rowOf(Number)][Lane % Batch] =
          wordOf(Fetched[Number], Word);
  }
  /// who take it. All lanes have dealt before and deal again behind it.
  SLUICE_DEVICE void takeInput() {
    meet(AllLanes);
#pragma unroll
    for (unsigned Word = 0; Word < InputWords; ++Word)
#pragma unroll
      for (int Number = 0; Number < Batch; ++Number)
        setWord(Input[Number], Word, Exchange[Word][Lane][Number]);
    meet(AllLanes);
  }
  /// What the batch computed is laid out for those who write it.
  SLUICE_DEVICE void leaveValues() {
    meet(AllLanes);
#pragma unroll
    for (int Number = 0; Number < Batch; ++Number)
      Exchange[InputWords][Lane][Number] = bitsOf<T>(Values[Number]);
  }
  template <Region Where> SLUICE_DEVICE void store(int Number, int At) {
    withCell<Where>(Number, At, [&](int I, int J, int K) {
      const unsigned Bits = Exchange[InputWords][rowOf(Number)][Lane % Batch];
      Actor.store(I, J, K, fromBits<T>(Bits));
    });
  }

  /// The plane before of a batch from this lane's column \p At on, if it is
  /// there a batch ahead.
  SLUICE_DEVICE bool backIsEarly() const { return Grid.Columns >= 2 * Batch; }
  SLUICE_DEVICE void fetchBack(int At) {
#pragma unroll
    for (int Number = 0; Number < Batch; ++Number) {
      Back[Number] = NextBack[Number];
      const int Mine = At + Number;
      if (backIsEarly() && Mine >= Grid.Columns && Mine < Length &&
          Row < Grid.Rows)
        NextBack[Number] = Plane[Mine % Grid.Columns];
    }
  }

  //===- Actors -----------------------------------------------------------===//

  /// Is \p At of this lane's row in the grid?
  SLUICE_DEVICE bool isIn(int At) const {
    return (unsigned(At) < unsigned(Length)) & (Row < Grid.Rows);
  }

  /// What this lane's cell at \p Place needs. Any value if it is not \p IsIn
  /// the grid.
  template <Region Where, typename NeedT>
  SLUICE_DEVICE T operand(const RowPlace &Place, bool IsIn, T BackValue) {
    if constexpr (NeedT::Back == 1) {
      return Place.Plane > 0 ? BackValue : Actor.outside(Row, -1, Place.Column);
    } else {
      const int Column = Place.Column - NeedT::Left;
      if (Where != Region::Inside && NeedT::Left != 0)
        if (IsIn & (unsigned(Column) >= unsigned(Grid.Columns)))
          return Actor.outside(Row - NeedT::Up, Place.Plane, Column);
      if constexpr (NeedT::Up == 1)
        return Up[Skew - 1 + NeedT::Left];
      else
        return Own[NeedT::Left - 1];
    }
  }

  /// The value of the actor at \p At of this lane's row. With one plane fire()
  /// runs for lanes that are not in the grid too: a branch would cost more.
  template <Region Where> SLUICE_DEVICE T fireAt(int At, int Number) {
    if constexpr (Where != Region::Deep)
      return Actor.fire(Row, 0, At, Input[Number],
                        operand<Where, Needs>({0, At}, isIn(At), T())...);
    if (!isIn(At))
      return T();
    const RowPlace Place(Grid, At);
    T BackValue = T();
    if constexpr (Pattern::NeedsBack)
      if (Place.Plane > 0)
        BackValue = backIsEarly() ? Back[Number] : Plane[Place.Column];
    const T Value =
        Actor.fire(Row, Place.Plane, Place.Column, Input[Number],
                   operand<Where, Needs>(Place, true, BackValue)...);
    if constexpr (Pattern::NeedsBack)
      Plane[Place.Column] = Value;
    return Value;
  }

  /// The step in which lane 0 gets the value above column \p At, which is
  /// that of lane \p Number of \p Edge. A lane that has come to the end of its
  /// row gives values that nobody uses.
  template <Region Where>
  SLUICE_DEVICE void step(int At, int Number, unsigned Edge) {
    const unsigned Before = ofLaneBefore(bitsOf<T>(Own[0]));
    const unsigned First = ofLane(Edge, Number);
#pragma unroll
    for (int Depth = Pattern::UpDepth - 1; Depth > 0; --Depth)
      Up[Depth] = Up[Depth - 1];
    Up[0] = fromBits<T>(Lane == 0 ? First : Before);
    const int Mine = columnOf(Lane, At);
    const T Value = fireAt<Where>(Mine, Number);
#pragma unroll
    for (int Depth = Pattern::OwnDepth - 1; Depth > 0; --Depth)
      Own[Depth] = Own[Depth - 1];
    Own[0] = Values[Number] = Value;
    if (Beside.HasBelow & (Lane == 31) &
        (Where == Region::Inside || isIn(Mine)))
      give(Mine, Value);
  }

  /// The steps in which lane 0 gets the values above \p At and those behind.
  template <Region Where> SLUICE_DEVICE void runBatch(int At, unsigned Edge) {
#pragma unroll
    for (int Number = 0; Number < Batch; ++Number) {
      deal(Number);
      fetch<Where>(Number, At + 2 * Batch);
      store<Where>(Number, At - Batch);
      step<Where>(At + Number, Number, Edge);
    }
  }

  /// Reads or writes outside of the loop over batches.
  template <typename DoT> SLUICE_DEVICE void forNumbers(DoT Do) {
#pragma unroll
    for (int Number = 0; Number < Batch; ++Number)
      Do(Number);
  }

  SLUICE_DEVICE void run() {
    const bool IsFull = FirstRow + 32 <= Grid.Rows;
    Ahead[0] = ask(0);
    Ahead[1] = ask(Batch);
    meet(AllLanes);
    forNumbers([&](int Number) { fetch<Region::Border>(Number, 0); });
    forNumbers([&](int Number) { deal(Number); });
    forNumbers([&](int Number) { fetch<Region::Border>(Number, Batch); });
    int At = 0;
#pragma unroll 1
    for (; At < Length + Behind; At += Batch) {
      const unsigned Edge = await(At);
      if (Beside.HasBelow && Beside.BelowIsRing)
        reserve(At + Batch - 1 - Behind);
      if constexpr (Pattern::NeedsBack)
        fetchBack(columnOf(Lane, At + Batch));
      takeInput();
      // Cells from Margin on, up to as many before the end, need only cells of
      // the grid.
      constexpr int Margin = 4;
      if (Grid.Planes != 1)
        runBatch<Region::Deep>(At, Edge);
      else if (IsFull && At >= Behind + Batch + Margin &&
               At + 3 * Batch + Margin <= Length)
        runBatch<Region::Inside>(At, Edge);
      else
        runBatch<Region::Border>(At, Edge);
      leaveValues();
    }
    meet(AllLanes);
    forNumbers([&](int Number) { store<Region::Border>(Number, At - Batch); });
  }
};

} // namespace detail
} // namespace sluice

#endif
