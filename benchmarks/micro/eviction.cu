// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the L1 does with loads that carry a cache hint.
//
//   again    a line loaded with one hint, then with another: does it hit?
//   stream   half the L1's lines, loaded with one hint, then a stream of four
//            times the L1 with another: how many of the first are still there?
//   thrash   more lines than fit, walked over and over with one hint, or half
//            of them with one and half with another: hits of each walk
//   rows     a row per thread of two matrices on a full chip, as in gesummv:
//            timed, and for ncu's counters (with --reps=0, one launch each)
//
//   eviction [--only=SWEEP] [--reps=3]
//
// One thread a block but in rows, a sector of each line.
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

namespace {

constexpr int Walks = 10;

/// Calls Run.run<H>().
template <typename RunT> __device__ void dispatch(Hint H, RunT Run) {
  switch (H) {
#define CASE(Name)                                                             \
  case Hint::Name:                                                             \
    return Run.template run<Hint::Name>();
    CASE(Plain)
    CASE(CA)
    CASE(CG)
    CASE(CS)
    CASE(LU)
    CASE(CV)
    CASE(NC)
    CASE(EvictNormal)
    CASE(EvictFirst)
    CASE(EvictLast)
    CASE(EvictUnchanged)
    CASE(NoAllocate)
    CASE(NCEvictFirst)
    CASE(NCEvictLast)
    CASE(NCNoAllocate)
#undef CASE
  }
}

/// Loads Count lines, in order; counts those that hit.
struct WalkLines {
  const uint32_t *Base;
  int Count;
  uint32_t &Hits;
  template <Hint H> __device__ void run() {
#pragma unroll 1
    for (int I = 0; I < Count; ++I)
      Hits += timedLoad<H>(Base + size_t(I) * WordsPerLine) < HitBelow;
  }
};

__device__ uint32_t hitsOf(Hint H, const uint32_t *Base, int Count) {
  uint32_t Hits = 0;
  dispatch(H, WalkLines{Base, Count, Hits});
  return Hits;
}

} // namespace

/// Loads Count lines of Keep, then Streamed of Stream, then those of Keep again
/// with Last.
__global__ void keepAndStream(Hint Keep, Hint Stream, Hint Last,
                              const uint32_t *Lines, int Count,
                              const uint32_t *Others, int Streamed,
                              uint32_t *Hits) {
  hitsOf(Keep, Lines, Count);
  hitsOf(Stream, Others, Streamed);
  report(Hits, hitsOf(Last, Lines, Count));
}

/// Walks Count lines, the first half with one hint.
__global__ void thrash(Hint First, Hint Second, const uint32_t *Lines,
                       int Count, uint32_t *FirstHits, uint32_t *SecondHits) {
  for (int Walk = 0; Walk < Walks; ++Walk) {
    report(FirstHits + Walk, hitsOf(First, Lines, Count / 2));
    report(SecondHits + Walk,
           hitsOf(Second, Lines + size_t(Count / 2) * WordsPerLine,
                  Count - Count / 2));
  }
}

/// The same lines in turns: even ones with one hint, odd ones with another.
template <Hint Even, Hint Odd>
__global__ void thrashInTurns(const uint32_t *Lines, int Count,
                              uint32_t *EvenHits, uint32_t *OddHits) {
  for (int Walk = 0; Walk < Walks; ++Walk) {
    uint32_t Hits[2] = {0, 0};
    for (int I = 0; I < Count; I += 2) {
      const uint32_t *P = Lines + size_t(I) * WordsPerLine;
      Hits[0] += timedLoad<Even>(P) < HitBelow;
      Hits[1] += timedLoad<Odd>(P + WordsPerLine) < HitBelow;
    }
    report(EvenHits + Walk, Hits[0]);
    report(OddHits + Walk, Hits[1]);
  }
}

