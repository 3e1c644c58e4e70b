// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Channels in shared memory (<sluice/channel.h>) beside what else lets one warp
// wait for another. `--only=SWEEP` runs one of
//
//   chain     Listing 7.10 of A. Li's thesis: each of 16 warps adds to what the
//             one before has. Cycles of the whole chain and of one hand-over,
//             as Table 7.2 and Figure 7.4
//   length    the same for chains of 2 to 16 warps: who waits costs others
//   pingpong  two warps, a value to and fro: a hand-over without others waiting
//   stream    values one way through rings: cycles a value
//   litmus    what a channel orders, with other shared and global memory
//   lanes     lanes of one warp that pass a value on
//   stress    --handovers=N in all, with random delays, every value checked
//
// The forms that are not ours are written after the chapter's listings, with
// the fences that today's memory model asks for.
//
#include "probe.h"
#include <sluice/channel.h>

using namespace bench;
using namespace probe;
using namespace sluice;

namespace {

constexpr int Warps = 16, Threads = Warps * WarpSize;
constexpr int Repeats = 21;

__device__ inline unsigned addressOf(const void *P) {
  return static_cast<unsigned>(__cvta_generic_to_shared(P));
}

/// Of the block: the chain's length.
__device__ inline int warps() { return blockDim.x / WarpSize; }

//===- Forms of the chain -------------------------------------------------===//
//
// A form has the shared memory that it needs, what its threads do before the
// time is taken, and the step of a thread: A[t] = A[t - 32] + t.

/// Listing 7.11. Fenced: with the fences that the memory model asks for.
template <bool Fenced> struct AtomLock {
  static constexpr bool IsAlone = false;
  static constexpr const char *Name =
      Fenced ? "atom_lock, fenced" : "atom_lock";
  volatile int A[Threads];
  int Mutex[Threads];

  __device__ void lock(int *P) {
    while (atomicCAS_block(P, 0, 1) != 0)
      ;
    if (Fenced)
      __threadfence_block();
  }
  __device__ void unlock(int *P) {
    if (Fenced)
      __threadfence_block();
    atomicExch_block(P, 0);
  }
  __device__ void open(int T) { Mutex[T] = 1; }
  __device__ int step(int T, int W) {
    if (W > 0)
      lock(&Mutex[T - WarpSize]);
    int Sum = (W > 0 ? A[T - WarpSize] : 0) + T;
    A[T] = Sum;
    unlock(&Mutex[T]);
    if (W > 0)
      unlock(&Mutex[T - WarpSize]);
    return Sum;
  }
};

/// A spin lock for each warp, which lane 0 takes.
struct SharedLock {
  static constexpr bool IsAlone = false;
  static constexpr const char *Name = "shrd_lock";
  int A[Threads];
  int Mutex[Warps];

  __device__ void open(int T) {
    if (T < Warps)
      Mutex[T] = 1;
  }
  __device__ int step(int T, int W) {
    if (W > 0) {
      if (T % WarpSize == 0) {
        while (atomicCAS_block(&Mutex[W - 1], 0, 1) != 0)
          ;
        __threadfence_block();
      }
      __syncwarp();
    }
    int Sum = (W > 0 ? A[T - WarpSize] : 0) + T;
    A[T] = Sum;
    __syncwarp();
    if (T % WarpSize == 0) {
      __threadfence_block();
      atomicExch_block(&Mutex[W], 0);
      if (W > 0)
        atomicExch_block(&Mutex[W - 1], 0);
    }
    return Sum;
  }
};

/// Listing 7.12. Barrier 0 is __syncthreads().
struct NamedBarriers {
  static constexpr bool IsAlone = false;
  static constexpr const char *Name = "warp_barr (bar.sync, bar.arrive)";
  int A[Threads];

  __device__ void open(int) {}
  __device__ int step(int T, int W) {
    if (W > 0)
      asm volatile("bar.sync %0, 64;" ::"r"(W) : "memory");
    int Sum = (W > 0 ? A[T - WarpSize] : 0) + T;
    A[T] = Sum;
    if (W < warps() - 1)
      asm volatile("bar.arrive %0, 64;" ::"r"(W + 1) : "memory");
    return Sum;
  }
};

/// Listing 7.9: lanes look together, and vote.
struct Vote {
  static constexpr bool IsAlone = false;
  static constexpr const char *Name = "warp_vote";
  int A[Threads];
  unsigned Flag[Warps];

