// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Channels in shared memory: one thread or warp of a block hands values to
/// another, and neither waits for the rest of the block. For CUDA C++17 (clang
/// or nvcc), sm_70 and later. After chapter 7 of A. Li's thesis (also "Fine-
/// grained synchronizations and dataflow programming on GPUs", ICS 2015), whose
/// lock bits later chips have no more.
///
/// A chain, in which each thread needs what the thread 32 before it computed:
///
///     __shared__ sluice::Channel<int> channels[512];
///     sluice::openChannels(channels);         // has a __syncthreads()
///     int t = threadIdx.x, value = compute(t);
///     if (t >= 32)
///       value += channels[t - 32].consumer().get();
///     channels[t].producer().put(value);
///
/// What a channel is like is said behind the type of its values, in any order:
///
///     Channel<int, Slots<8>>             a ring: 8 values may be under way
///     Channel<int, Consumers<3>>         all three get each value (Figure 7.8)
///     PrivateChannels<int, 3>            the same by a channel each (7.9)
///     Channel<float, FromWarp, ToWarp>   lane L's value is for lane L
///     Channel<float, FromWarp, ToWarp, OneFlag>  with one flag (7.3.5)
///     Channel<float4, ToWarp>            all lanes get the thread's value
///     Channel<int, ValueOnly>            cheapest: orders no other memory
///     Channel<int, ByBarrier>            waits at an mbarrier: takes no issue
///                                        slots and no bandwidth to wait
///     Channel<int, FromWarp, ToWarp, ByNamedBarriers>  the quickest from warp
///                                        to warp, where barriers are left
///     Channel<int, Naps<100>>            sleeps 100 ns between two looks
///
/// Producer and consumer each keep an *end* of the channel, which counts the
/// values that went through it. There is one producer's end and, for each
/// consumer, one consumer's end. For a single value none needs to be kept, as
/// above. docs/channel.md has more, with figures.
///
/// **Memory order.** What a producer's thread (its warp, if FromWarp) wrote
/// before put() is seen by the consumer's thread (its warp, if ToWarp) after
/// get(), in all memory; and what the consumer read or wrote before get() or
/// take() returned is before what the producer does after the put() that uses
/// the slot again. put() is a release and get() an acquire, both of the block
/// (.cta). With ValueOnly both are relaxed: only the value itself is sure.
///
/// **Where it still hangs.** On chips with independent thread scheduling, all
/// that this header supports, lanes of one warp may hand values to each other.
/// They wait for ever
/// * if what is waited for stands behind a __syncthreads(), a __syncwarp(), a
///   shuffle or a vote that the waiting lane has to come to;
/// * in a circle: a consumer that is to produce first;
/// * if lanes that have got their value are made to wait for the others before
///   they put theirs. Where a lane's get() is followed by a put() that another
///   lane of the same warp waits for, call getThen(), which does both before
///   lanes meet again.

#ifndef SLUICE_CHANNEL_H
#define SLUICE_CHANNEL_H

#include "channelparts.h"

