// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// blocks=prefer: M in place of the turns of a loop that is the whole kernel.
// Not where another loop would run with fewer blocks too, where the kernel must
// test an argument, where the host would not hear of it, and not in source text.
//
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-blocks=prefer -o %t.ptx 2>&1 | FileCheck %s --check-prefixes=BLOCKS,OTHERS
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-blocks=prefer -fgpu-rdc -o %t.rdc.ptx 2>&1 | FileCheck %s --check-prefixes=TURNS,OTHERS
// RUN: %sluice-cc %s %remarks -o %t.auto.ptx 2>&1 | FileCheck %s --check-prefixes=TURNS,OTHERS
// RUN: %sluice-text %s -o %t.text.cu --sluice-blocks=prefer && grep 'warps take turns, N=4' %t.text.cu
// RUN: %same-results %s %t -fplugin-arg-sluice-blocks=prefer

__global__ void alone(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BLOCKS: remark: thread blocks of 'alone' limited to M=2 of 8: claim of {{[0-9]+}} B with a carveout of {{[0-9]+}} %: footprint 532480 B (8 blocks of 520 lines) of the loop at prefer.cu:[[@LINE+3]]:3 is beyond the L1; with M=2 it is 133120 B and the L1 253952 B
  // BLOCKS: remark: loop of 'alone' not throttled: M=2 in place of N=4, since the loop is all there is of the kernel (footprint 532480 B
  // TURNS: remark: loop of 'alone' throttled, N=4
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void beside(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    y[i] += A[j * 512 + i];
  // OTHERS: [[@LINE+1]]:3: remark: loop of 'beside' throttled, N=4
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void tested(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // OTHERS: [[@LINE+1]]:3: remark: loop of 'tested' throttled, N=4 if n >= 32
  for (int j = 0; j < n; ++j)
    y[i] += A[i * n + j] * B[i * n + j];
}

void run(const float *A, const float *B, float *y, int n) {
  alone<<<8 * 132, 256>>>(A, B, y);
  beside<<<8 * 132, 256>>>(A, B, y);
  tested<<<8 * 132, 256>>>(A, B, y, n);
}

// PTX: .entry _Z5alone
// PTX-NOT: bar.sync
// PTX: .entry _Z6beside
// PTX: bar.sync
// PTX: .entry _Z6tested
// PTX: bar.sync
