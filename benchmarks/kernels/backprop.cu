// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's backprop, a layer of a neural network with 16 hidden units. A block
// of 16 x 16 threads has 16 inputs, one thread per weight: the forward kernel
// multiplies and adds them up in shared memory, the other one adjusts each
// weight. Both stream through the weights once: limited by memory.
//
#include "common.h"

// The grid is one block wide, as in Rodinia; 65535 blocks high is the most.
constexpr int Inputs = bench::bySize(1024, 65536, 16 * 65535);
constexpr int Hidden = 16;
constexpr int Height = 16;
constexpr int Width = 16;
constexpr float Eta = 0.3f;
constexpr float Momentum = 0.3f;
constexpr uint32_t SeedInput = 1;
constexpr uint32_t SeedWeight = 2;
constexpr uint32_t SeedOld = 3;
constexpr uint32_t SeedDelta = 4;

// Row and column 0 of the weights are the bias.
__global__ void layer_forward(const float *BENCH_MAY_RESTRICT input,
                              float *BENCH_MAY_RESTRICT weights,
                              float *BENCH_MAY_RESTRICT partial_sums,
                              int hidden) {
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int index =
      (hidden + 1) * Height * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
  int index_in = Height * by + ty + 1;

  __shared__ float node[Height];
  __shared__ float matrix[Height][Width];

  if (tx == 0)
    node[ty] = input[index_in];
  __syncthreads();
  matrix[ty][tx] = weights[index];
  __syncthreads();
  matrix[ty][tx] = matrix[ty][tx] * node[ty];
  __syncthreads();

  for (int power = 2; power <= Height; power *= 2) {
    if (ty % power == 0)
      matrix[ty][tx] = matrix[ty][tx] + matrix[ty + power / 2][tx];
    __syncthreads();
  }

  weights[index] = matrix[ty][tx];
  __syncthreads();
  if (tx == 0)
    partial_sums[by * hidden + ty] = matrix[tx][ty];
}

__global__ void adjust_weights(const float *BENCH_MAY_RESTRICT delta,
                               int hidden,
                               const float *BENCH_MAY_RESTRICT input,
                               float *BENCH_MAY_RESTRICT weights,
                               float *BENCH_MAY_RESTRICT old_changes) {
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int index =
      (hidden + 1) * Height * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
  int index_y = Height * by + ty + 1;
  int index_x = tx + 1;

  weights[index] +=
      Eta * delta[index_x] * input[index_y] + Momentum * old_changes[index];
  old_changes[index] =
      Eta * delta[index_x] * input[index_y] + Momentum * old_changes[index];
  __syncthreads();

  if (ty == 0 && by == 0) {
    weights[index_x] += Eta * delta[index_x] + Momentum * old_changes[index_x];
    old_changes[index_x] =
        Eta * delta[index_x] + Momentum * old_changes[index_x];
  }
}

int main() {
  constexpr size_t WeightCount = size_t(Inputs + 1) * (Hidden + 1);
  bench::DeviceArray<float> Input(Inputs + 1, SeedInput);
  bench::DeviceArray<float> Weights(WeightCount, SeedWeight);
  bench::DeviceArray<float> OldChanges(WeightCount, SeedOld);
  bench::DeviceArray<float> Delta(Hidden + 1, SeedDelta);
  constexpr int Blocks = Inputs / Height;
  bench::DeviceArray<float> PartialSums(size_t(Blocks) * Hidden);
  bench::Program Program("backprop");

  const dim3 Grid(1, Blocks), Block(Width, Height);
  layer_forward<<<Grid, Block>>>(Input, Weights, PartialSums, Hidden);
  CUDA_CHECK(cudaGetLastError());

  Program.check("partial sums", PartialSums, [](size_t I, float Got) {
    size_t First = I / Hidden * Height + 1, Unit = I % Hidden + 1;
    double Sum = 0;
    for (size_t Row = First; Row < First + Height; ++Row)
      Sum += double(bench::valueAt(SeedInput, Row)) *
             bench::valueAt(SeedWeight, Row * (Hidden + 1) + Unit);
    return bench::isClose(Got, Sum);
  });

  // The forward kernel leaves its sums in the weights; the other one starts
  // from fresh ones.
  Weights.fill(SeedWeight);
  adjust_weights<<<Grid, Block>>>(Delta, Hidden, Input, Weights, OldChanges);
  CUDA_CHECK(cudaGetLastError());

  auto change = [](size_t I) -> double {
    size_t Row = I / (Hidden + 1), Unit = I % (Hidden + 1);
    double Old = bench::valueAt(SeedOld, I);
    if (Unit == 0)
      return Old;
    double In = Row == 0 ? 1 : bench::valueAt(SeedInput, Row);
    return Eta * double(bench::valueAt(SeedDelta, Unit)) * In + Momentum * Old;
  };
  Program.check("changes", OldChanges, [&](size_t I, float Got) {
    return bench::isClose(Got, change(I));
  });
  Program.check("weights", Weights, [&](size_t I, float Got) {
    double Before = bench::valueAt(SeedWeight, I);
    return bench::isClose(Got,
                          I % (Hidden + 1) == 0 ? Before : Before + change(I));
  });
  return Program.verdict();
}
