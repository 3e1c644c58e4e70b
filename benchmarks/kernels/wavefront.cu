// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores along rows, a row a thread, each cell from the cell before it and from
// two of the row above, which the thread above leaves in shared memory: warps
// contend for the L1, cannot take turns, since they wait for each other in each
// step, and share the on-chip memory with a ring of 7 KiB.
//
#include "common.h"
#include <algorithm>

#ifndef ROWS
#define ROWS bench::bySize(512, 40960, 132 * 6 * 256)
#endif
#ifndef COLUMNS
#define COLUMNS bench::bySize(32, 256, 512)
#endif

constexpr int Rows = ROWS;
constexpr int Columns = COLUMNS;
constexpr int BlockSize = 256;
constexpr int Steps = 7; ///< That the ring holds.
constexpr uint32_t SeedScore = 1;
static_assert(Rows % BlockSize == 0, "strips of whole blocks");

__host__ __device__ inline float cell(float Before, float Above, float Far,
                                      float Score) {
  float Best = Above > Far ? Above : Far;
  return 0.5f * (Before > Best ? Before : Best) + Score;
}

__global__ void wavefront(const float *BENCH_MAY_RESTRICT Score,
                          float *BENCH_MAY_RESTRICT Last) {
  __shared__ float Ring[Steps][BlockSize];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  for (int s = 0; s < Steps; ++s)
    Ring[s][t] = 0;
  __syncthreads();
  float Value = 0;
  for (int j = 0; j < Columns; ++j) {
    float Above = t > 0 ? Ring[(j + Steps - 1) % Steps][t - 1] : 0;
    float Far = t > 0 ? Ring[j % Steps][t - 1] : 0;
    Value = cell(Value, Above, Far, Score[i * Columns + j]);
    __syncthreads();
    Ring[j % Steps][t] = Value;
    __syncthreads();
  }
  Last[i] = Value;
}

int main() {
  bench::DeviceArray<float> Score(size_t(Rows) * Columns, SeedScore);
  bench::DeviceArray<float> Last(Rows);

  wavefront<<<Rows / BlockSize, BlockSize>>>(Score, Last);
  CUDA_CHECK(cudaGetLastError());

  // Row by row of a strip; the row above has all its cells.
  std::vector<float> Expected(Rows), Above(Columns), Row(Columns);
  for (size_t I = 0; I < Rows; ++I) {
    if (I % BlockSize == 0)
      std::fill(Above.begin(), Above.end(), 0.0f);
    float Value = 0;
    for (size_t J = 0; J < Columns; ++J) {
      Value = cell(Value, J >= 1 ? Above[J - 1] : 0,
                   J >= Steps ? Above[J - Steps] : 0,
                   bench::valueAt(SeedScore, I * Columns + J));
      Row[J] = Value;
    }
    Expected[I] = Value;
    Above.swap(Row);
  }
  bench::Program Program("wavefront");
  Program.check("last", Last, [&](size_t I, float Got) {
    return bench::isClose(Got, Expected[I]);
  });
  return Program.verdict();
}
