// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the L2 does with loads that carry a cache hint.
//
//   stream   some MiB loaded with one hint by all SMs, then a stream with
//            another: how much of the first is still in the L2?
//   again    loaded with one hint, then with another, then a stream that leaves
//            first: which of the two counts?
//   thrash   more than fits, walked over and over, half of it with one hint and
//            half with another: how much of each half is in the L2 afterwards,
//            and the time of a walk
//
//   l2_eviction [--only=SWEEP]
//
// Each kernel begins with an empty L1, and each warp reads whole lines.
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

namespace {

/// probe.h's hints, and policies of the L2.
enum class L2Hint {
  Plain,
  CG,
  CS,
  NC,
  EvictFirst,
  EvictLast,
  EvictUnchanged,
  NoAllocate,
  L2First,
  L2Last,
  L2Unchanged,
};

constexpr L2Hint AllL2Hints[] = {L2Hint::Plain,
                                 L2Hint::CG,
                                 L2Hint::CS,
                                 L2Hint::NC,
                                 L2Hint::EvictFirst,
                                 L2Hint::EvictLast,
                                 L2Hint::EvictUnchanged,
                                 L2Hint::NoAllocate,
                                 L2Hint::L2First,
                                 L2Hint::L2Last,
                                 L2Hint::L2Unchanged};

const char *nameOf(L2Hint H) {
  static const char *Names[] = {"plain",
                                "cg",
                                "cs",
                                "nc",
                                "evict_first",
                                "evict_last",
                                "evict_unchanged",
                                "no_allocate",
                                "L2::evict_first",
                                "L2::evict_last",
                                "L2::evict_unchanged"};
  return Names[static_cast<int>(H)];
}

#define WITH_POLICY(Name)                                                      \
  asm volatile("{ .reg .b64 P; createpolicy.fractional." Name                  \
               ".b64 P, 1.0; ld.global.L2::cache_hint.u32 %0, [%1], P; }"      \
               : "=r"(Value)                                                   \
               : "l"(P)                                                        \
               : "memory")

template <L2Hint H> __device__ uint32_t loadL2(const uint32_t *P) {
  uint32_t Value;
  if constexpr (H == L2Hint::Plain)
    return load<Hint::Plain>(P);
  else if constexpr (H == L2Hint::CG)
    return load<Hint::CG>(P);
  else if constexpr (H == L2Hint::CS)
    return load<Hint::CS>(P);
  else if constexpr (H == L2Hint::NC)
    return load<Hint::NC>(P);
  else if constexpr (H == L2Hint::EvictFirst)
    return load<Hint::EvictFirst>(P);
  else if constexpr (H == L2Hint::EvictLast)
    return load<Hint::EvictLast>(P);
  else if constexpr (H == L2Hint::EvictUnchanged)
    return load<Hint::EvictUnchanged>(P);
  else if constexpr (H == L2Hint::NoAllocate)
    return load<Hint::NoAllocate>(P);
  else if constexpr (H == L2Hint::L2First)
    WITH_POLICY("L2::evict_first");
  else if constexpr (H == L2Hint::L2Last)
    WITH_POLICY("L2::evict_last");
  else
    WITH_POLICY("L2::evict_unchanged");
  return Value;
}

#undef WITH_POLICY

} // namespace

/// Loads all words of A with one hint, and between them those of B with the
/// other.
template <L2Hint HintA, L2Hint HintB>
__global__ void walk(const uint32_t *A, size_t WordsA, const uint32_t *B,
                     size_t WordsB) {
  const size_t Threads = size_t(gridDim.x) * blockDim.x;
  const size_t First = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t I = First; I < WordsA || I < WordsB; I += Threads) {
    if (I < WordsA)
      waitFor(loadL2<HintA>(A + I));
    if (I < WordsB)
      waitFor(loadL2<HintB>(B + I));
  }
}

/// Of Samples lines, spread over Base, those that came within so many cycles.
__global__ void countNear(const uint32_t *Base, size_t Words, int Samples,
                          uint32_t Cycles, uint32_t *Near) {
  const size_t Lines = Words / WordsPerLine, Step = Lines / Samples;
  uint32_t Count = 0;
  for (int I = 0; I < Samples; ++I)
    Count += timedLoad<Hint::CG>(Base + I * Step * WordsPerLine) < Cycles;
  *Near = Count;
}

