// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Run, the text of sluice throttle leaves what the source leaves, and each
// launch takes the turns that the plugin's build takes. (Why they are these:
// by-launch-run.cu.)
//
// RUN: %sluice throttle %s -o %t.cu --cuda-gpu-arch=sm_90 --sluice-sms=2 --sluice-software-l1=off 2> %t.said
// RUN: FileCheck %s --check-prefix=TEXT --input-file %t.cu
// RUN: %sluice emulate %s --sluice-throttle=off > %t.plain
// RUN: %sluice emulate %s --sluice-software-l1=off --sluice-sms=2 --trace=%t.plugin.trace
// RUN: %sluice emulate %t.cu --sluice-throttle=off --check=memory,races --trace=%t.text.trace > %t.text
// RUN: diff %t.plain %t.text
// RUN: awk -f %S/Inputs/turns.awk %t.plugin.trace > %t.plugin.turns
// RUN: awk -f %S/Inputs/turns.awk %t.text.trace | tee %t.text.turns | FileCheck %s
// RUN: diff %t.plugin.turns %t.text.turns

#include <cstdio>

#define ROWS                                                                   \
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;  \
  int thread =                                                                 \
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;     \
  int i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;

// TEXT-LABEL: {{^}}__global__ void anyBlock(
// TEXT: // sluice: warps take turns, N by launch ({{.*}}256 threads: N=2 from 7 blocks, N=4 from 13 blocks{{.*}}): with blocks of
// TEXT-NEXT: {
// TEXT-NEXT: const unsigned long long sluice_blocks = 1ull * gridDim.x * gridDim.y * gridDim.z;
// TEXT-NEXT: const unsigned sluice_groups =
// TEXT-NEXT: blockDim.y == 1 && blockDim.z == 1 && blockDim.x % 32 == 0
// TEXT-NEXT: ? (blockDim.x < 288
__global__ void anyBlock(const float *A, const float *B, float *sums) {
  ROWS
  for (int j = 0; j < 8; ++j)
    sums[i] += A[i * 64 + j] * B[i * 64 + j];
}

// TEXT-LABEL: {{^}}__global__ void various(
// TEXT: // sluice: warps take turns, N by launch (256 threads: N=2 from 8 blocks, N=4 from 16 blocks; 512 threads: N=2 from 6 blocks): footprint
// TEXT: const unsigned sluice_groups =
// TEXT-NEXT: blockDim.x == 512 && blockDim.y == 1 && blockDim.z == 1
// TEXT-NEXT: ? (sluice_blocks < 6 ? 1 : 2)
// TEXT-NEXT: : blockDim.x == 256 && blockDim.y == 1 && blockDim.z == 1
// TEXT-NEXT: ? (sluice_blocks < 8 ? 1 : sluice_blocks < 16 ? 2 : 4)
// TEXT-NEXT: : 1;
// TEXT-NEXT: const unsigned sluice_thread =
// TEXT-NEXT: const unsigned sluice_threads =
// TEXT-NEXT: const unsigned sluice_group = sluice_thread / 32 / ((sluice_threads + 32 * sluice_groups - 1) / (32 * sluice_groups));
// TEXT-NEXT: #pragma unroll 1
// TEXT-NEXT: for (unsigned sluice_turn = 0; sluice_turn < sluice_groups; ++sluice_turn) {
// TEXT-NEXT: if (sluice_group == sluice_turn) {
// TEXT-NEXT: for (int j = 0;
// TEXT-NEXT: sums[i] +=
// TEXT-NEXT: }
// TEXT-NEXT: if (sluice_groups > 1)
// TEXT-NEXT: __syncthreads();
// TEXT-NEXT: }
// TEXT-NEXT: }
// TEXT-NEXT: }
__global__ void various(const float *A, const float *B, float *sums) {
  ROWS
  for (int j = 0; j < 8; ++j)
    sums[i] += A[i * 64 + j] * B[i * 64 + j];
}

__device__ float weigh(const float *a, const float *b) {
  float sum = 0;
  for (int j = 0; j < 64; ++j)
    sum += a[j] * b[j];
  return sum;
}
__global__ void constant(const float *A, const float *B, float *sums) {
  ROWS
  for (int k = 0; k < 2; ++k) {
    sums[i] += k;
    if (thread % 3) // one region with what follows
      for (int j = 0; j < 8; ++j)
        sums[i] += A[i * 64 + j] * B[i * 64 + j];
  }
  float last = weigh(A + i * 64, B + i * 64);
  sums[i] -= last;
}

int main() {
  const int Threads = 16 * 1024;
  float *A, *B, *sums;
  cudaMallocManaged(&A, Threads * 64 * sizeof(float));
  cudaMallocManaged(&B, Threads * 64 * sizeof(float));
  cudaMallocManaged(&sums, Threads * sizeof(float));
  for (int i = 0; i < Threads * 64; ++i) {
    A[i] = i % 17 * 0.5f;
    B[i] = i % 13 * 0.25f - 1;
  }
  for (int i = 0; i < Threads; ++i)
    sums[i] = 0;

  // CHECK: _Z8anyBlockPKfS0_Pf 6,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 7,1,1 256,1,1 2 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 13,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 1,2,4 256,1,1 2 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 40,1,1 64,1,1 2 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 3,1,1 1024,1,1 4 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 13,1,1 250,1,1 0 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 13,1,1 128,2,1 0 turns
  struct {
    dim3 Grid, Block;
  } Any[] = {{6, 256}, {7, 256},  {13, 256}, {dim3(1, 2, 4), 256},
             {40, 64}, {3, 1024}, {13, 250}, {13, dim3(128, 2)}};
  for (auto &L : Any)
    anyBlock<<<L.Grid, L.Block>>>(A, B, sums);

  // CHECK-NEXT: _Z7variousPKfS0_Pf 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z7variousPKfS0_Pf 8,1,1 256,1,1 2 turns
  // CHECK-NEXT: _Z7variousPKfS0_Pf 2,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z7variousPKfS0_Pf 6,1,1 512,1,1 2 turns
  // CHECK-NEXT: _Z7variousPKfS0_Pf 3,1,1 100,1,1 0 turns
  various<<<16, 256>>>(A, B, sums);
  various<<<8, 256>>>(A, B, sums);
  various<<<2, 256>>>(A, B, sums);
  various<<<6, 512>>>(A, B, sums);
  various<<<3, 100>>>(A, B, sums);

  // CHECK-NEXT: _Z8constantPKfS0_Pf 16,1,1 16,16,1 12 turns
  constant<<<16, dim3(16, 16)>>>(A, B, sums);
  cudaDeviceSynchronize();
  for (int i = 0; i < Threads; ++i)
    printf("%a\n", sums[i]);
}