namespace sluice {

//===- What a channel is like ---------------------------------------------===//

namespace detail {
struct ChannelOption {
  static constexpr unsigned SlotCount = 0, ConsumerCount = 0, Nap = 0;
  static constexpr bool IsFromWarp = false, IsToWarp = false;
  static constexpr bool HasOneFlag = false, IsValueOnly = false;
  static constexpr bool IsByBarrier = false, IsByNamedBarriers = false;
};
} // namespace detail

/// So many values may be under way. Without it 1.
template <unsigned Count> struct Slots : detail::ChannelOption {
  static_assert(Count >= 1, "a channel has a slot at least");
  static constexpr unsigned SlotCount = Count;
};
/// So many consumers get each value. Without it 1.
template <unsigned Count> struct Consumers : detail::ChannelOption {
  static_assert(
      Count >= 1 && Count <= 1024,
      "a channel has 1 to 1024 consumers: a block has no more threads");
  static constexpr unsigned ConsumerCount = Count;
};
/// All 32 lanes of a warp put a value each, together.
struct FromWarp : detail::ChannelOption {
  static constexpr bool IsFromWarp = true;
};
/// All 32 lanes of a warp get a value each, together.
struct ToWarp : detail::ChannelOption {
  static constexpr bool IsToWarp = true;
};
/// A warp's values have one flag, not one each (7.3.5).
struct OneFlag : detail::ChannelOption {
  static constexpr bool HasOneFlag = true;
};
/// Orders no memory but the value's.
struct ValueOnly : detail::ChannelOption {
  static constexpr bool IsValueOnly = true;
};
/// Waits at an mbarrier. Before sm_80, which have none, at a word.
struct ByBarrier : detail::ChannelOption {
  static constexpr bool IsByBarrier = true;
};
/// From warp to warp, by the block's named barriers: the quickest where memory
/// is to be ordered too, but a block has only 16, of which __syncthreads() is
/// number 0. Ends are made with a number N from 1 to 15. N says that values are
/// there; N + 1, up to 15, that they were taken: it is not used where each end
/// hands over one value by put() and read().
struct ByNamedBarriers : detail::ChannelOption {
  static constexpr bool IsByNamedBarriers = true;
};
/// Who waits sleeps for about so long between two looks; with ByBarrier, from
/// sm_90 on, an mbarrier wakes it before.
template <unsigned Nanoseconds> struct Naps : detail::ChannelOption {
  static_assert(Nanoseconds <= 1000000, "the longest sleep is a millisecond");
  static constexpr unsigned Nap = Nanoseconds;
};

//===- Channels -----------------------------------------------------------===//

/// A channel for values of type T from one producer. Declare it `__shared__`,
/// alone, in arrays or in structs. It takes 8 bytes for each slot if T has at
/// most 4 bytes (from a warp 256, unless OneFlag), else the values and 4 bytes,
/// or 16 if ByBarrier.
///
/// It is used between open() and close(), or the end of the kernel, with a
/// barrier of both sides behind open() and before close(). After that its
/// memory is free for anything, also for another open().
template <typename T, typename... Options> class Channel {
  template <typename OptionT>
  static constexpr bool IsOption = __is_base_of(detail::ChannelOption, OptionT);
  static_assert((true && ... && IsOption<Options>),
                "behind the type stand options such as sluice::Slots<4>");
  static_assert(detail::IsPlain<T>::Value,
                "values are copied: T is no reference and not const");
  static_assert(__is_trivially_copyable(T),
                "values are copied byte by byte: T must be trivially copyable");
  static_assert(__is_trivially_constructible(T),
                "shared memory runs no constructors: T must not need one");
  static_assert(alignof(T) <= 128, "shared memory is aligned to 128 bytes");

  static constexpr unsigned given(unsigned Count) {
    return Count == 0 ? 1 : Count;
  }
  static constexpr unsigned SlotCount = given((0 + ... + Options::SlotCount));
  static constexpr unsigned Takers = given((0 + ... + Options::ConsumerCount));
  static constexpr unsigned Nap = (0 + ... + Options::Nap);
  static constexpr bool FromLanes = (false || ... || Options::IsFromWarp),
                        ToLanes = (false || ... || Options::IsToWarp),
                        HasOneFlag = (false || ... || Options::HasOneFlag),
                        IsValueOnly = (false || ... || Options::IsValueOnly),
                        IsByBarrier = (false || ... || Options::IsByBarrier),
                        IsNamed = (false || ... || Options::IsByNamedBarriers);
  static constexpr unsigned Values = FromLanes ? detail::Lanes : 1;
  static constexpr bool IsPacked = sizeof(T) <= 4 && !IsByBarrier && !IsNamed &&
                                   !HasOneFlag && (!FromLanes || ToLanes);
  static_assert(!HasOneFlag || FromLanes,
                "OneFlag is for values of a warp: add FromWarp");
  static_assert(!IsValueOnly || IsPacked,
                "ValueOnly needs a value of at most 4 bytes, from a thread or "
                "from warp to warp, without OneFlag and ByBarrier");
  static_assert(!IsNamed || (FromLanes && ToLanes && SlotCount == 1 &&
                             Takers == 1 && Nap == 0 && !IsByBarrier),
                "ByNamedBarriers is from one warp to one warp, with one slot "
                "and without naps: add FromWarp and ToWarp");
  static_assert(!ToLanes || Takers <= 32, "a block has no more than 32 warps");

  using Slot = typename detail::Choice<
      IsPacked, detail::PackedSlot<T, Takers, Values, !IsValueOnly>,
      typename detail::Choice<
          IsByBarrier, detail::BarrierSlot<T, Takers, Values, Nap>,
          typename detail::Choice<
              IsNamed, detail::NamedSlot<T, Values>,
              detail::FlaggedSlot<T, Takers, Values>>::Type>::Type>::Type;
  static_assert(sizeof(Slot) * SlotCount <= 227 * 1024,
                "a block has no more than 227 KiB of shared memory");

  Slot All[SlotCount];

  // mbarriers know how to sleep from sm_90 on.
  template <typename ReadyT> static SLUICE_DEVICE void await(ReadyT IsReady) {
    while (!IsReady())
      if constexpr (Nap != 0) {
#if __CUDA_ARCH__ >= 900
        if constexpr (!IsByBarrier)
#endif
          detail::sleep(Nap);
      }
  }

  /// Where an end stands.
  struct End {
    Channel &Of;
    const unsigned Lane;
    const unsigned Who; ///< What the slot tells the thread by.
    unsigned Tag = 0, Index = 0;

    SLUICE_DEVICE End(Channel &Of, unsigned Barrier)
        : Of(Of), Lane(FromLanes || ToLanes ? detail::laneNumber() : 0),
          Who(IsNamed ? Barrier : Lane) {}
    End(const End &) = delete;
    End &operator=(const End &) = delete;

    SLUICE_DEVICE Slot &slot() { return Of.All[SlotCount == 1 ? 0 : Index]; }
    SLUICE_DEVICE void next() {
      if (SlotCount == 1 || ++Index == SlotCount) {
        Index = 0;
        Tag += Takers + 1;
      }
    }
  };

public:
  using Value = T;

  Channel() = default;
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  /// Makes the channel empty. Called by one thread; who uses the channel comes
  /// to a barrier after it. Traps if the channel is not in shared memory.
  SLUICE_DEVICE void open() {
    if (!detail::isShared(this))
      asm volatile("trap;");
    for (Slot &Each : All)
      Each.open();
  }
  /// Ends the channel's life, after a barrier of all who used it. Called by one
  /// thread. Only needed before the memory is used for something else.
  SLUICE_DEVICE void close() {
    for (Slot &Each : All)
      Each.close();
  }

  /// The end that the producer keeps. If FromWarp, all lanes keep it and call
  /// its functions together.
  class Producer : End {
  public:
    SLUICE_DEVICE explicit Producer(Channel &Of, unsigned Barrier = 0)
        : End(Of, Barrier) {}

    /// Waits until there is room for a value, which put() does else. Acquire of
    /// the take() that made it; relaxed if ValueOnly. In the first round there
    /// is room.
    SLUICE_DEVICE void reserve() {
      if (this->Tag != 0)
        await([&] { return this->slot().isEmpty(this->Tag, this->Who); });
    }
    /// Hands over \p Given, when there is room. Acquire as reserve(), and
    /// release to who gets the value; relaxed if ValueOnly.
    SLUICE_DEVICE void put(T Given) {
      reserve();
      putReserved(Given);
    }
    /// The same right after reserve(), whose wait it leaves out.
    SLUICE_DEVICE void putReserved(T Given) {
      Slot &Into = this->slot();
      if constexpr (!IsPacked)
        Into.Stored[FromLanes ? this->Lane : 0] = Given;
      if constexpr (FromLanes && !IsValueOnly && !IsNamed)
        detail::meet(detail::AllLanes);
      if (IsPacked || IsNamed || !FromLanes || this->Lane == 0)
        Into.fill(this->Tag, this->Who, Given);
      this->next();
    }
  };

  /// The end that a consumer keeps. If ToWarp, all lanes keep it and call its
  /// functions together.
  class Consumer : End {
    /// A thread reads all values of a warp.
    static constexpr bool GetsAll = FromLanes && !ToLanes;

    SLUICE_DEVICE T value(T Packed) {
      if constexpr (ToLanes && !IsValueOnly && !IsNamed)
        detail::meet(detail::AllLanes);
      if constexpr (IsPacked)
        return Packed;
      else
        return this->slot().Stored[FromLanes ? this->Lane : 0];
    }

  public:
    SLUICE_DEVICE explicit Consumer(Channel &Of, unsigned Barrier = 0)
        : End(Of, Barrier) {}

    /// Waits for the next value and leaves it there: any number of ends may
    /// read it, if none takes it. Acquire; relaxed if ValueOnly.
    SLUICE_DEVICE T read() {
      static_assert(!GetsAll, "a thread gets a warp's values by readAll()");
      T Packed;
      await([&] { return this->slot().isFull(this->Tag, this->Who, Packed); });
      return value(Packed);
    }
    /// The same for a thread that gets from a warp: value L is lane L's. What
    /// it returns is good until take().
    SLUICE_DEVICE const T (&readAll()) [Values] {
      static_assert(GetsAll, "readAll() is for threads that get from a warp");
      T Unused;
      await([&] { return this->slot().isFull(this->Tag, 0, Unused); });
      return this->slot().Stored;
    }
    /// After read(): the producer may use the slot again once all consumers
    /// have taken the value. Release; relaxed if ValueOnly.
    SLUICE_DEVICE void take() {
      constexpr bool EachLane = IsPacked && FromLanes;
      if constexpr (ToLanes && !IsNamed && !(EachLane && IsValueOnly))
        detail::meet(detail::AllLanes);
      if (EachLane || IsNamed || !ToLanes || this->Lane == 0)
        this->slot().empty(this->Tag, this->Who);
      this->next();
    }
    /// read() and take().
    SLUICE_DEVICE T get() {
      const T Got = read();
      take();
      return Got;
    }
    /// read(), if the value is there; else it changes nothing. Acquire if true.
    SLUICE_DEVICE bool tryRead(T &Into) {
      static_assert(!GetsAll, "a thread gets a warp's values by readAll()");
      static_assert(!IsNamed, "at a named barrier one can only wait");
      T Packed;
      bool IsThere = this->slot().isFullNow(this->Tag, this->Who, Packed);
      if constexpr (ToLanes)
        IsThere = detail::doAll(detail::AllLanes, IsThere);
      if (IsThere)
        Into = value(Packed);
      return IsThere;
    }
    /// get(), if the value is there; else it changes nothing. Acquire if true.
    SLUICE_DEVICE bool tryGet(T &Into) {
      const bool IsThere = tryRead(Into);
      if (IsThere)
        take();
      return IsThere;
    }
    /// Waits for the next value and calls \p Body with it before lanes that
    /// have theirs wait for those that have not (Listings 7.7 and 7.8): for a
    /// value that lanes of one warp pass on. It is also the quickest way to
    /// pass one on between threads, if \p Body is short: no branch stands
    /// between the value and what is done with it. For that there are \p Looks
    /// copies of Body. Leaves the value there. Acquire.
    template <unsigned Looks = 4, typename BodyT>
    SLUICE_DEVICE void readThen(BodyT Body) {
      static_assert(!FromLanes && !ToLanes, "readThen() is for single threads");
      bool IsDone = false;
      do {
#pragma unroll
        for (unsigned Look = 0; Look < Looks; ++Look) {
          T Packed;
          // Not `&&`, which would be a branch.
          const bool Fires =
              !IsDone & this->slot().isFullNow(this->Tag, this->Who, Packed);
          if (Fires)
            Body(value(Packed));
          IsDone |= Fires;
        }
        if constexpr (Nap != 0)
          if (!IsDone)
            detail::sleep(Nap);
      } while (!IsDone);
    }
    /// The same; then take().
    template <unsigned Looks = 1, typename BodyT>
    SLUICE_DEVICE void getThen(BodyT Body) {
      static_assert(!FromLanes && !ToLanes, "getThen() is for single threads");
      readThen<Looks>([&](T Got) {
        Body(Got);
        take();
      });
    }
  };

  /// The producer's end before the first value. One for each open().
  SLUICE_DEVICE Producer producer() {
    static_assert(!IsNamed, "say which barrier: producer(N), N from 1 to 15");
    return Producer(*this);
  }
  /// A consumer's end before the first value. One for each consumer and open().
  SLUICE_DEVICE Consumer consumer() {
    static_assert(!IsNamed, "say which barrier: consumer(N), N from 1 to 15");
    return Consumer(*this);
  }
  /// The same ByNamedBarriers, of which number \p Barrier is the first.
  SLUICE_DEVICE Producer producer(unsigned Barrier) {
    static_assert(IsNamed, "only a channel ByNamedBarriers has a number");
    return Producer(*this, Barrier);
  }
  SLUICE_DEVICE Consumer consumer(unsigned Barrier) {
    static_assert(IsNamed, "only a channel ByNamedBarriers has a number");
    return Consumer(*this, Barrier);
  }
};

namespace detail {

/// The producer's ends of so many channels.
template <typename ChannelT, unsigned Count> struct PrivateEnds {
  typename ChannelT::Producer First;
  PrivateEnds<ChannelT, Count - 1> Others;

  SLUICE_DEVICE explicit PrivateEnds(ChannelT *All)
      : First(*All), Others(All + 1) {}
  SLUICE_DEVICE void reserve() {
    First.reserve();
    Others.reserve();
  }
  SLUICE_DEVICE void putReserved(typename ChannelT::Value Given) {
    First.putReserved(Given);
    Others.putReserved(Given);
  }
};
template <typename ChannelT> struct PrivateEnds<ChannelT, 0> {
  SLUICE_DEVICE explicit PrivateEnds(ChannelT *) {}
  SLUICE_DEVICE void reserve() {}
  SLUICE_DEVICE void putReserved(typename ChannelT::Value) {}
};

} // namespace detail

/// A channel for each of \p Count consumers, with the same values (Figure 7.9):
/// no consumer waits for another, and it takes the memory of so many channels.
template <typename T, unsigned Count, typename... Options>
class PrivateChannels {
  using Each = Channel<T, Options...>;
  static_assert(Count >= 1, "there is a consumer at least");
  static_assert((0 + ... + Options::ConsumerCount) == 0,
                "each of the private channels has one consumer");
  Each All[Count];

public:
  using Value = T;