namespace {

constexpr int Samples = 2048;
/// Between the slowest hit in the L2 and the fastest read of memory.
constexpr uint32_t L2Below = 560;
constexpr size_t WordsOfMiB = size_t(1) << 18;

int SMs;

template <L2Hint A, L2Hint B = A>
void launch(const uint32_t *First, size_t WordsA,
            const uint32_t *Second = nullptr, size_t WordsB = 0) {
  walk<A, B><<<SMs * 4, 512>>>(First, WordsA, Second, WordsB);
}

template <typename CallT> void dispatch(L2Hint H, CallT Call) {
  switch (H) {
#define CASE(Name)                                                             \
  case L2Hint::Name:                                                           \
    return Call(std::integral_constant<L2Hint, L2Hint::Name>());
    CASE(Plain)
    CASE(CG)
    CASE(CS)
    CASE(NC)
    CASE(EvictFirst)
    CASE(EvictLast)
    CASE(EvictUnchanged)
    CASE(NoAllocate)
    CASE(L2First)
    CASE(L2Last)
    CASE(L2Unchanged)
#undef CASE
  }
}

double shareInL2(const uint32_t *Base, size_t Words,
                 DeviceArray<uint32_t> &Near) {
  countNear<<<1, 1>>>(Base, Words, Samples, L2Below, Near);
  finish();
  return double(Near.toHost()[0]) / Samples;
}

/// So that nothing of before is in the L2, and nothing has a priority.
void flush(const DeviceArray<uint32_t> &Other) {
  for (int I = 0; I < 2; ++I)
    launch<L2Hint::Plain>(Other, 512 * WordsOfMiB);
  CUDA_CHECK(cudaCtxResetPersistingL2Cache());
}

void streamSweep() {
  std::printf("\nstream,kept,kept_mib,times,streamed,streamed_mib,"
              "kept_in_l2\n");
  DeviceArray<uint32_t> Kept(32 * WordsOfMiB), Streamed(256 * WordsOfMiB),
      Other(512 * WordsOfMiB), Near(1);
  for (int KeptMiB : {4, 16})
    for (int StreamedMiB : {0, 32, 64, 256})
      for (int Times : {1, 2})
        for (L2Hint Keep : AllL2Hints)
          for (L2Hint Stream : AllL2Hints) {
            if (StreamedMiB == 0 && Stream != L2Hint::Plain)
              continue;
            if ((Times == 2 || KeptMiB == 4) && Keep != L2Hint::Plain)
              continue;
            flush(Other);
            for (int I = 0; I < Times; ++I)
              dispatch(Keep, [&](auto H) {
                launch<decltype(H)::value>(Kept, KeptMiB * WordsOfMiB);
              });
            dispatch(Stream, [&](auto H) {
              launch<decltype(H)::value>(Streamed, StreamedMiB * WordsOfMiB);
            });
            std::printf("stream,%s,%d,%d,%s,%d,%.3f\n", nameOf(Keep), KeptMiB,
                        Times, nameOf(Stream), StreamedMiB,
                        shareInL2(Kept, KeptMiB * WordsOfMiB, Near));
          }
}

void againSweep() {
  std::printf("\nagain,first,then,streamed,in_l2\n");
  constexpr size_t Words = 4 * WordsOfMiB;
  DeviceArray<uint32_t> Kept(Words), Streamed(64 * WordsOfMiB),
      Other(512 * WordsOfMiB), Near(1);
  auto Load = [&](L2Hint H, const uint32_t *Base, size_t Count) {
    dispatch(H, [&](auto Of) { launch<decltype(Of)::value>(Base, Count); });
  };
  for (L2Hint First : {L2Hint::Plain, L2Hint::EvictFirst, L2Hint::NoAllocate})
    for (L2Hint Then : AllL2Hints)
      for (L2Hint Stream : {L2Hint::Plain, L2Hint::EvictFirst}) {
        flush(Other);
        // 4 MiB: what leaves first has 6 and more.
        Load(First, Kept, Words);
        Load(Then, Kept, Words);
        Load(Stream, Streamed, 64 * WordsOfMiB);
        std::printf("again,%s,%s,%s,%.3f\n", nameOf(First), nameOf(Then),
                    nameOf(Stream), shareInL2(Kept, Words, Near));
      }
}

void thrashSweep() {
  std::printf("\nthrash,first,second,mib,ms,first_in_l2,second_in_l2\n");
  DeviceArray<uint32_t> A(128 * WordsOfMiB), B(128 * WordsOfMiB),
      Other(512 * WordsOfMiB), Near(1);
  auto Measure = [&](auto First, auto Second) {
    constexpr L2Hint HintA = decltype(First)::value,
                     HintB = decltype(Second)::value;
    for (int MiB : {24, 40, 48, 64, 96, 160}) {
      const size_t Words = MiB / 2 * WordsOfMiB;
      flush(Other);
      float Time =
          milliseconds(9, [&] { launch<HintA, HintB>(A, Words, B, Words); });
      const double InL2 = shareInL2(A, Words, Near);
      // Counting the first half has changed what is there.
      for (int I = 0; I < 5; ++I)
        launch<HintA, HintB>(A, Words, B, Words);
      std::printf("thrash,%s,%s,%d,%.4f,%.3f,%.3f\n", nameOf(HintA),
                  nameOf(HintB), MiB, Time, InL2, shareInL2(B, Words, Near));
    }
  };
#define PAIR(First, Second)                                                    \
  Measure(std::integral_constant<L2Hint, L2Hint::First>(),                     \
          std::integral_constant<L2Hint, L2Hint::Second>())
  PAIR(Plain, Plain);
  PAIR(CG, CG);
  PAIR(NoAllocate, NoAllocate);
  PAIR(EvictFirst, EvictFirst);
  PAIR(EvictLast, EvictLast);
  PAIR(L2First, L2First);
  PAIR(L2Last, L2Last);
  PAIR(Plain, CG);
  PAIR(Plain, NoAllocate);
  PAIR(Plain, EvictFirst);
  PAIR(Plain, L2First);
  PAIR(EvictLast, EvictFirst);
  PAIR(EvictLast, Plain);
  PAIR(L2Last, Plain);
#undef PAIR
}

} // namespace

int main(int ArgC, char **ArgV) {
  SMs = printDevice();
  if (wanted(ArgC, ArgV, "stream"))
    streamSweep();
  if (wanted(ArgC, ArgV, "again"))
    againSweep();
  if (wanted(ArgC, ArgV, "thrash"))
    thrashSweep();
}
