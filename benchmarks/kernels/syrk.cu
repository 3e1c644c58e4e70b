// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's syrk, C = alpha * A A^T + beta * C, one element of C per thread
// in blocks of 32 x 8. A warp's threads differ in j only, so A[i][k] is one
// word for the warp and A[j][k] a line per thread, which the warps of a block
// share: 32 lines fetched at once, few of them new.
//
#include "common.h"

#ifndef SIZE
#define SIZE bench::bySize(64, 1024, 2048)
#endif

constexpr int Size = SIZE;
constexpr float Alpha = 1.5f;
constexpr float Beta = 0.75f;
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedC = 2;
static_assert(Size % 32 == 0, "whole blocks");

__global__ void syrk(const float *BENCH_MAY_RESTRICT A,
                     float *BENCH_MAY_RESTRICT C) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Size && j < Size) {
    C[i * Size + j] *= Beta;
    for (int k = 0; k < Size; ++k)
      C[i * Size + j] += Alpha * A[i * Size + k] * A[j * Size + k];
  }
}

int main() {
  constexpr size_t Elements = size_t(Size) * Size;
  bench::DeviceArray<float> A(Elements, SeedA), C(Elements, SeedC);

  syrk<<<dim3(Size / 32, Size / 8), dim3(32, 8)>>>(A, C);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("syrk");
  Program.check("C", C, [](size_t Element, float Got) {
    size_t I = Element / Size, J = Element % Size;
    double Sum = Beta * bench::valueAt(SeedC, Element);
    for (size_t K = 0; K < Size; ++K)
      Sum += double(Alpha) * bench::valueAt(SeedA, I * Size + K) *
             bench::valueAt(SeedA, J * Size + K);
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
