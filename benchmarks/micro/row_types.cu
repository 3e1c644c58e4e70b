// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When do turns pay for loops that only read, by the type of their elements?
// throttle_threshold.cu has floats; here a thread reads its row of one to three
// arrays of bytes, halves, floats or doubles, each row 2 KiB long, and
//
//   sum      adds up
//   most     keeps the largest
//   strided  adds up every second element, for thresholds that are held back
//   sum8, sum16  add up, with 8 and 16 iterations unrolled by the source
//
// The sectors of a line that come one by one are read from DRAM again if the L2
// has lost them by then, also where each is fetched into the L1 once: that is
// so for doubles, four of which clang loads together.
//
//   row_types [--reps=5]
//
// Prints CSV: loop,type,arrays,blocks_per_sm,footprint_over_l1,n,ms,speedup.
// Results that differ between two N end the run with status 1.
//
#include "probe.h"

using bench::DeviceArray;

namespace {

constexpr int BlockSize = 256;
constexpr int WarpsPerBlock = BlockSize / probe::WarpSize;
constexpr int MaxBlocksPerSM = 2048 / BlockSize;
constexpr int RowBytes = 2048;
constexpr double L1Bytes = 224 * 1024; // as in throttle_threshold.cu

enum class Loop { Sum, Most, Strided, Sum8, Sum16 };

template <typename T> struct Rows {
  const T *A, *B, *C;
};

/// Two bytes of IEEE's half precision, taken for an integer: what is loaded is
/// as wide, and no conversion comes between.
using Half = short;

template <Loop L, typename T, typename SumT>
__device__ void take(SumT &Sum, T Value) {
  if constexpr (L == Loop::Most)
    Sum = SumT(Value) > Sum ? SumT(Value) : Sum;
  else
    Sum += SumT(Value);
}

} // namespace

template <Loop L, typename T, typename SumT, int Arrays, int N>
__global__ void __launch_bounds__(BlockSize, MaxBlocksPerSM)
    walkRows(Rows<T> In, SumT *Out) {
  constexpr int Columns = RowBytes / int(sizeof(T));
  constexpr int Step = L == Loop::Strided ? 2 : 1;
  constexpr unsigned WarpsPerGroup = (WarpsPerBlock + N - 1) / N;
  const size_t Row = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  SumT SumA = 0, SumB = 0, SumC = 0;
#pragma unroll 1
  for (unsigned Turn = 0; Turn < N; ++Turn) {
    auto Take = [&](int J) {
      take<L>(SumA, In.A[Row * Columns + J]);
      if constexpr (Arrays > 1)
        take<L>(SumB, In.B[Row * Columns + J]);
      if constexpr (Arrays > 2)
        take<L>(SumC, In.C[Row * Columns + J]);
    };
    if (threadIdx.x / probe::WarpSize / WarpsPerGroup == Turn) {
      if constexpr (L == Loop::Sum8) {
#pragma unroll 8
        for (int J = 0; J < Columns; ++J)
          Take(J);
      } else if constexpr (L == Loop::Sum16) {
#pragma unroll 16
        for (int J = 0; J < Columns; ++J)
          Take(J);
      } else {
        for (int J = 0; J < Columns; J += Step)
          Take(J);
      }
    }
    if constexpr (N > 1)
      __syncthreads();
  }
  Out[Row] = SumA + SumB + SumC;
}

namespace {

class Sweep {
public:
  Sweep(int SMs, int Reps)
      : SMs(SMs), Reps(Reps), A(words(), 1), B(words(), 2), C(words(), 3),
        Out(rows()) {}

  template <Loop L, typename T, typename SumT>
  void run(const char *LoopName, const char *Type) {
    arrays<L, T, SumT, 1>(LoopName, Type);
    arrays<L, T, SumT, 2>(LoopName, Type);
    arrays<L, T, SumT, 3>(LoopName, Type);
  }
  bool resultsAgree() const { return Agree; }

private:
  size_t rows() const { return size_t(SMs) * MaxBlocksPerSM * BlockSize; }
  size_t words() const { return rows() * RowBytes / sizeof(uint32_t); }

  template <Loop L, typename T, typename SumT, int Arrays>
  void arrays(const char *LoopName, const char *Type) {
    for (int Blocks = 2; Blocks <= MaxBlocksPerSM; ++Blocks) {
      char Setting[128];
      double Lines = double(Arrays) * BlockSize * Blocks;
      std::snprintf(Setting, sizeof Setting, "%s,%s,%d,%d,%.3f", LoopName, Type,
                    Arrays, Blocks, Lines * probe::LineBytes / L1Bytes);
      time(Setting, Blocks, walkRows<L, T, SumT, Arrays, 1>, 1);
      time(Setting, Blocks, walkRows<L, T, SumT, Arrays, 2>, 2);
      time(Setting, Blocks, walkRows<L, T, SumT, Arrays, 4>, 4);
      time(Setting, Blocks, walkRows<L, T, SumT, Arrays, 8>, 8);
    }
  }

  template <typename T, typename SumT>
  void time(const char *Setting, int Blocks, void (*Kernel)(Rows<T>, SumT *),
            int N) {
    auto Typed = [](DeviceArray<uint32_t> &Words) {
      return reinterpret_cast<const T *>(static_cast<uint32_t *>(Words));
    };
    Rows<T> In{Typed(A), Typed(B), Typed(C)};
    auto *Sums = reinterpret_cast<SumT *>(static_cast<double *>(Out));
    Out.clear();
    float Time = probe::milliseconds(
        Reps, [&] { Kernel<<<SMs * Blocks, BlockSize>>>(In, Sums); });
    const uint64_t Hash = probe::hashOf<uint64_t>(Out.toHost());
    if (N == 1) {
      PlainTime = Time;
      PlainHash = Hash;
    }
    Agree &= Hash == PlainHash;
    std::printf("%s,%d,%.5f,%.3f\n", Setting, N, Time, PlainTime / Time);
    std::fflush(stdout);
  }

  int SMs, Reps;
  DeviceArray<uint32_t> A, B, C;
  DeviceArray<double> Out;
  bool Agree = true;
  float PlainTime = 0;
  uint64_t PlainHash = 0;
};

} // namespace

int main(int ArgC, char **ArgV) {
  int SMs = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&SMs, cudaDevAttrMultiProcessorCount, 0));
  Sweep S(SMs, bench::numberOption(ArgC, ArgV, "reps", 5));
  std::printf("loop,type,arrays,blocks_per_sm,footprint_over_l1,n,ms,"
              "speedup\n");
  S.run<Loop::Sum, signed char, int>("sum", "byte");
  S.run<Loop::Sum, Half, int>("sum", "half");
  S.run<Loop::Sum, float, float>("sum", "float");
  S.run<Loop::Sum, double, double>("sum", "double");
  S.run<Loop::Most, int, int>("most", "int");
  S.run<Loop::Most, long long, long long>("most", "long");
  S.run<Loop::Strided, float, float>("strided", "float");
  S.run<Loop::Strided, double, double>("strided", "double");
  S.run<Loop::Sum8, float, float>("sum8", "float");
  S.run<Loop::Sum16, float, float>("sum16", "float");
  return S.resultsAgree() ? 0 : 1;
}