  __device__ void open(int T) {
    if (T < Warps)
      Flag[T] = 0;
  }
  __device__ int step(int T, int W) {
    if (W > 0) {
      unsigned Is;
      do
        asm volatile("ld.acquire.cta.shared.b32 %0, [%1];"
                     : "=r"(Is)
                     : "r"(addressOf(&Flag[W - 1]))
                     : "memory");
      while (!__any_sync(~0u, Is));
    }
    int Sum = (W > 0 ? A[T - WarpSize] : 0) + T;
    A[T] = Sum;
    __syncwarp();
    if (T % WarpSize == 0)
      asm volatile(
          "st.release.cta.shared.b32 [%0], 1;" ::"r"(addressOf(&Flag[W]))
          : "memory");
    return Sum;
  }
};

/// What there is without a protocol: all warps come to each step.
struct BlockBarriers {
  static constexpr bool IsAlone = false;
  static constexpr const char *Name = "__syncthreads";
  int A[Threads];

  __device__ void open(int) {}
  __device__ int step(int T, int W) {
    int Sum = 0;
    for (int Now = 0; Now < warps(); ++Now) {
      if (Now == W) {
        Sum = (W > 0 ? A[T - WarpSize] : 0) + T;
        A[T] = Sum;
      }
      __syncthreads();
    }
    return Sum;
  }
};

/// A channel for each thread.
template <typename... Options> struct ByThread {
  static constexpr bool IsAlone = false;
  static const char *Name;
  Channel<int, Options...> All[Threads];

  __device__ void open(int T) { All[T].open(); }
  __device__ int step(int T, int W) {
    int Sum = T;
    if (W > 0)
      Sum += All[T - WarpSize].consumer().read();
    All[T].producer().put(Sum);
    return Sum;
  }
};

/// A channel for each warp.
template <typename... Options> struct ByWarp {
  static constexpr bool IsAlone = false;
  static const char *Name;
  Channel<int, FromWarp, ToWarp, Options...> All[Warps];

  __device__ void open(int T) {
    if (T % WarpSize == 0)
      All[T / WarpSize].open();
  }
  __device__ int step(int T, int W) {
    int Sum = T;
    if (W > 0)
      Sum += All[W - 1].consumer().read();
    All[W].producer().put(Sum);
    return Sum;
  }
};

/// By named barriers 1 to 15.
struct ByNames {
  static constexpr bool IsAlone = false;
  static constexpr const char *Name =
      "Channel<int, FromWarp, ToWarp, ByNamedBarriers>";
  Channel<int, FromWarp, ToWarp, ByNamedBarriers> All[Warps];

