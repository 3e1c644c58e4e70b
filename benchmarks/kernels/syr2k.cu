// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's syr2k, C = alpha * (A B^T + B A^T) + beta * C, one element of C
// per thread in blocks of 32 x 8. A warp's threads differ in j only, so
// A[i][k] and B[i][k] are one word for the warp, A[j][k] and B[j][k] a line per
// thread; but the warps of a block share those lines.
//
#include "common.h"

#ifndef SIZE
#define SIZE bench::bySize(64, 2048, 2048)
#endif

constexpr int Size = SIZE;
constexpr float Alpha = 1.5f;
constexpr float Beta = 0.75f;
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedB = 2;
constexpr uint32_t SeedC = 3;
static_assert(Size % 32 == 0, "whole blocks");

__global__ void syr2k(const float *BENCH_MAY_RESTRICT A,
                      const float *BENCH_MAY_RESTRICT B,
                      float *BENCH_MAY_RESTRICT C) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Size && j < Size) {
    C[i * Size + j] *= Beta;
    for (int k = 0; k < Size; ++k)
      C[i * Size + j] += Alpha * A[i * Size + k] * B[j * Size + k] +
                         Alpha * B[i * Size + k] * A[j * Size + k];
  }
}

int main() {
  constexpr size_t Elements = size_t(Size) * Size;
  bench::DeviceArray<float> A(Elements, SeedA), B(Elements, SeedB),
      C(Elements, SeedC);

  syr2k<<<dim3(Size / 32, Size / 8), dim3(32, 8)>>>(A, B, C);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("syr2k");
  Program.check("C", C, [](size_t Element, float Got) {
    size_t I = Element / Size, J = Element % Size;
    double Sum = Beta * bench::valueAt(SeedC, Element);
    for (size_t K = 0; K < Size; ++K)
      Sum += double(Alpha) * bench::valueAt(SeedA, I * Size + K) *
                 bench::valueAt(SeedB, J * Size + K) +
             double(Alpha) * bench::valueAt(SeedB, I * Size + K) *
                 bench::valueAt(SeedA, J * Size + K);
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
