// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Wavefronts as dataflow, for CUDA C++17 (clang or nvcc), sm_70 and later. A
/// grid has an actor at each cell, which fires when the cells that it needs
/// have been computed, in one launch and without a barrier. After section 7.5
/// of A. Li's thesis.
///
/// Needleman-Wunsch (Equation 7.1): a cell needs those to the north-west, west
/// and north.
///
///     struct Score {
///       const int *Similarity;
///       int *Scores, Columns, Penalty;
///
///       __device__ int outside(int i, int j) const { // row or column -1
///         return -(i + j + 2) * Penalty;
///       }
///       __device__ int fetch(int i, int j) const {   // what no actor makes
///         return Similarity[i * Columns + j];
///       }
///       __device__ int fire(int i, int j, int similarity, int northWest,
///                           int west, int north) const {
///         return max(northWest + similarity, max(west, north) - Penalty);
///       }
///       __device__ void store(int i, int j, int score) const {
///         Scores[i * Columns + j] = score;
///       }
///     };
///     using Alignment = sluice::Wavefront<int, sluice::From<1, 1>,
///                                         sluice::From<0, 1>,
///                                         sluice::From<1, 0>>;
///
///     __global__ void align(Score score, void *space, int rows, int columns) {
///       __shared__ Alignment::Shared<4> shared;   // blocks of 4 warps
///       Alignment::run(shared, space, rows, columns, score);
///     }
///
/// `space` is global memory of Alignment::spaceBytes<4>(rows, columns) bytes,
/// which is zero before the first launch and then left alone. Launches of other
/// grids may use it too, one after the other, if it is large enough. The number
/// of blocks is free; one for each 32 * 4 rows is fastest.
///
/// **How it runs.** A warp has 32 rows, a row each lane, and goes along them;
/// each lane is a column (or a few, see From) behind the lane before it, whose
/// value it gets by a shuffle. The last lane hands its row to the next warp: in
/// the same block through a ring in shared memory, else through global memory.
/// In both each value lies in a word of 64 bits beside a tag that says that it
/// is there, so that no fence is needed; reads and writes are relaxed.
///
/// **Why it ends.** Blocks take their rows in the order of a counter
/// (atomicAdd), whatever order they start in. So a block waits only for a block
/// that took rows before it, which is running and waits for no later one but
/// for none at all in the end. Within a block a warp waits for the warp before
/// it, and that one only while the ring is full, which the later warp empties.
///
/// **Memory order.** An actor sees the values that it is given. It sees nothing
/// else that other actors wrote: fetch() is called ahead, and may only read
/// what no actor writes, or what an actor writes that needs this one, directly
/// or not (an update in place reads old values to the east and south). What
/// fire() wrote is there for all when the kernel has ended.

#ifndef SLUICE_WAVEFRONT_H
#define SLUICE_WAVEFRONT_H

#include "wavefrontparts.h"

