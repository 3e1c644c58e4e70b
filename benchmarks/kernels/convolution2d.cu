// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's 2dconv, a 3 x 3 convolution, one element per thread in blocks of
// 32 x 8. Every load is coalesced, and neighbours' loads meet in the L1: the
// memory's bandwidth limits it.
//
#include "common.h"

constexpr int Rows = bench::bySize(160, 4096, 8192);
constexpr int Columns = bench::bySize(192, 4096, 8192);
constexpr uint32_t SeedA = 1;
static_assert(Rows % 8 == 0 && Columns % 32 == 0, "whole blocks");

__global__ void convolution2d(const float *BENCH_MAY_RESTRICT A,
                              float *BENCH_MAY_RESTRICT B) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < Rows - 1 && j < Columns - 1)
    B[i * Columns + j] =
        0.1f * A[(i - 1) * Columns + (j - 1)] +
        0.2f * A[(i - 1) * Columns + j] +
        0.3f * A[(i - 1) * Columns + (j + 1)] +
        0.4f * A[i * Columns + (j - 1)] + 0.5f * A[i * Columns + j] +
        0.6f * A[i * Columns + (j + 1)] +
        0.7f * A[(i + 1) * Columns + (j - 1)] +
        0.8f * A[(i + 1) * Columns + j] + 0.9f * A[(i + 1) * Columns + (j + 1)];
}

int main() {
  constexpr size_t Elements = size_t(Rows) * Columns;
  bench::DeviceArray<float> A(Elements, SeedA), B(Elements);

  convolution2d<<<dim3(Columns / 32, Rows / 8), dim3(32, 8)>>>(A, B);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("convolution2d");
  Program.check("B", B, [](size_t Element, float Got) {
    int I = Element / Columns, J = Element % Columns;
    if (I == 0 || J == 0 || I == Rows - 1 || J == Columns - 1)
      return Got == 0;
    double Sum = 0, Weight = 0;
    for (int Row = I - 1; Row <= I + 1; ++Row)
      for (int Column = J - 1; Column <= J + 1; ++Column)
        Sum += (Weight += 0.1) *
               bench::valueAt(SeedA, size_t(Row) * Columns + Column);
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