  __device__ void open(int) {}
  __device__ int step(int T, int W) {
    int Sum = T;
    if (W > 0)
      Sum += All[W - 1].consumer(W).read();
    if (W < warps() - 1)
      All[W].producer(W + 1).put(Sum);
    return Sum;
  }
};

#define NAMED(TEXT, ...) template <> const char *__VA_ARGS__::Name = TEXT
NAMED("Channel<int>", ByThread<>);
NAMED("Channel<int, ValueOnly>", ByThread<ValueOnly>);
NAMED("Channel<int, Naps<20>>", ByThread<Naps<20>>);
NAMED("Channel<int, ByBarrier>", ByThread<ByBarrier>);
NAMED("Channel<int, FromWarp, ToWarp>", ByWarp<>);
NAMED("Channel<int, FromWarp, ToWarp, ValueOnly>", ByWarp<ValueOnly>);
NAMED("Channel<int, FromWarp, ToWarp, OneFlag>", ByWarp<OneFlag>);
NAMED("Channel<int, FromWarp, ToWarp, ByBarrier>", ByWarp<ByBarrier>);
NAMED("Channel<int, FromWarp, ToWarp, ByBarrier, Naps<1000>>",
      ByWarp<ByBarrier, Naps<1000>>);

//===- Other ways, tried before a channel is made of them -----------------===//

/// A word of 32 bits in which one value stands for none.
template <int Loads> struct Reserved {
  static constexpr bool IsAlone = false;
  static constexpr const char *Name =
      Loads == 1 ? "(raw) 32 bits, a value reserved"
                 : "(raw) 32 bits, a value reserved, two loads under way";
  static constexpr int None = -1;
  int A[Threads];

  static __device__ int look(unsigned At) {
    int Is;
    asm volatile("ld.relaxed.cta.shared.b32 %0, [%1];" : "=r"(Is) : "r"(At));
    return Is;
  }
  __device__ void open(int T) { A[T] = None; }
  __device__ int step(int T, int W) {
    int Sum = T;
    if (W > 0) {
      const unsigned At = addressOf(&A[T - WarpSize]);
      int Is = look(At);
      if (Loads == 1) {
        while (Is == None)
          Is = look(At);
      } else {
        for (int Next = look(At); Is == None; Next = look(At)) {
          if (Next != None) {
            Is = Next;
            break;
          }
          Is = look(At);
        }
      }
      Sum += Is;
    }
    asm volatile("st.relaxed.cta.shared.b32 [%0], %1;" ::"r"(addressOf(&A[T])),
                 "r"(Sum));
    return Sum;
  }
};

/// Value and flag in 64 bits. Ahead: two loads are under way. Together: the
/// warp votes, so that its lanes stay together.
template <bool Ahead, bool Together> struct Packed {
  static constexpr bool IsAlone = false;
  static constexpr const char *Name =
      Ahead ? (Together ? "(raw) 64 bits, two loads under way, with a vote"
                        : "(raw) 64 bits, two loads under way")
            : (Together ? "(raw) 64 bits, with a vote" : "(raw) 64 bits");
  unsigned long long A[Threads];

  static __device__ unsigned long long look(unsigned At) {
    unsigned long long Is;
    asm volatile("ld.relaxed.cta.shared.b64 %0, [%1];" : "=l"(Is) : "r"(At));
    return Is;
  }
  static __device__ bool isThere(unsigned long long Word) {
    return Together ? __all_sync(~0u, Word >> 32 != 0) : Word >> 32 != 0;
  }
  __device__ void open(int T) { A[T] = 0; }
  __device__ int step(int T, int W) {
    int Sum = T;
    if (W > 0) {
      const unsigned At = addressOf(&A[T - WarpSize]);
      unsigned long long Is = look(At);
      if (!Ahead) {
        while (!isThere(Is))
          Is = look(At);
      } else {
        for (unsigned long long Next = look(At); !isThere(Is);
             Next = look(At)) {
          if (isThere(Next)) {
            Is = Next;
            break;
          }
          Is = look(At);
        }
      }
      Sum += int(Is);
    }
    asm volatile("st.relaxed.cta.shared.b64 [%0], %1;" ::"r"(addressOf(&A[T])),
                 "l"(1ull << 32 | unsigned(Sum)));
    return Sum;
  }
};

/// The body in the loop that looks (Listing 7.8), so that no branch stands
/// between a value and its successor. A loop has so many looks, one after the
/// other, or two under way, half a look apart.
template <typename WordT, int Looks, bool Two> struct Fused {
  static constexpr bool IsAlone = false;
  static const char *Name;
  static constexpr WordT None = sizeof(WordT) == 4 ? WordT(-1) : 0;
  WordT A[Threads];

  static __device__ WordT look(unsigned At) {
    WordT Is;
    if constexpr (sizeof(WordT) == 4)
      asm volatile("ld.relaxed.cta.shared.b32 %0, [%1];" : "=r"(Is) : "r"(At));
    else
      asm volatile("ld.relaxed.cta.shared.b64 %0, [%1];" : "=l"(Is) : "r"(At));
    return Is;
  }
  static __device__ bool isThere(WordT Is) {
    return sizeof(WordT) == 4 ? Is != None : (Is >> 16 >> 16) != 0;
  }
  __device__ void put(int T, unsigned Sum) {
    if constexpr (sizeof(WordT) == 4)
      asm volatile(
          "st.relaxed.cta.shared.b32 [%0], %1;" ::"r"(addressOf(&A[T])),
          "r"(Sum));
    else
      asm volatile(
          "st.relaxed.cta.shared.b64 [%0], %1;" ::"r"(addressOf(&A[T])),
          "l"(1ull << 32 | Sum));
  }
  __device__ void open(int T) { A[T] = None; }
  __device__ int step(int T, int W) {
    unsigned Sum = T;
    if (W == 0) {
      put(T, Sum);
      return Sum;
    }
    const unsigned At = addressOf(&A[T - WarpSize]);
    bool IsDone = false;
    auto Try = [&](WordT Is) {
      const bool Fires = !IsDone & isThere(Is);
      if (Fires) {
        Sum += unsigned(Is);
        put(T, Sum);
      }
      IsDone |= Fires;
    };
    if constexpr (!Two) {
      do {
#pragma unroll
        for (int Look = 0; Look < Looks; ++Look)
          Try(look(At));
      } while (!IsDone);
    } else {
      WordT One = look(At);
      // A wait of some 15 cycles that no compiler takes out.
      unsigned Mixed = T;
#pragma unroll
      for (int Delay = 0; Delay < 2; ++Delay)
        asm volatile("{ .reg .u32 X; shl.b32 X, %0, 7; xor.b32 %0, %0, X; }"
                     : "+r"(Mixed));
      WordT Other = look(At + (Mixed == 0x7ffffffd));
      do {
#pragma unroll
        for (int Look = 0; Look < Looks; Look += 2) {
          Try(One);
          One = look(At);
          Try(Other);
          Other = look(At);
        }
      } while (!IsDone);
    }
    return Sum;
  }
};
using Word64 = unsigned long long;
NAMED("(raw) 64 bits, in the loop", Fused<Word64, 1, false>);
NAMED("(raw) 64 bits, in the loop of 4", Fused<Word64, 4, false>);
NAMED("(raw) 64 bits, in the loop of 8", Fused<Word64, 8, false>);
NAMED("(raw) 64 bits, in the loop of 4, two under way", Fused<Word64, 4, true>);
NAMED("(raw) 64 bits, in the loop of 8, two under way", Fused<Word64, 8, true>);
NAMED("(raw) 32 bits, in the loop", Fused<unsigned, 1, false>);
NAMED("(raw) 32 bits, in the loop of 4", Fused<unsigned, 4, false>);
NAMED("(raw) 32 bits, in the loop of 8", Fused<unsigned, 8, false>);
NAMED("(raw) 32 bits, in the loop of 4, two under way",
      Fused<unsigned, 4, true>);
NAMED("(raw) 32 bits, in the loop of 8, two under way",
      Fused<unsigned, 8, true>);

/// The channel's own.
template <typename... Options> struct Then {
  static constexpr bool IsAlone = false;
  static const char *Name;
  Channel<int, Options...> All[Threads];

  __device__ void open(int T) { All[T].open(); }
  __device__ int step(int T, int W) {
    int Sum = T;
    if (W == 0)
      All[T].producer().put(Sum);
    else
      All[T - WarpSize].consumer().readThen([&](int Value) {
        Sum += Value;
        All[T].producer().put(Sum);
      });
    return Sum;
  }
};
NAMED("Channel<int>, readThen", Then<>);
NAMED("Channel<int, ValueOnly>, readThen", Then<ValueOnly>);

/// What no hand-over can be faster than: a store and a load of one thread.
struct Alone {
  static constexpr bool IsAlone = true;
  static constexpr const char *Name = "(no hand-over: one warp's store, load)";
  volatile int A[Threads + WarpSize];

