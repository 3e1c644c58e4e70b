// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an L1 keeps: how many lines, in which sets, and which line it gives up.
//
// One warp loads lines in an order that the host chose, one request at a time,
// and a bit for each says whether it was fast, so hit the L1. With one lane a
// request is one sector; with 32 it is a whole line.
//
//   capacity   n lines, walked four times: hits in the last walk
//   stride     n lines that are 128 B * 2^k apart, walked six times: whether
//              some bits of the address alone choose the set
//   conflicts  n lines at random places of 2 MiB, walked twice: which miss in
//              the second walk, long before the L1 is full, share a set
//   scattered  the same for 512 MiB
//   intruder   as many lines as fit, one more from elsewhere, and which of the
//              first are missing then (walked in the same order)
//   policy     n lines, more than fit: hits of each walk
//              cyclic    0, 1, ... n - 1, again and again
//              shuffled  the same, in another order, the same in each walk
//              random    each time any of the n
//
//   associativity [--only=SWEEP] [--bits=FILE]
//
// FILE gets every access, for simulate_l1.py: for each setting 9 words of 32
// bits (a magic number, the sweep, carveout, lanes, n, seed, the buffer's
// address / 128, the trace's length, the accesses), the trace's line numbers,
// and a bit for each access.
//
// All is measured with blocks of at most one warp, of which 32 fit an SM, so
// the carveouts of 0, 50 and 100 % are 32, 132 and 228 KiB: the driver reserves
// 1 KiB a block.
//
#include "probe.h"
#include <random>

using bench::DeviceArray;
using namespace probe;

namespace {
constexpr int MaxTrace = 16000;
__constant__ uint32_t Trace[MaxTrace];
} // namespace

/// Accesses lines Trace[0 .. Length - 1], over and over. Bit I of Hits says
/// whether access I was fast.
__global__ void walk(const uint32_t *Base, int Length, int Accesses,
                     uint32_t *Hits) {
  uint32_t Bits = 0;
  for (int I = 0, At = 0; I < Accesses; ++I) {
    const uint32_t *P = Base + size_t(Trace[At]) * WordsPerLine + threadIdx.x;
    Bits |= (timedLoad<Hint::Plain>(P) < HitBelow ? 1u : 0u) << (I & 31);
    if ((I & 31) == 31 || I == Accesses - 1) {
      if (threadIdx.x == 0)
        report(Hits + I / 32, Bits);
      Bits = 0;
    }
    if (++At == Length)
      At = 0;
  }
}

namespace {

enum Sweep { Capacity, Stride, Scattered, Intruder, Policy, Conflicts };

class Walker {
public:
  explicit Walker(const char *BitsFile)
      : Buffer((size_t(512) << 20) / 4), Hits(4096),
        File(*BitsFile ? std::fopen(BitsFile, "wb") : nullptr) {}
  ~Walker() {
    if (File)
      std::fclose(File);
  }

