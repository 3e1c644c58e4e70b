// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's 3mm, E = A B, F = C D and G = E F, an untiled product each: one
// element per thread in blocks of 32 x 8. Every load is coalesced or one word
// for the warp, so arithmetic and the L1's bandwidth limit it, not its size.
//
#include "common.h"

constexpr int Size = bench::bySize(64, 512, 2048);
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedB = 2;
constexpr uint32_t SeedC = 3;
constexpr uint32_t SeedD = 4;
static_assert(Size % 32 == 0, "whole blocks");

__global__ void mm3First(const float *BENCH_MAY_RESTRICT A,
                         const float *BENCH_MAY_RESTRICT B,
                         float *BENCH_MAY_RESTRICT E) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Size && j < Size)
    for (int k = 0; k < Size; ++k)
      E[i * Size + j] += A[i * Size + k] * B[k * Size + j];
}

__global__ void mm3Second(const float *BENCH_MAY_RESTRICT C,
                          const float *BENCH_MAY_RESTRICT D,
                          float *BENCH_MAY_RESTRICT F) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Size && j < Size)
    for (int k = 0; k < Size; ++k)
      F[i * Size + j] += C[i * Size + k] * D[k * Size + j];
}

__global__ void mm3Third(const float *BENCH_MAY_RESTRICT E,
                         const float *BENCH_MAY_RESTRICT F,
                         float *BENCH_MAY_RESTRICT G) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Size && j < Size)
    for (int k = 0; k < Size; ++k)
      G[i * Size + j] += E[i * Size + k] * F[k * Size + j];
}

/// An element of Left * Right, which are functions of the index.
template <typename LeftT, typename RightT>
static double product(size_t Element, LeftT Left, RightT Right) {
  size_t I = Element / Size, J = Element % Size;
  double Sum = 0;
  for (size_t K = 0; K < Size; ++K)
    Sum += double(Left(I * Size + K)) * Right(K * Size + J);
  return Sum;
}

int main() {
  constexpr size_t Elements = size_t(Size) * Size;
  const dim3 Grid(Size / 32, Size / 8), Block(32, 8);
  bench::DeviceArray<float> A(Elements, SeedA), B(Elements, SeedB);
  bench::DeviceArray<float> C(Elements, SeedC), D(Elements, SeedD);
  bench::DeviceArray<float> E(Elements), F(Elements), G(Elements);

  mm3First<<<Grid, Block>>>(A, B, E);
  CUDA_CHECK(cudaGetLastError());
  mm3Second<<<Grid, Block>>>(C, D, F);
  CUDA_CHECK(cudaGetLastError());
  mm3Third<<<Grid, Block>>>(E, F, G);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("mm3");
  auto Input = [](uint32_t Seed) {
    return [Seed](size_t Element) { return bench::valueAt(Seed, Element); };
  };
  Program.check("E", E, [&](size_t Element, float Got) {
    return bench::isClose(Got, product(Element, Input(SeedA), Input(SeedB)));
  });
  Program.check("F", F, [&](size_t Element, float Got) {
    return bench::isClose(Got, product(Element, Input(SeedC), Input(SeedD)));
  });

  std::vector<float> HostE = E.toHost(), HostF = F.toHost();
  Program.check("G", G, [&](size_t Element, float Got) {
    double Sum = product(
        Element, [&](size_t At) { return HostE[At]; },
        [&](size_t At) { return HostF[At]; });
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
