// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's gemm, C = alpha * A B + beta * C, one element of C per thread in
// blocks of 32 x 8, untiled. Every load is coalesced or one word for the warp:
// insensitive to the L1's size, so Sluice should leave it alone.
//
#include "common.h"

#ifndef SIZE
#define SIZE bench::bySize(64, 512, 2048)
#endif

constexpr int Size = SIZE;
constexpr float Alpha = 1.5f;
constexpr float Beta = 0.75f;
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedB = 2;
constexpr uint32_t SeedC = 3;
static_assert(Size % 32 == 0, "whole blocks");

__global__ void gemm(const float *BENCH_MAY_RESTRICT A,
                     const float *BENCH_MAY_RESTRICT B,
                     float *BENCH_MAY_RESTRICT C) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Size && j < Size) {
    C[i * Size + j] *= Beta;
    for (int k = 0; k < Size; ++k)
      C[i * Size + j] += Alpha * A[i * Size + k] * B[k * Size + j];
  }
}

int main() {
  constexpr size_t Elements = size_t(Size) * Size;
  bench::DeviceArray<float> A(Elements, SeedA), B(Elements, SeedB),
      C(Elements, SeedC);

  gemm<<<dim3(Size / 32, Size / 8), dim3(32, 8)>>>(A, B, C);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("gemm");
  Program.check("C", C, [](size_t Element, float Got) {
    size_t I = Element / Size, J = Element % Size;
    double Sum = Beta * bench::valueAt(SeedC, Element);
    for (size_t K = 0; K < Size; ++K)
      Sum += double(Alpha) * bench::valueAt(SeedA, I * Size + K) *
             bench::valueAt(SeedB, K * Size + J);
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