  __device__ void open(int T) { A[T] = 0; }
  __device__ int step(int T, int W) {
    if (W > 0)
      return 0;
    int Sum = T;
    for (int Now = 1; Now < Warps; ++Now) {
      A[T + Now * WarpSize] = Sum;
      Sum = A[T + Now * WarpSize] + T + Now * WarpSize;
    }
    return Sum;
  }
};

} // namespace

//===- The chain ----------------------------------------------------------===//

template <typename FormT>
__global__ void chain(unsigned long long *Begin, unsigned long long *End,
                      int *Sums) {
  __shared__ FormT Form;
  const int T = threadIdx.x, W = T / WarpSize;
  for (int Repeat = 0; Repeat < Repeats; ++Repeat) {
    Form.open(T);
    __syncthreads();
    const unsigned long long First = clock64();
    const int Sum = Form.step(T, W);
    const unsigned long long Last = clock64();
    __syncthreads();
    if (T % WarpSize == 0) {
      Begin[Repeat * Warps + W] = First;
      End[Repeat * Warps + W] = Last;
    }
    Sums[T] = Sum;
    __syncthreads();
  }
}

namespace {

double Slowest = 0;

template <typename FormT>
void runChain(const char *Sweep = "chain", int Count = Warps) {
  DeviceArray<unsigned long long> Begin(Repeats * Warps), End(Repeats * Warps);
  DeviceArray<int> Sums(Threads);
  chain<FormT><<<1, Count * WarpSize>>>(Begin, End, Sums);
  finish();
  auto B = Begin.toHost(), E = End.toHost();
  std::vector<double> Cycles;
  for (int Repeat = 1; Repeat < Repeats; ++Repeat) {
    auto From = B.begin() + Repeat * Warps, To = E.begin() + Repeat * Warps;
    Cycles.push_back(
        static_cast<double>(*std::max_element(To, To + Count) -
                            *std::min_element(From, From + Count)));
  }
  std::sort(Cycles.begin(), Cycles.end());
  const double Median = Cycles[Cycles.size() / 2];
  if (Slowest == 0)
    Slowest = Median;
  bool Right = true;
  auto S = Sums.toHost();
  for (int T = 0; T < Count * WarpSize && !FormT::IsAlone; ++T) {
    const int W = T / WarpSize, L = T % WarpSize;
    Right &= S[T] == (W + 1) * L + W * (W + 1) / 2 * WarpSize;
  }
  std::printf("%s,\"%s\",%d,%.0f,%.0f,%.1f,%.2f,%zu%s\n", Sweep, FormT::Name,
              Count, Median, Cycles[0], Median / Count, Slowest / Median,
              sizeof(FormT), Right ? "" : ",WRONG");
}

void lengthSweep() {
  std::printf("\nlength,form,warps,cycles,least,per_handover\n");
  for (int Count : {2, 4, 8, 12, 16}) {
    runChain<AtomLock<false>>("length", Count);
    runChain<NamedBarriers>("length", Count);
    runChain<BlockBarriers>("length", Count);
    runChain<ByThread<>>("length", Count);
    runChain<ByThread<ValueOnly>>("length", Count);
    runChain<ByWarp<ByBarrier>>("length", Count);
    runChain<ByNames>("length", Count);
    runChain<Then<>>("length", Count);
    runChain<Then<ValueOnly>>("length", Count);
    runChain<Fused<unsigned, 8, false>>("length", Count);
  }
}

void chainSweep() {
  std::printf(
      "\nchain,form,warps,cycles,least,per_handover,times_atom_lock,bytes\n");
  runChain<AtomLock<false>>();
  runChain<AtomLock<true>>();
  runChain<SharedLock>();
  runChain<NamedBarriers>();
  runChain<Vote>();
  runChain<BlockBarriers>();
  runChain<ByThread<>>();
  runChain<ByThread<ValueOnly>>();
  runChain<ByThread<Naps<20>>>();
  runChain<ByThread<ByBarrier>>();
  runChain<ByWarp<>>();
  runChain<ByWarp<ValueOnly>>();
  runChain<ByWarp<OneFlag>>();
  runChain<ByWarp<ByBarrier>>();
  runChain<ByWarp<ByBarrier, Naps<1000>>>();
  runChain<ByNames>();
  runChain<Then<>>();
  runChain<Then<ValueOnly>>();
  runChain<Fused<Word64, 1, false>>();
  runChain<Fused<Word64, 4, false>>();
  runChain<Fused<Word64, 8, false>>();
  runChain<Fused<Word64, 4, true>>();
  runChain<Fused<Word64, 8, true>>();
  runChain<Fused<unsigned, 1, false>>();
  runChain<Fused<unsigned, 4, false>>();
  runChain<Fused<unsigned, 8, false>>();
  runChain<Fused<unsigned, 4, true>>();
  runChain<Fused<unsigned, 8, true>>();
  runChain<Reserved<1>>();
  runChain<Reserved<2>>();
  runChain<Packed<false, false>>();
  runChain<Packed<false, true>>();
  runChain<Packed<true, false>>();
  runChain<Packed<true, true>>();
  runChain<Alone>();
}

} // namespace

