// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stores send to the L2, and what they leave in the L1.
//
//   traffic  1,024 lines a launch: ncu's counters say how many sectors and
//            requests reach the L2. Run under ncu -k regex:storeTo (the metrics
//            are in the results' README); alone it prints the cycles.
//   hit      a warp stores, another one of the same block loads: cycles of each
//            load, and whether they are an L1 hit's
//
//   stores [--only=SWEEP]
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

namespace {

enum Mode {
  Byte,        // one byte of each line
  Word,        // one word of each line
  Sector,      // a line's first eight words, by eight lanes of one request
  Line,        // a line's 32 words, by one request
  WordEight,   // one word of each line eight times
  WordsInTurn, // the eight words of a line's first sector, one request each
  LineInTurn,  // the 32 words of a line, one request each (a row a thread)
  AfterLoad,   // loads the first sector of each line, then stores a word of it
};

constexpr const char *Names[] = {"byte",
                                 "word",
                                 "sector",
                                 "line",
                                 "word_8_times",
                                 "8_words_in_turn",
                                 "32_words_in_turn",
                                 "word_after_load"};

constexpr int Lines = 1024;

__device__ void store(uint32_t *P, uint32_t Value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(P), "r"(Value) : "memory");
}

} // namespace

/// One block of 1,024 threads. A thread a line, but in Sector and Line.
template <Mode M>
__global__ void __launch_bounds__(1024)
    storeTo(uint32_t *Buffer, uint64_t *Cycles) {
  uint32_t *Own = Buffer + threadIdx.x * WordsPerLine;
  int Warp = threadIdx.x / WarpSize, Lane = threadIdx.x % WarpSize;
  if (M == AfterLoad)
    waitFor(load<Hint::Plain>(Own));
  __syncthreads();
  long long Begin = clock64();
  if (M == Byte)
    asm volatile("st.global.u8 [%0], %1;" ::"l"(Own), "h"(short(1)) : "memory");
  if (M == Word || M == AfterLoad)
    store(Own, 1);
  if (M == Sector || M == Line)
    for (int L = Warp; L < Lines; L += blockDim.x / WarpSize)
      if (M == Line || Lane < 8)
        store(Buffer + L * WordsPerLine + Lane, Lane);
  if (M == WordEight)
    for (int I = 0; I < 8; ++I) // volatile: ptxas drops all but the last else
      asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(Own), "r"(I)
                   : "memory");
  if (M == WordsInTurn)
    for (int I = 0; I < 8; ++I)
      store(Own + I, I);
  if (M == LineInTurn)
    for (int I = 0; I < 32; ++I)
      store(Own + I, I);
  __syncthreads();
  if (threadIdx.x == 0)
    Cycles[0] = clock64() - Begin;
}

/// Warp 0 stores Words words from the start of each line; then warp 1 loads
/// word Word. Counts the fast loads.
__global__ void storeThenLoad(uint32_t *Buffer, bool LoadBefore, int Words,
                              int Word, uint32_t *Hits, uint32_t *Cycles) {
  int Warp = threadIdx.x / WarpSize, Lane = threadIdx.x % WarpSize;
  uint32_t Fast = 0, Sum = 0;
  for (int L = 0; L < Lines; ++L) {
    uint32_t *P = Buffer + L * WordsPerLine;
    if (LoadBefore && Warp == 1)
      waitFor(load<Hint::Plain>(P));
    settle();
    if (Warp == 0 && Lane < Words)
      store(P + Lane, Lane);
    settle();
    if (Warp == 1 && Lane == 0) {
      uint32_t Time = timedLoad<Hint::Plain>(P + Word);
      Fast += Time < HitBelow;
      Sum += Time;
    }
  }
  if (Warp == 1 && Lane == 0) {
    report(Hits, Fast);
    report(Cycles, Sum / Lines);
  }
}

namespace {

template <Mode M> void traffic(DeviceArray<uint32_t> &Buffer) {
  DeviceArray<uint64_t> Cycles(1);
  storeTo<M><<<1, 1024>>>(Buffer, Cycles);
  finish();
  std::printf("traffic,%s,%d,%llu\n", Names[M], Lines,
              static_cast<unsigned long long>(Cycles.toHost()[0]));
}

} // namespace

int main(int ArgC, char **ArgV) {
  printDevice();
  DeviceArray<uint32_t> Buffer(Lines * WordsPerLine);
  if (wanted(ArgC, ArgV, "traffic")) {
    std::printf("\ntraffic,stores,lines,cycles\n");
    traffic<Byte>(Buffer);
    traffic<Word>(Buffer);
    traffic<Sector>(Buffer);
    traffic<Line>(Buffer);
    traffic<WordEight>(Buffer);
    traffic<WordsInTurn>(Buffer);
    traffic<LineInTurn>(Buffer);
    traffic<AfterLoad>(Buffer);
  }
  if (wanted(ArgC, ArgV, "hit")) {
    std::printf("\nhit,loaded_before,words_stored,word_loaded,lines,hits,"
                "cycles\n");
    DeviceArray<uint32_t> Hits(1), Cycles(1);
    for (bool Before : {false, true})
      for (auto [Words, Word] : {std::pair(1, 0),
                                 {1, 1},
                                 {7, 0},
                                 {8, 0},
                                 {8, 7},
                                 {8, 8},
                                 {32, 31}}) {
        Hits.clear();
        Cycles.clear();
        storeThenLoad<<<1, 64>>>(Buffer, Before, Words, Word, Hits, Cycles);
        finish();
        std::printf("hit,%d,%d,%d,%d,%u,%u\n", Before, Words, Word, Lines,
                    Hits.toHost()[0], Cycles.toHost()[0]);
      }
  }
}
