// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's 3dconv: eleven of the 27 elements around each are summed with
// weights, one plane a launch, one element of it per thread in blocks of
// 32 x 8. Every load is coalesced; the memory's bandwidth limits it.
//
#include "common.h"

constexpr int Planes = bench::bySize(6, 256, 8);
constexpr int Rows = bench::bySize(48, 256, 4096);
constexpr int Columns = bench::bySize(64, 256, 4096);
constexpr uint32_t SeedA = 1;
static_assert(Rows % 8 == 0 && Columns % 32 == 0, "whole blocks");

/// The place of an element in its array.
__host__ __device__ constexpr int at(int I, int J, int K) {
  return (I * Rows + J) * Columns + K;
}

__global__ void convolution3d(const float *BENCH_MAY_RESTRICT A,
                              float *BENCH_MAY_RESTRICT B, int i) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (j > 0 && k > 0 && j < Rows - 1 && k < Columns - 1)
    B[at(i, j, k)] =
        0.1f * A[at(i - 1, j - 1, k - 1)] + 0.2f * A[at(i + 1, j - 1, k - 1)] +
        0.3f * A[at(i, j - 1, k)] + 0.4f * A[at(i, j, k)] +
        0.5f * A[at(i, j + 1, k)] + 0.6f * A[at(i - 1, j - 1, k + 1)] +
        0.7f * A[at(i + 1, j - 1, k + 1)] + 0.8f * A[at(i - 1, j, k + 1)] +
        0.9f * A[at(i + 1, j, k + 1)] + 1.0f * A[at(i - 1, j + 1, k + 1)] +
        1.1f * A[at(i + 1, j + 1, k + 1)];
}

static bool isRight(size_t Element, float Got) {
  static const int Neighbours[][3] = {
      {-1, -1, -1}, {1, -1, -1}, {0, -1, 0}, {0, 0, 0},  {0, 1, 0}, {-1, -1, 1},
      {1, -1, 1},   {-1, 0, 1},  {1, 0, 1},  {-1, 1, 1}, {1, 1, 1}};
  int I = Element / (size_t(Rows) * Columns);
  int J = Element / Columns % Rows, K = Element % Columns;
  if (I == 0 || J == 0 || K == 0 || I == Planes - 1 || J == Rows - 1 ||
      K == Columns - 1)
    return Got == 0;
  double Sum = 0, Weight = 0;
  for (auto [DI, DJ, DK] : Neighbours)
    Sum += (Weight += 0.1) * bench::valueAt(SeedA, at(I + DI, J + DJ, K + DK));
  return bench::isClose(Got, Sum);
}

int main() {
  constexpr size_t Elements = size_t(Planes) * Rows * Columns;
  bench::DeviceArray<float> A(Elements, SeedA), B(Elements);

  for (int I = 1; I < Planes - 1; ++I)
    convolution3d<<<dim3(Columns / 32, Rows / 8), dim3(32, 8)>>>(A, B, I);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("convolution3d");
  std::vector<float> HostB = B.toHost();
  bool Right = true;
  for (size_t Sample = 0; Right && Sample < 1024; ++Sample) {
    size_t Element = Sample * 1000003 % Elements;
    Right = isRight(Element, HostB[Element]);
  }
  Program.check("B", Right);
  return Program.verdict();
}