//===- To and fro, and one way --------------------------------------------===//

template <typename ChannelT>
__global__ void pingPong(int Rounds, long long *Cycles, int *Sum) {
  __shared__ ChannelT To, Fro;
  openChannels(To, Fro);
  int Value = 0;
  const long long Begin = clock64();
  if (threadIdx.x < WarpSize) {
    auto Out = To.producer();
    auto In = Fro.consumer();
    for (int Round = 0; Round < Rounds; ++Round) {
      Out.put(Value + 1);
      Value = In.get();
    }
  } else {
    auto In = To.consumer();
    auto Out = Fro.producer();
    for (int Round = 0; Round < Rounds; ++Round) {
      Value = In.get();
      Out.put(Value + 1);
    }
  }
  if (threadIdx.x == 0) {
    Cycles[0] = clock64() - Begin;
    Sum[0] = Value;
  }
}

/// The same by named barriers: two for each direction, by turns.
__global__ void pingPongBarriers(int Rounds, long long *Cycles, int *Sum) {
  __shared__ volatile int Box[2][WarpSize];
  const int Lane = threadIdx.x % WarpSize;
  __syncthreads();
  int Value = 0;
  const long long Begin = clock64();
  for (int Round = 0; Round < Rounds; ++Round) {
    if (threadIdx.x < WarpSize) {
      Box[0][Lane] = Value + 1;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
      Value = Box[1][Lane];
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      Value = Box[0][Lane];
      Box[1][Lane] = Value + 1;
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
  if (threadIdx.x == 0) {
    Cycles[0] = clock64() - Begin;
    Sum[0] = Value;
  }
}

template <typename ChannelT>
__global__ void stream(int Values, long long *Cycles, int *Sum) {
  __shared__ ChannelT Through;
  openChannels(Through);
  const long long Begin = clock64();
  int Total = 0;
  if (threadIdx.x < WarpSize) {
    auto Out = Through.producer();
    for (int Value = 0; Value < Values; ++Value)
      Out.put(Value);
  } else {
    auto In = Through.consumer();
    for (int Value = 0; Value < Values; ++Value)
      Total += In.get();
    if (threadIdx.x == WarpSize) {
      Cycles[0] = clock64() - Begin;
      Sum[0] = Total;
    }
  }
}

namespace {

template <typename KernelT>
void runPair(const char *Sweep, const char *Name, KernelT Kernel, int Rounds,
             int Handovers, int Expected) {
  DeviceArray<long long> Cycles(1);
  DeviceArray<int> Sum(1);
  Kernel<<<1, 2 * WarpSize>>>(Rounds, Cycles, Sum);
  finish();
  Kernel<<<1, 2 * WarpSize>>>(Rounds, Cycles, Sum);
  finish();
  std::printf("%s,\"%s\",%.1f%s\n", Sweep, Name,
              static_cast<double>(Cycles.toHost()[0]) / Handovers,
              Sum.toHost()[0] == Expected ? "" : ",WRONG");
}

void pingPongSweep() {
  std::printf("\npingpong,form,cycles_per_handover\n");
  constexpr int Rounds = 2000;
  auto Run = [&](const char *Name, auto Kernel) {
    runPair("pingpong", Name, Kernel, Rounds, 2 * Rounds, 2 * Rounds);
  };
  Run("named barriers", pingPongBarriers);
  Run("FromWarp, ToWarp", pingPong<Channel<int, FromWarp, ToWarp>>);
  Run("FromWarp, ToWarp, ValueOnly",
      pingPong<Channel<int, FromWarp, ToWarp, ValueOnly>>);
  Run("FromWarp, ToWarp, Slots<2>, ValueOnly",
      pingPong<Channel<int, FromWarp, ToWarp, Slots<2>, ValueOnly>>);
  Run("FromWarp, ToWarp, OneFlag",
      pingPong<Channel<int, FromWarp, ToWarp, OneFlag>>);
  Run("FromWarp, ToWarp, ByBarrier",
      pingPong<Channel<int, FromWarp, ToWarp, ByBarrier>>);
}

void streamSweep() {
  std::printf("\nstream,form,cycles_per_value\n");
  constexpr int Values = 8192;
  auto Run = [&](const char *Name, auto Kernel) {
    runPair("stream", Name, Kernel, Values, Values, Values * (Values - 1) / 2);
  };
  Run("FromWarp, ToWarp", stream<Channel<int, FromWarp, ToWarp>>);
  Run("FromWarp, ToWarp, Slots<4>",
      stream<Channel<int, FromWarp, ToWarp, Slots<4>>>);
  Run("FromWarp, ToWarp, Slots<16>",
      stream<Channel<int, FromWarp, ToWarp, Slots<16>>>);
  Run("FromWarp, ToWarp, ValueOnly, Slots<16>",
      stream<Channel<int, FromWarp, ToWarp, ValueOnly, Slots<16>>>);
  Run("FromWarp, ToWarp, OneFlag, Slots<16>",
      stream<Channel<int, FromWarp, ToWarp, OneFlag, Slots<16>>>);
  Run("FromWarp, ToWarp, ByBarrier, Slots<16>",
      stream<Channel<int, FromWarp, ToWarp, ByBarrier, Slots<16>>>);
}

} // namespace

//===- Litmus tests and stress --------------------------------------------===//

// A bounded wait: what goes wrong is told and does not hang.
constexpr int Patience = 1 << 22;

__device__ inline uint32_t nextRandom(uint32_t &State) {
  State = State * 1664525u + 1013904223u;
  return State >> 8;
}

__device__ inline void delay(uint32_t &State) {
  const uint32_t Random = nextRandom(State);
  if (Random % 8 == 0)
    __nanosleep(Random >> 4 & 255);
  else if (Random % 8 == 1)
    for (uint32_t Left = Random >> 4 & 31; Left != 0; --Left)
      asm volatile("" ::: "memory");
}

/// Pairs of threads hand over Rounds values each: thread t of the block's first
/// half to thread t of its second. With a payload in shared and in global
/// memory, which the value guards both ways. Counts: wrong values, wrong
/// payloads, pairs that gave up.
template <typename ChannelT, bool HasPayload, bool HasDelays>
__global__ void pairs(int Rounds, int *Global, unsigned long long *Wrong) {
  extern __shared__ uint4 Memory[];
  const int Half = blockDim.x / 2, T = threadIdx.x % Half;
  auto *All = reinterpret_cast<ChannelT *>(Memory);
  auto *Payload = reinterpret_cast<int *>(All + Half);
  if (threadIdx.x < Half)
    All[T].open();
  __syncthreads();
  uint32_t Random = bitsAt(blockIdx.x, threadIdx.x);
  const int Pair = blockIdx.x * Half + T;
  unsigned long long BadValues = 0, BadPayloads = 0, GaveUp = 0;
  if (threadIdx.x < Half) {
    auto Out = All[T].producer();
    for (int Round = 0; Round < Rounds; ++Round) {
      if (HasDelays)
        delay(Random);
      Out.reserve();
      const int Value = bitsAt(Pair, Round);
      if (HasPayload) {
        Payload[T] = Value + 1;
        Payload[Half + (T * 7 + 5) % Half] = Value + 2;
        Global[Pair] = Value + 3;
      }
      Out.putReserved(Value);
    }
  } else {
    auto In = All[T].consumer();
    for (int Round = 0; Round < Rounds; ++Round) {
      if (HasDelays)
        delay(Random);
      const int Value = bitsAt(Pair, Round);
      const int Got = In.read();
      if (HasPayload)
        BadPayloads += (Payload[T] != Value + 1) +
                       (Payload[Half + (T * 7 + 5) % Half] != Value + 2) +
                       (Global[Pair] != Value + 3);
      BadValues += Got != Value;
      In.take();
    }
  }
  if (BadValues)
    atomicAdd(&Wrong[0], BadValues);
  if (BadPayloads)
    atomicAdd(&Wrong[1], BadPayloads);
  if (GaveUp)
    atomicAdd(&Wrong[2], GaveUp);
}

/// Warp 0 tells warp 1, which tells warp 2: what any lane of warp 0 wrote is
/// seen by any lane of warp 2. \p Wrong counts.
template <typename... Options>
__global__ void threeWarps(int Rounds, unsigned long long *Wrong) {
  __shared__ Channel<int, FromWarp, ToWarp, Options...> First, Second, Back;
  __shared__ int Data[WarpSize];
  openChannels(First, Second, Back);
  const int Lane = threadIdx.x % WarpSize;
  uint32_t Random = bitsAt(blockIdx.x, threadIdx.x);
  unsigned long long Bad = 0;
  auto A = First.producer();
  auto B = First.consumer();
  auto C = Second.producer();
  auto D = Second.consumer();
  auto E = Back.producer();
  auto F = Back.consumer();
  for (int Round = 0; Round < Rounds; ++Round) {
    delay(Random);
    if (threadIdx.x < WarpSize) {
      Data[Lane] = Round + Lane;
      A.put(Round);
      F.get();
    } else if (threadIdx.x < 2 * WarpSize) {
      C.put(B.get());
    } else {
      Bad += D.get() != Round;
      const int Other = (Lane * 5 + Round) % WarpSize;
      Bad += Data[Other] != Round + Other;
      E.put(0);
    }
    __syncwarp();
  }
  if (Bad)
    atomicAdd(&Wrong[0], Bad);
}

/// Lanes of one warp pass a value on. Bounded: with get(), then put() after the
/// loop that waits; else as getThen() does.
template <bool InLoop> __global__ void lanes(int *Out) {
  __shared__ Channel<int> All[WarpSize];
  openChannels(All);
  const int T = threadIdx.x;
  if (T == 0) {
    All[0].producer().put(1);
    Out[T] = 1;
    return;
  }
  auto In = All[T - 1].consumer();
  auto To = All[T].producer();
  int Got = -1, Left = Patience;
  if (InLoop) {
    for (bool IsDone = false; !IsDone && --Left;)
      if (In.tryGet(Got)) {
        To.put(Got + T);
        IsDone = true;
      }
  } else {
    while (!In.tryGet(Got) && --Left)
      ;
    To.put(Got + T);
  }
  Out[T] = Left ? Got + T : -1;
}

namespace {

template <typename ChannelT, bool HasPayload, bool HasDelays = true>
void runPairs(const char *Sweep, const char *Name, int SMs, int Threads,
              double Handovers, bool MayBeWrong = false) {
  const int Half = Threads / 2, Blocks = SMs * (Threads >= 1024 ? 2 : 4);
  const size_t Bytes =
      (Half * sizeof(ChannelT) + 2 * Half * sizeof(int) + 15) / 16 * 16;
  auto Kernel = pairs<ChannelT, HasPayload, HasDelays>;
  CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void *>(Kernel),
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(Bytes)));
  const int Pairs = Blocks * Half;
  const int Rounds = std::max(1, static_cast<int>(Handovers / Pairs + 1));
  DeviceArray<int> Global(Pairs);
  DeviceArray<unsigned long long> Wrong(3);
  float Time = milliseconds(
      0, [&] { Kernel<<<Blocks, Threads, Bytes>>>(Rounds, Global, Wrong); });
  auto W = Wrong.toHost();
  std::printf("%s,\"%s\",%.0f,%llu,%llu,%.1f%s\n", Sweep, Name,
              static_cast<double>(Rounds) * Pairs, W[0], W[1], Time,
              W[0] + W[1] + W[2] == 0 ? ",ok"
              : MayBeWrong            ? ""
                                      : ",WRONG");
  std::fflush(stdout);
}

void litmusSweep(int SMs, double Handovers) {
  std::printf("\nlitmus,form,handovers,wrong_values,wrong_payloads,ms\n");
  const double N = Handovers / 50;
  runPairs<Channel<int>, true>("litmus", "Channel<int>", SMs, 256, N);
  runPairs<Channel<int, Slots<1>, Naps<20>>, true>("litmus", "Naps<20>", SMs,
                                                   256, N);
  runPairs<Channel<double>, true>("litmus", "Channel<double>", SMs, 256, N);
  runPairs<Channel<int, ByBarrier>, true>("litmus", "ByBarrier", SMs, 256, N);
  // What it says is not ordered may be wrong.
  runPairs<Channel<int, ValueOnly>, true>("litmus", "ValueOnly (unordered)",
                                          SMs, 256, N, true);
  const int Rounds = std::max(1, static_cast<int>(N / SMs / 8));
  auto Three = [&](const char *Name, auto Kernel) {
    DeviceArray<unsigned long long> Wrong(1);
    float Time = milliseconds(
        0, [&] { Kernel<<<SMs * 4, 3 * WarpSize>>>(Rounds, Wrong); });
    auto W = Wrong.toHost()[0];
    std::printf("litmus,\"three warps: %s\",%.0f,%llu,,%.1f%s\n", Name,
                3.0 * Rounds * SMs * 4, W, Time, W == 0 ? ",ok" : ",WRONG");
    std::fflush(stdout);
  };
  Three("FromWarp, ToWarp", threeWarps<>);
  Three("OneFlag", threeWarps<OneFlag>);
  Three("ByBarrier", threeWarps<ByBarrier>);
}

void stressSweep(int SMs, double Handovers) {
  std::printf("\nstress,form,handovers,wrong_values,wrong_payloads,ms\n");
  auto N = [&](double Share) { return Handovers * Share; };
  runPairs<Channel<int>, true>("stress", "Channel<int>", SMs, 1024, N(0.4));
  runPairs<Channel<int, ValueOnly>, false>("stress", "ValueOnly", SMs, 1024,
                                           N(0.3));
  runPairs<Channel<double>, true>("stress", "Channel<double>", SMs, 512,
                                  N(0.1));
  runPairs<Channel<int, ByBarrier>, true>("stress", "ByBarrier", SMs, 512,
                                          N(0.1));
  runPairs<Channel<int, Naps<50>>, true>("stress", "Naps<50>", SMs, 1024,
                                         N(0.1));
  runPairs<Channel<int>, true, false>("stress", "Channel<int>, no delays", SMs,
                                      1024, N(0.1));
}

void lanesSweep() {
  std::printf("\nlanes,form,lanes_that_got_it\n");
  DeviceArray<int> Out(WarpSize);
  auto Count = [&] {
    finish();
    int Good = 0, T = 0;
    for (int Value : Out.toHost()) {
      Good += Value == 1 + T * (T + 1) / 2;
      ++T;
    }
    return Good;
  };
  lanes<true><<<1, WarpSize>>>(Out);
  std::printf("lanes,put in the loop (getThen),%d\n", Count());
  lanes<false><<<1, WarpSize>>>(Out);
  std::printf("lanes,put behind the loop,%d\n", Count());
}

} // namespace

int main(int ArgC, char **ArgV) {
  int SMs = printDevice();
  const double Handovers =
      std::atof(option(ArgC, ArgV, "handovers", "1000000"));
  SMs = numberOption(ArgC, ArgV, "sms", SMs);
  if (wanted(ArgC, ArgV, "chain"))
    chainSweep();
  if (wanted(ArgC, ArgV, "length"))
    lengthSweep();
  if (wanted(ArgC, ArgV, "pingpong"))
    pingPongSweep();
  if (wanted(ArgC, ArgV, "stream"))
    streamSweep();
  if (wanted(ArgC, ArgV, "lanes"))
    lanesSweep();
  if (wanted(ArgC, ArgV, "litmus"))
    litmusSweep(SMs, Handovers);
  if (wanted(ArgC, ArgV, "stress"))
    stressSweep(SMs, Handovers);
}
