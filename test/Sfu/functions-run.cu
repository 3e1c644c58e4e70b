// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that asks for it, on the emulator: in the first two warps of a
// block its results differ, and nothing else does, neither there nor in the
// others. With LAMBDA of all warps it is so in all; with both versions exact
// nowhere; and a version that is lost is noticed.
//
// RUN: %sluice emulate %s -O3 --check=memory,races -DLAMBDA=2 -- 2 | FileCheck %s
// RUN: %sluice emulate %s -O1 -DLAMBDA=2 -- 2 | FileCheck %s
// RUN: %sluice emulate %s -O3 -fgpu-rdc -DLAMBDA=2 -- 2 | FileCheck %s
// RUN: %sluice emulate %s -O3 -DLAMBDA=40 -- 4 | FileCheck %s
// RUN: %sluice emulate %s -O3 -DLAMBDA=0 -- 0 | FileCheck %s
// RUN: %sluice emulate %s -O3 -DLAMBDA=2 --sluice-sfu=off -- 0 | FileCheck %s
// RUN: %sluice emulate %s -O3 -DLAMBDA=2 --sluice-test-sfu=exact -- 0 | FileCheck %s
// CHECK: as it should be
//
// RUN: not %sluice emulate %s -O3 -DLAMBDA=2 --sluice-test-wrong-rewrite=lost-version -- 2 | FileCheck %s --check-prefix=WRONG
// WRONG: wrong

#include <cstdio>
#include <cstdlib>

#define TEXT(X) #X
#define MARK(N) __attribute__((annotate("sluice:sfu=" TEXT(N))))

constexpr int Threads = 128, All = 4 * Threads;

// A barrier and shared memory go along; the helper is the others' too.
__device__ __noinline__ double helper(double x, double y) { return x / y; }
MARK(LAMBDA) __device__ __noinline__ double asks(double *shared, double x) {
  shared[threadIdx.x] = x;
  __syncthreads();
  const double y = shared[Threads - 1 - threadIdx.x];
  __syncthreads();
  return helper(x, y) + sqrt(y);
}
struct Member {
  double y;
  template <typename T> MARK(LAMBDA) __device__ T over(T x) const {
    return x / y;
  }
};
__device__ double between(double *shared, double x, int depth) {
  return depth == 0 ? asks(shared, x) : between(shared, x, depth - 1);
}

__global__ void kernel(double *marked, double *others) {
  __shared__ double shared[Threads];
  const int i = blockIdx.x * Threads + threadIdx.x;
  const double x = 1 + i / 7.0;
  marked[2 * i] = between(shared, x, 3);
  marked[2 * i + 1] = Member{x + 1}.over(x);
  others[2 * i] = helper(x, x + 1);
  others[2 * i + 1] = sqrt(x) / 3.7;
}

/// The same, and nobody asks.
__device__ __noinline__ double exactly(double *shared, double x) {
  shared[threadIdx.x] = x;
  __syncthreads();
  const double y = shared[Threads - 1 - threadIdx.x];
  __syncthreads();
  return x / y + sqrt(y);
}
__global__ void exact(double *marked, double *others) {
  __shared__ double shared[Threads];
  const int i = blockIdx.x * Threads + threadIdx.x;
  const double x = 1 + i / 7.0;
  marked[2 * i] = exactly(shared, x);
  marked[2 * i + 1] = x / (x + 1);
  others[2 * i] = x / (x + 1);
  others[2 * i + 1] = sqrt(x) / 3.7;
}

int main(int argc, char **argv) {
  const int lambda = atoi(argv[1]);
  double *data[4];
  for (double *&d : data)
    cudaMallocManaged(&d, 2 * All * sizeof(double));
  kernel<<<All / Threads, Threads>>>(data[0], data[1]);
  exact<<<All / Threads, Threads>>>(data[2], data[3]);
  cudaDeviceSynchronize();
  int differ[2] = {0, 0}, wrong = 0;
  for (int i = 0; i < 2 * All; ++i) {
    const bool approximate = i / 2 % Threads / 32 < lambda;
    const double error = data[0][i] / data[2][i] - 1;
    wrong += data[1][i] != data[3][i];
    wrong += !approximate && error != 0;
    wrong += !(error < 1e-5 && error > -1e-5);
    differ[i % 2] += approximate && error != 0;
  }
  for (int d : differ)
    wrong += lambda > 0 ? d < lambda * All / 8 : d != 0;
  printf(wrong ? "%d wrong\n" : "as it should be\n", wrong);
  return wrong != 0;
}
