// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of the paper's Table 3 that no program of the suite has: what they read
// and write, to be planned for and never run. Rodinia's own text is another.
//
#include <cuda_runtime.h>

// KM#1: point-major features to feature-major ones.
constexpr int Features = 34;
__global__ void transposeFeatures(const float *in, float *out, int points) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point < points)
    for (int f = 0; f < Features; ++f)
      out[f * points + point] = in[point * Features + f];
}

// PF#1: each particle weighs the pixels of a disk around it. The paper has
// three blocks on an SM, so 33 to 40 registers.
constexpr int Pixels = 69; // (x, y) with x^2 + y^2 < 25
constexpr int BlockSize = 512;
__global__ void __launch_bounds__(BlockSize, 3)
    likelihoods(const double *x, const double *y, const int *disk,
                const unsigned char *video, int *index, double *likelihood,
                double *blockSums, int count, int frame) {
  __shared__ double sums[BlockSize];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = 0;
  if (i < count) {
    for (int j = 0; j < Pixels; ++j) {
      int column = int(rint(x[i])) + disk[2 * j + 1];
      int row = int(rint(y[i])) + disk[2 * j];
      index[i * Pixels + j] = (column * 128 + row) * 10 + frame;
    }
    double sum = 0;
    for (int j = 0; j < Pixels; ++j) {
      double dark = video[index[i * Pixels + j]] - 100.0;
      double bright = video[index[i * Pixels + j]] - 228.0;
      sum += (dark * dark - bright * bright) / 50;
    }
    likelihood[i] = sum / Pixels;
    sums[threadIdx.x] = exp(likelihood[i]);
  }
  __syncthreads();
  for (int half = BlockSize / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    blockSums[blockIdx.x] = sums[0];
}

// PF#2 and PF#3: one thread adds up.
__global__ void sumOfBlocks(double *blockSums, int blocks) {
  if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
    double sum = 0;
    for (int b = 0; b < blocks; ++b)
      sum += blockSums[b];
    blockSums[0] = sum;
  }
}

__global__ void cumulate(double *weight, const double *sum, double *cumulated,
                         int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    weight[i] /= sum[0];
  if (i == 0) {
    cumulated[0] = weight[0];
    for (int j = 1; j < count; ++j)
      cumulated[j] = weight[j] + cumulated[j - 1];
  }
}

// CFD#1: the far field everywhere.
__constant__ float farField[5];
__global__ void initialise(int count, float *variables) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int v = 0; v < 5; ++v)
    variables[v * count + i] = farField[v];
}