  /// Whether each of the accesses hit.
  std::vector<bool> walkTrace(Sweep Kind, int Carveout, int Lanes, int N,
                              int Seed, const std::vector<uint32_t> &Lines,
                              int Accesses) {
    CUDA_CHECK(cudaMemcpyToSymbol(Trace, Lines.data(), Lines.size() * 4));
    Hits.clear();
    setCarveout(walk, Carveout);
    int Length = static_cast<int>(Lines.size());
    walk<<<1, Lanes>>>(Buffer, Length, Accesses, Hits);
    finish();
    std::vector<uint32_t> Bits = Hits.toHost();
    Bits.resize((Accesses + 31) / 32);
    if (File) {
      auto Base = reinterpret_cast<uint64_t>(static_cast<uint32_t *>(Buffer));
      uint32_t Head[9] = {0x32314c53u,
                          uint32_t(Kind),
                          uint32_t(Carveout),
                          uint32_t(Lanes),
                          uint32_t(N),
                          uint32_t(Seed),
                          uint32_t(Base / LineBytes),
                          uint32_t(Length),
                          uint32_t(Accesses)};
      std::fwrite(Head, 4, 9, File);
      std::fwrite(Lines.data(), 4, Lines.size(), File);
      std::fwrite(Bits.data(), 4, Bits.size(), File);
    }
    std::vector<bool> Result(Accesses);
    for (int I = 0; I < Accesses; ++I)
      Result[I] = Bits[I / 32] >> (I & 31) & 1;
    return Result;
  }

private:
  DeviceArray<uint32_t> Buffer, Hits;
  std::FILE *File;
};

int count(const std::vector<bool> &Hits, int From, int To) {
  return static_cast<int>(
      std::count(Hits.begin() + From, Hits.begin() + To, true));
}

std::vector<uint32_t> linesApart(int N, uint32_t Apart) {
  std::vector<uint32_t> Lines(N);
  for (int I = 0; I < N; ++I)
    Lines[I] = I * Apart;
  return Lines;
}

constexpr int Carveouts[] = {0, 50, 100};

/// The most neighbouring lines that all hit, by a bisection.
int linesThatFit(Walker &W, int Carveout) {
  int Fits = 64, Not = 2112;
  while (Not - Fits > 1) {
    int N = (Fits + Not) / 2;
    auto Hits =
        W.walkTrace(Capacity, Carveout, 1, N, 1, linesApart(N, 1), 3 * N);
    (count(Hits, 2 * N, 3 * N) == N ? Fits : Not) = N;
  }
  return Fits;
}

void capacitySweep(Walker &W) {
  std::printf("\ncapacity,carveout_percent,lanes,lines,hits_in_last_walk\n");
  for (int Carveout : Carveouts)
    for (int Lanes : {1, 32}) {
      int Fits = linesThatFit(W, Carveout);
      std::vector<int> Sizes;
      for (int N = Fits - 24; N <= Fits + 40;
           N += N < Fits - 4 || N > Fits + 12 ? 4 : 1)
        Sizes.push_back(N);
      for (int Percent = 105; Percent <= 200; Percent += 5)
        Sizes.push_back(Fits * Percent / 100);
      for (int N : Sizes) {
        auto Hits = W.walkTrace(Capacity, Carveout, Lanes, N, 0,
                                linesApart(N, 1), 4 * N);
        std::printf("capacity,%d,%d,%d,%d\n", Carveout, Lanes, N,
                    count(Hits, 3 * N, 4 * N));
      }
    }
}

void strideSweep(Walker &W) {
  std::printf("\nstride,carveout_percent,bytes_apart,lines,"
              "hits_in_last_walk\n");
  for (int Carveout : {0, 100})
    for (int Log = 0; Log <= 15; ++Log)
      for (int N :
           {1,  2,  3,  4,  5,   6,   7,   8,   10,  12,  16,   20,   24,  28,
            32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 1920}) {
        if (size_t(N) << Log > (512u << 20) / LineBytes)
          continue;
        auto Hits = W.walkTrace(Stride, Carveout, 1, N, Log,
                                linesApart(N, 1u << Log), 6 * N);
        std::printf("stride,%d,%d,%d,%d\n", Carveout, LineBytes << Log, N,
                    count(Hits, 5 * N, 6 * N));
      }
}

/// Lines from Bytes at random places, walked twice.
void scatteredSweep(Walker &W, Sweep Kind, const char *Name, size_t Bytes,
                    int Seeds) {
  std::printf("\n%s,carveout_percent,lines,seed,hits_in_second_walk\n", Name);
  for (int Carveout : Carveouts) {
    int Fits = linesThatFit(W, Carveout);
    for (int Percent : {12, 25, 37, 50, 62, 75, 87, 100, 125, 150, 200})
      for (int Seed = 0; Seed < Seeds; ++Seed) {
        int N = Fits * Percent / 100;
        std::mt19937 Random(Seed * 1000 + Percent);
        std::vector<uint32_t> Lines(N);
        for (uint32_t &Line : Lines)
          Line = Random() % (Bytes / LineBytes);
        auto Hits = W.walkTrace(Kind, Carveout, 1, N, Seed, Lines, 2 * N);
        std::printf("%s,%d,%d,%d,%d\n", Name, Carveout, N, Seed,
                    count(Hits, N, 2 * N));
      }
  }
}

void intruderSweep(Walker &W) {
  std::printf("\nintruder,carveout_percent,lines,intruder,missing,first_missing"
              "\n");
  for (int Carveout : {0, 100}) {
    int Fits = linesThatFit(W, Carveout);
    std::vector<uint32_t> Intruders;
    for (int I = 0; I < 16; ++I)
      Intruders.push_back(Fits + I);
    for (int Log = 12; Log <= 21; ++Log)
      Intruders.push_back(1u << Log);
    for (int Log = 12; Log <= 21; ++Log)
      Intruders.push_back((1u << Log) + 5);
    for (uint32_t Line : Intruders) {
      std::vector<uint32_t> Lines;
      for (int Walk = 0; Walk < 4; ++Walk) {
        if (Walk == 3)
          Lines.push_back(Line);
        for (int I = 0; I < Fits; ++I)
          Lines.push_back(I);
      }
      int Last = 3 * Fits + 1;
      auto Hits = W.walkTrace(Intruder, Carveout, 1, Fits, 0, Lines,
                              static_cast<int>(Lines.size()));
      std::printf("intruder,%d,%d,%u,%d,", Carveout, Fits, Line,
                  Fits - count(Hits, Last, Last + Fits));
      for (int I = 0, Shown = 0; I < Fits && Shown < 12; ++I)
        if (!Hits[Last + I]) {
          std::printf("%s%d", Shown ? " " : "", I);
          ++Shown;
        }
      std::printf("\n");
    }
  }
}

void policySweep(Walker &W) {
  std::printf("\npolicy,carveout_percent,lanes,order,lines_that_fit,lines,walk,"
              "accesses,hits\n");
  constexpr int Walks = 12;
  for (int Carveout : Carveouts) {
    int Fits = linesThatFit(W, Carveout);
    for (int Lanes : {1, 32})
      for (const char *Order : {"cyclic", "shuffled", "random"})
        for (int Percent : {102, 110, 125, 150, 200, 300}) {
          int N = Fits * Percent / 100;
          std::mt19937 Random(Percent);
          std::vector<uint32_t> Lines = linesApart(N, 1);
          int Seed = 0;
          if (*Order == 's') {
            std::shuffle(Lines.begin(), Lines.end(), Random);
            Seed = 1;
          } else if (*Order == 'r') {
            Lines.resize(MaxTrace);
            for (uint32_t &Line : Lines)
              Line = Random() % N;
            Seed = 2;
          }
          // The bits of 4,096 words are the most accesses there can be.
          auto Hits = W.walkTrace(Policy, Carveout, Lanes, N, Seed, Lines,
                                  std::min(Walks * N, 4096 * 32));
          for (int Walk = 0; Walk < Walks; ++Walk)
            std::printf("policy,%d,%d,%s,%d,%d,%d,%d,%d\n", Carveout, Lanes,
                        Order, Fits, N, Walk, N,
                        count(Hits, Walk * N, Walk * N + N));
        }
  }
}

} // namespace

int main(int ArgC, char **ArgV) {
  printDevice();
  Walker W(bench::option(ArgC, ArgV, "bits", ""));
  if (wanted(ArgC, ArgV, "capacity"))
    capacitySweep(W);
  if (wanted(ArgC, ArgV, "stride"))
    strideSweep(W);
  if (wanted(ArgC, ArgV, "conflicts"))
    scatteredSweep(W, Conflicts, "conflicts", 2 << 20, 10);
  if (wanted(ArgC, ArgV, "scattered"))
    scatteredSweep(W, Scattered, "scattered", size_t(512) << 20, 3);
  if (wanted(ArgC, ArgV, "intruder"))
    intruderSweep(W);
  if (wanted(ArgC, ArgV, "policy"))
    policySweep(W);
}