  PrivateChannels() = default;
  PrivateChannels(const PrivateChannels &) = delete;
  PrivateChannels &operator=(const PrivateChannels &) = delete;

  SLUICE_DEVICE void open() {
    for (Each &One : All)
      One.open();
  }
  SLUICE_DEVICE void close() {
    for (Each &One : All)
      One.close();
  }

  /// As Channel::Producer: it waits until there is room in all.
  class Producer {
    detail::PrivateEnds<Each, Count> Ends;

  public:
    SLUICE_DEVICE explicit Producer(PrivateChannels &Of) : Ends(Of.All) {}
    SLUICE_DEVICE void reserve() { Ends.reserve(); }
    SLUICE_DEVICE void put(T Given) {
      reserve();
      putReserved(Given);
    }
    SLUICE_DEVICE void putReserved(T Given) { Ends.putReserved(Given); }
  };

  SLUICE_DEVICE Producer producer() { return Producer(*this); }
  /// Of consumer \p Number.
  SLUICE_DEVICE typename Each::Consumer consumer(unsigned Number) {
    return All[Number].consumer();
  }
};

namespace detail {
template <typename T> struct ElementOf {
  using Type = T;
};
template <typename T, unsigned long Count> struct ElementOf<T[Count]> {
  using Type = typename ElementOf<T>::Type;
};

template <typename T> SLUICE_DEVICE void openOwn(T &Of) {
  using Element = typename ElementOf<T>::Type;
  Element *First = reinterpret_cast<Element *>(&Of);
  for (unsigned Number = threadNumber(); Number < sizeof(T) / sizeof(Element);
       Number += threadCount())
    First[Number].open();
}
} // namespace detail

/// Opens channels and arrays of channels. All threads of the block come here:
/// it ends with a __syncthreads().
template <typename... ChannelTs>
SLUICE_DEVICE void openChannels(ChannelTs &...All) {
  (detail::openOwn(All), ...);
  detail::barrier();
}

} // namespace sluice

#endif
