// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel reads and another writes, which has no loop and is not analysed
// itself: its store counts, or the loop behind the wait would never be reached,
// neither in the plan's analysis nor where its registers are counted.
//
// RUN: %throttle-cc %s %remarks -o /dev/null 2>&1 | FileCheck %s
// RUN: %sluice plan %s --cuda-gpu-arch=sm_90 | FileCheck %s --check-prefix=PLAN
// PLAN: display: rows
// PLAN-NEXT: registers: {{[1-9][0-9]}}
// PLAN-NEXT: registers-from: assembler
// CHECK: written-elsewhere.cu:[[@LINE+7]]:3: remark: loop of 'rows' throttled, N=4
static __device__ int ready;
__global__ void set() { ready = 1; }
__global__ void rows(const float *A, const float *B, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (ready == 0)
    __nvvm_bar_warp_sync(~0u);
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * x[j] + B[i * 512 + j] * x[j];
}
void run(float *p) {
  set<<<1, 1>>>();
  rows<<<1056, 256>>>(p, p, p, p);
}
