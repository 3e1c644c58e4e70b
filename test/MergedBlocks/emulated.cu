// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the emulator: what is launched, and that all buffers are the same. Small
// blocks of large grids are merged: also the last few of a row, blocks of no
// whole warps and of two dimensions, kernels without parameters and with
// structs. Those of small grids, of three dimensions and with shared memory are
// not, nor what is launched by the address of the kernel. Threads do the work of
// several blocks, also of large ones, and of fewer at the end of a row.
//
// RUN: %sluice emulate %s -O2 --compare --statistics 2>&1 | FileCheck %s
// RUN: not %sluice emulate %s -O2 --compare -fplugin-arg-sluice-test-wrong-rewrite=one-block 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not %sluice emulate %s -O2 --compare -fplugin-arg-sluice-test-wrong-rewrite=other-block 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: for n in 1 2 4 8; do %sluice emulate %s -O2 --compare -fplugin-arg-sluice-merge-blocks=$n 2>&1 || exit 1; done | FileCheck %s --check-prefix=SAME
// SAME-COUNT-4: buffers are the same
//
// Without the transforms, and with them.
// CHECK-COUNT-9: sluice emulate: {{(scale|square|none|twice)}}
// CHECK: sluice emulate: scale<float> (blocks merged): 
// CHECK: sluice emulate: square (blocks merged): 
// CHECK: sluice emulate: none (blocks merged): 
// CHECK: sluice emulate: twice (blocks merged):
// CHECK-NEXT: sluice emulate: twice:
// CHECK-NEXT: sluice emulate: twice (blocks merged):
// CHECK-COUNT-3: sluice emulate: twice:
// CHECK: all {{[0-9]+}} buffers are the same
// WRONG: difference

#include <cstdio>

struct Hows {
  float by, plus;
  int base;
};

template <class T>
__global__ void scale(T *a, const T *b, Hows how, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = b[i] * how.by + how.plus + gridDim.x + how.base;
}

static __global__ void square(int *count) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x,
            y = blockIdx.y * blockDim.y + threadIdx.y;
  count[y * gridDim.x * blockDim.x + x] = 1 + threadIdx.z + blockDim.z;
}

__global__ void none() {}

__global__ void twice(int *a) {
  const int i = (blockIdx.x * blockDim.z + threadIdx.z) * blockDim.x + threadIdx.x;
  a[i & 4095] = 2 * (i & 4095) + 1;
}

int main() {
  constexpr int N = 32 * 19001 + 7;
  float *a, *b;
  int *count;
  cudaMalloc(&a, N * sizeof(float));
  cudaMalloc(&b, N * sizeof(float));
  cudaMalloc(&count, N * sizeof(int));
  float *values = new float[N];
  for (int i = 0; i < N; ++i)
    values[i] = i % 1021;
  cudaMemcpy(b, values, N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(count, 0, N * sizeof(int));
  scale<float><<<(N + 31) / 32, 32>>>(a, b, {2, 3, 4}, N);
  square<<<dim3(61, 300), dim3(6, 5)>>>(count);
  none<<<40000, 16>>>();
  twice<<<30001, 64>>>(count);
  twice<<<2000, 64>>>(count);          // too few
  twice<<<20003, 256>>>(count);        // by several, and three more
  twice<<<20000, dim3(16, 1, 2)>>>(count);
  twice<<<20000, 32, 64>>>(count);
  void *arguments[] = {&count};
  cudaLaunchKernel(twice, 30000, 32, arguments, 0, nullptr);
  delete[] values;
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