/// Sums of a row of A and of B.
template <Hint HintA, Hint HintB>
__global__ void __launch_bounds__(256, 8)
    rows(const uint32_t *A, const uint32_t *B, int Columns, uint32_t *Y) {
  size_t Row = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  uint32_t Sum = 0;
#pragma unroll 1
  for (int J = 0; J < Columns; ++J)
    Sum +=
        load<HintA>(A + Row * Columns + J) + load<HintB>(B + Row * Columns + J);
  Y[Row] = Sum;
}

namespace {

constexpr int Carveouts[] = {0, 50, 100};
/// Lines that fit the L1 at each (associativity.cu, capacity).
constexpr int Fits[] = {1736, 936, 168};

void againSweep() {
  std::printf("\nagain,first,then,lines,hits\n");
  constexpr int Lines = 256;
  DeviceArray<uint32_t> Buffer(4096 * WordsPerLine), Hits(1);
  auto Measure = [&](Hint First, Hint Then) {
    setCarveout(keepAndStream, 0);
    Hits.clear();
    keepAndStream<<<1, 1>>>(First, Hint::Plain, Then, Buffer, Lines, Buffer, 0,
                            Hits);
    finish();
    std::printf("again,%s,%s,%d,%u\n", nameOf(First), nameOf(Then), Lines,
                Hits.toHost()[0]);
  };
  for (Hint H : AllHints) {
    Measure(H, H);
    Measure(H, Hint::Plain);
    Measure(Hint::Plain, H);
  }
}

void streamSweep() {
  std::printf("\nstream,carveout_percent,kept,streamed,kept_lines,"
              "streamed_lines,kept_hits\n");
  DeviceArray<uint32_t> Lines(4096 * WordsPerLine),
      Others(32768 * WordsPerLine), Hits(1);
  for (int C = 0; C < 2; ++C) {
    setCarveout(keepAndStream, Carveouts[C]);
    int Count = Fits[C] / 2;
    for (int Times : {1, 4})
      for (Hint Keep : AllHints)
        for (Hint Stream : AllHints) {
          if ((C || Times == 1) && Keep != Hint::Plain &&
              Keep != Hint::EvictLast && Keep != Hint::NC &&
              Keep != Hint::EvictFirst)
            continue;
          int Streamed = Fits[C] * Times;
          Hits.clear();
          keepAndStream<<<1, 1>>>(Keep, Stream, Keep, Lines, Count, Others,
                                  Streamed, Hits);
          finish();
          std::printf("stream,%d,%s,%s,%d,%d,%u\n", Carveouts[C], nameOf(Keep),
                      nameOf(Stream), Count, Streamed, Hits.toHost()[0]);
        }
  }
}

void printWalks(const char *Name, int Carveout, Hint First, Hint Second,
                int FitLines, int Count, const DeviceArray<uint32_t> &FirstHits,
                const DeviceArray<uint32_t> &SecondHits) {
  finish();
  auto A = FirstHits.toHost(), B = SecondHits.toHost();
  std::printf("%s,%d,%s,%s,%d,%d", Name, Carveout, nameOf(First),
              nameOf(Second), FitLines, Count);
  // The mean of the later walks, of each half; then every walk.
  double MeanA = 0, MeanB = 0;
  for (int Walk = 4; Walk < Walks; ++Walk) {
    MeanA += A[Walk] / (0.5 * Count * (Walks - 4));
    MeanB += B[Walk] / (0.5 * Count * (Walks - 4));
  }
  std::printf(",%.3f,%.3f", MeanA, MeanB);
  for (int Walk = 0; Walk < Walks; ++Walk)
    std::printf(",%u", A[Walk] + B[Walk]);
  std::printf("\n");
}

void thrashSweep() {
  std::printf("\nthrash,carveout_percent,first,second,lines_that_fit,lines,"
              "first_hit_share,second_hit_share");
  for (int Walk = 0; Walk < Walks; ++Walk)
    std::printf(",hits%d", Walk);
  std::printf("\n");
  DeviceArray<uint32_t> Lines(8192 * WordsPerLine);
  DeviceArray<uint32_t> FirstHits(Walks), SecondHits(Walks);
  const Hint Pairs[][2] = {{Hint::EvictLast, Hint::EvictFirst},
                           {Hint::EvictFirst, Hint::EvictLast},
                           {Hint::Plain, Hint::EvictFirst},
                           {Hint::EvictLast, Hint::Plain},
                           {Hint::Plain, Hint::NC},
                           {Hint::Plain, Hint::NoAllocate},
                           {Hint::EvictLast, Hint::NoAllocate}};
  for (int C = 0; C < 3; ++C) {
    setCarveout(thrash, Carveouts[C]);
    for (int Percent : {100, 110, 125, 150, 200, 300}) {
      int Count = Fits[C] * Percent / 200 * 2;
      auto Measure = [&](Hint First, Hint Second) {
        FirstHits.clear();
        SecondHits.clear();
        thrash<<<1, 1>>>(First, Second, Lines, Count, FirstHits, SecondHits);
        printWalks("thrash", Carveouts[C], First, Second, Fits[C], Count,
                   FirstHits, SecondHits);
      };
      for (Hint H : AllHints)
        Measure(H, H);
      for (auto &Pair : Pairs)
        Measure(Pair[0], Pair[1]);
      auto InTurns = [&](auto Kernel, Hint Even, Hint Odd) {
        setCarveout(Kernel, Carveouts[C]);
        FirstHits.clear();
        SecondHits.clear();
        Kernel<<<1, 1>>>(Lines, Count, FirstHits, SecondHits);
        printWalks("in_turns", Carveouts[C], Even, Odd, Fits[C], Count,
                   FirstHits, SecondHits);
      };
      InTurns(thrashInTurns<Hint::EvictLast, Hint::EvictFirst>, Hint::EvictLast,
              Hint::EvictFirst);
      InTurns(thrashInTurns<Hint::Plain, Hint::EvictFirst>, Hint::Plain,
              Hint::EvictFirst);
      InTurns(thrashInTurns<Hint::Plain, Hint::NoAllocate>, Hint::Plain,
              Hint::NoAllocate);
    }
  }
}

void rowsSweep(int SMs, int Reps) {
  std::printf("\nrows,carveout_percent,a,b,blocks_per_sm,columns,ms\n");
  constexpr int Columns = 128;
  size_t Rows = size_t(SMs) * 2048;
  DeviceArray<uint32_t> A(Rows * Columns), B(Rows * Columns), Y(Rows);
  auto Measure = [&](auto Kernel, Hint HintA, Hint HintB) {
    for (int Carveout : Carveouts)
      for (int Blocks : {8, 4}) {
        setCarveout(Kernel, Carveout);
        float Time = milliseconds(
            Reps, [&] { Kernel<<<SMs * Blocks, 256>>>(A, B, Columns, Y); });
        std::printf("rows,%d,%s,%s,%d,%d,%.4f\n", Carveout, nameOf(HintA),
                    nameOf(HintB), Blocks, Columns, Time);
      }
  };
#define ROWS(HintA, HintB)                                                     \
  Measure(rows<Hint::HintA, Hint::HintB>, Hint::HintA, Hint::HintB)
  ROWS(Plain, Plain);
  ROWS(EvictFirst, EvictFirst);
  ROWS(EvictLast, EvictLast);
  ROWS(NC, NC);
  ROWS(NoAllocate, NoAllocate);
  ROWS(EvictUnchanged, EvictUnchanged);
  ROWS(EvictLast, EvictFirst);
  ROWS(Plain, EvictFirst);
  ROWS(Plain, NoAllocate);
  ROWS(CS, CS);
#undef ROWS
}

} // namespace

int main(int ArgC, char **ArgV) {
  int SMs = printDevice();
  if (wanted(ArgC, ArgV, "again"))
    againSweep();
  if (wanted(ArgC, ArgV, "stream"))
    streamSweep();
  if (wanted(ArgC, ArgV, "thrash"))
    thrashSweep();
  if (wanted(ArgC, ArgV, "rows"))
    rowsSweep(SMs, bench::numberOption(ArgC, ArgV, "reps", 3));
}