namespace sluice {

/// A cell that an actor needs: in two dimensions the one \p Up rows above and
/// \p Left columns before. Left may be negative if Up is 1: a cell to the
/// north- east; lanes are then further apart. In three dimensions From<Up,
/// Back, Left> needs a cell of the plane before: then Up and Left are 0.
template <int... Steps> struct From {
  static_assert(sizeof...(Steps) == 0, "a cell is From<Up, Left> or From<Up, "
                                       "Back, Left>");
};
template <int UpSteps, int BackSteps, int LeftSteps>
struct From<UpSteps, BackSteps, LeftSteps> {
  static constexpr int Up = UpSteps, Back = BackSteps, Left = LeftSteps;
  static_assert(Up == 0 || Up == 1, "a cell comes from its row or the one "
                                    "above: Up is 0 or 1");
  static_assert(Back == 0 || (Back == 1 && Up == 0 && Left == 0),
                "a cell of the plane before is From<0, 1, 0>");
  static_assert(Up == 1 || Back == 1 || Left >= 1,
                "in its own row a cell needs earlier ones: Left is 1 or more");
  static_assert(Left >= -4 && Left <= 4, "Left is -4 to 4");
};
template <int UpSteps, int LeftSteps>
struct From<UpSteps, LeftSteps> : From<UpSteps, 0, LeftSteps> {};

/// A wavefront of values T, at most 4 bytes each. \p Needs: the cells that an
/// actor needs, each a From, in the order in which fire() gets their values.
///
/// An actor has four functions, which lanes call alone, so that no lane may
/// wait for another in them. In three dimensions they have (i, j, k) for (i,
/// j).
///
/// * `T outside(i, j)`: the value of a cell outside of the grid.
/// * `fetch(i, j)`: the cell's input, of any type without a constructor; called
///   some 32 to 48 columns ahead, by any lane of the warp.
/// * `T fire(i, j, input, values...)`: the cell's value, from these alone. Also
///   called for cells that there are not, with any input and values.
/// * `void store(i, j, value)`: puts it where it belongs; by any lane.
///
/// fetch() and store() get neighbouring columns in neighbouring lanes.
template <typename T, typename... Needs> class Wavefront {
  static_assert(sizeof(T) <= 4 && __is_trivially_copyable(T),
                "a value and its tag share 64 bits: T has at most 4 bytes");
  static_assert(sizeof...(Needs) != 0, "an actor needs a cell at least");
  using Pattern = detail::Pattern<Needs...>;
  static constexpr int Ring = detail::RingColumns;

public:
  /// What a block of \p Warps warps shares. Declare it `__shared__`. \p Words:
  /// how many words of 4 bytes fetch() gives.
  template <unsigned Warps, unsigned Words = 1> struct Shared {
    static_assert(Warps >= 1 && Warps <= 32, "a block has 1 to 32 warps");
    alignas(8) detail::Address Rings[Warps][Ring]; ///< What warp W gives W + 1.
    detail::Stage Exchange[Warps][Words + 1];
    unsigned Taken[Warps]; ///< Columns that warp W + 1 has taken of it.
    unsigned Ticket, Epoch;
  };

  /// The bytes of global memory that a grid needs, for blocks of \p Warps
  /// warps.
  template <unsigned Warps>
  __host__ __device__ static constexpr unsigned long long
  spaceBytes(int Rows, int Columns) {
    return spaceBytes<Warps>(Rows, 1, Columns);
  }
  template <unsigned Warps>
  __host__ __device__ static constexpr unsigned long long
  spaceBytes(int Rows, int Planes, int Columns) {
    const unsigned long long Blocks = (Rows + 32 * Warps - 1) / (32 * Warps);
    return sizeof(detail::SpaceHeader) +
           8ull * Blocks * (unsigned long long)(Planes)*Columns +
           (Pattern::NeedsBack ? 4ull * Blocks * 32 * Warps * Columns : 0ull);
  }

  /// Runs the actors of a grid. All threads of the launch come here, in blocks
  /// of 32 * Warps threads. \p Space: see the top of this file.
  template <unsigned Warps, unsigned InputWords, typename ActorT>
  SLUICE_DEVICE static void run(Shared<Warps, InputWords> &Own, void *Space,
                                int Rows, int Columns, ActorT Actor) {
    auto Flat = flattened(Actor);
    runAll(Own, Space, detail::Extents{Rows, 1, Columns}, Flat);
  }
  template <unsigned Warps, unsigned InputWords, typename ActorT>
  SLUICE_DEVICE static void run(Shared<Warps, InputWords> &Own, void *Space,
                                int Rows, int Planes, int Columns,
                                ActorT Actor) {
    runAll(Own, Space, detail::Extents{Rows, Planes, Columns}, Actor);
  }

private:
  /// Calls an actor of two dimensions.
  template <typename ActorT> struct Flattened {
    ActorT Actor;
    SLUICE_DEVICE T outside(int I, int, int K) { return Actor.outside(I, K); }
    SLUICE_DEVICE auto fetch(int I, int, int K) { return Actor.fetch(I, K); }
    SLUICE_DEVICE void store(int I, int, int K, T Value) {
      Actor.store(I, K, Value);
    }
    template <typename InputT, typename... Values>
    SLUICE_DEVICE T fire(int I, int, int K, InputT Input, Values... Given) {
      return Actor.fire(I, K, Input, Given...);
    }
  };
  template <typename ActorT>
  SLUICE_DEVICE static Flattened<ActorT> flattened(ActorT Actor) {
    return {Actor};
  }

  template <unsigned Warps, unsigned InputWords, typename ActorT>
  SLUICE_DEVICE static void runAll(Shared<Warps, InputWords> &Own, void *Space,
                                   const detail::Extents &Grid, ActorT &Actor) {
    auto *Header = static_cast<detail::SpaceHeader *>(Space);
    auto *Words = reinterpret_cast<detail::Address *>(Header + 1);
    const int Warp = detail::threadNumber() / 32, Length = Grid.rowLength();
    const unsigned Blocks = (Grid.Rows + 32 * Warps - 1) / (32 * Warps);
    T *Planes = reinterpret_cast<T *>(Words + size_t(Blocks) * Length);
    for (int At = detail::threadNumber() % 32; At < Ring; At += 32)
      Own.Rings[Warp][At] = 0;
    // Tags of the rings grow with each lap and with each ticket.
    for (unsigned Tag = 1;; Tag += Length / Ring + 1) {
      if (detail::threadNumber() % 32 == 0)
        Own.Taken[Warp] = 0;
      if (detail::threadNumber() == 0)
        takeTicket(*Header, Own.Ticket, Own.Epoch, Blocks);
      detail::barrier();
      const unsigned Ticket = Own.Ticket, Epoch = Own.Epoch + 1;
      if (Ticket >= Blocks)
        return;
      const int Row = (Ticket * Warps + Warp) * 32;
      if (Row < Grid.Rows) {
        detail::Neighbours Beside;
        Beside.Above = Warp > 0     ? detail::Source::Ring
                       : Ticket > 0 ? detail::Source::Global
                                    : detail::Source::Outside;
        Beside.AboveWords = Words + (size_t(Ticket) - 1) * Length;
        Beside.AboveTag = Warp > 0 ? Tag : Epoch;
        const int Before = Warp > 0 ? Warp - 1 : 0;
        Beside.AboveRing = detail::sharedAddress(&Own.Rings[Before]);
        Beside.AboveTaken = detail::sharedAddress(&Own.Taken[Before]);
        const bool IsLast = Warp == int(Warps) - 1;
        Beside.HasBelow = Row + 32 < Grid.Rows;
        Beside.BelowIsRing = !IsLast;
        Beside.Below =
            IsLast ? Words + size_t(Ticket) * Length : Own.Rings[Warp];
        Beside.BelowTag = IsLast ? Epoch : Tag;
        Beside.BelowMask = IsLast ? ~0u : Ring - 1;
        Beside.BelowShift = IsLast ? 31 : detail::RingShift;
        Beside.BelowTaken = detail::sharedAddress(&Own.Taken[Warp]);
        using Band = detail::Band<T, ActorT, Needs...>;
        static_assert(Band::InputWords == InputWords,
                      "say how many words of 4 bytes fetch() gives: "
                      "Shared<Warps, Words>");
        Band(Actor, Grid, Beside, Own.Exchange[Warp], Row, Planes).run();
      }
      detail::barrier();
    }
  }

  /// Rows are taken in order. Who takes the last of all tickets, of which each
  /// block's last gives no rows, makes the header ready for the next launch:
  /// all others have read it.
  SLUICE_DEVICE static void takeTicket(detail::SpaceHeader &Header,
                                       unsigned &Ticket, unsigned &Epoch,
                                       unsigned Blocks) {
    volatile detail::SpaceHeader &Now = Header;
    Epoch = Now.Epoch;
    Ticket = detail::takeNumber(&Header.Ticket);
    if (Ticket == Blocks + gridDim.x * gridDim.y * gridDim.z - 1) {
      Now.Ticket = 0;
      Now.Epoch = Epoch + 1;
    }
  }
};

} // namespace sluice

#endif
