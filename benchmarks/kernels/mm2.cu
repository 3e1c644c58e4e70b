// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's 2mm, C = A B and then E = C D, an untiled product each: one
// element per thread in blocks of 32 x 8. Every load is coalesced or one word
// for the warp, so arithmetic and the L1's bandwidth limit it, not its size.
//
#include "common.h"

#ifndef SIZE
#define SIZE bench::bySize(64, 1024, 2048)
#endif

constexpr int Size = SIZE;
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedB = 2;
constexpr uint32_t SeedD = 3;
static_assert(Size % 32 == 0, "whole blocks");

__global__ void mm2First(const float *BENCH_MAY_RESTRICT A,
                         const float *BENCH_MAY_RESTRICT B,
                         float *BENCH_MAY_RESTRICT C) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Size && j < Size)
    for (int k = 0; k < Size; ++k)
      C[i * Size + j] += A[i * Size + k] * B[k * Size + j];
}

__global__ void mm2Second(const float *BENCH_MAY_RESTRICT C,
                          const float *BENCH_MAY_RESTRICT D,
                          float *BENCH_MAY_RESTRICT E) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Size && j < Size)
    for (int k = 0; k < Size; ++k)
      E[i * Size + j] += C[i * Size + k] * D[k * Size + j];
}

int main() {
  constexpr size_t Elements = size_t(Size) * Size;
  const dim3 Grid(Size / 32, Size / 8), Block(32, 8);
  bench::DeviceArray<float> A(Elements, SeedA), B(Elements, SeedB);
  bench::DeviceArray<float> D(Elements, SeedD), C(Elements), E(Elements);

  mm2First<<<Grid, Block>>>(A, B, C);
  CUDA_CHECK(cudaGetLastError());
  mm2Second<<<Grid, Block>>>(C, D, E);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("mm2");
  Program.check("C", C, [](size_t Element, float Got) {
    size_t I = Element / Size, J = Element % Size;
    double Sum = 0;
    for (size_t K = 0; K < Size; ++K)
      Sum += double(bench::valueAt(SeedA, I * Size + K)) *
             bench::valueAt(SeedB, K * Size + J);
    return bench::isClose(Got, Sum);
  });

  std::vector<float> HostC = C.toHost();
  Program.check("E", E, [&](size_t Element, float Got) {
    size_t I = Element / Size, J = Element % Size;
    double Sum = 0;
    for (size_t K = 0; K < Size; ++K)
      Sum += double(HostC[I * Size + K]) * bench::valueAt(SeedD, K * Size + J);
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
