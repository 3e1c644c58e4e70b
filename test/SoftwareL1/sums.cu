// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that the source keeps in memory write it in each iteration. Promoted, the
// rows that are read with them are staged: also where they are few of what the
// loop reads, and in three loops.
//
// RUN: %staging-cc %s -Rpass=sluice -fplugin-arg-sluice-emit-plan=%t.plan.yaml -o %t.s 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.plan.yaml
// RUN: %staging-cc %s -Rpass=sluice -fplugin-arg-sluice-promote=off 2>&1 | FileCheck %s --check-prefix=MEMORY --implicit-check-not="{{(is|are)}} staged" --implicit-check-not=cp.async
// RUN: %same-staged %s %t int=300 int.4=3 int.5=2 block=64 grid=2 kib=4096
// RUN: %same-staged %s %t int=65 int.4=2 int.5=3 block=70 grid=2 kib=4096
// RUN: %same-staged %s %t int=301 int.4=2 int.5=2 block=64 grid=1 kib=4096 expect=different -fplugin-arg-sluice-test-wrong-rewrite=stale-chunk
//
// CHECK: sums.cu:[[#RANK:]]:3: remark: what the loop adds up in memory stays in registers
// CHECK: sums.cu:[[#BATCH:]]:7: remark: what the loop adds up in memory stays in registers
// CHECK: sums.cu:[[#RANK]]:3: remark: 2 streams of the loop are staged in shared memory
// CHECK: sums.cu:[[#BATCH]]:7: remark: 1 stream of the loop is staged in shared memory
// PLAN: name: _Z4rankPKfS0_Pfi
// PLAN: promote: true
// PLAN: staged-why: each lane reads 2 rows of its own
// PLAN: name: _Z7batchesPKfS0_Pfiii
// PLAN: promote: true
// PLAN: staged-why: each lane reads a row of its own
// MEMORY: .entry

__global__ void rank(const float *A, const float *B, float *C, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  for (int k = 0; k < n; ++k)
    C[i * 1024 + j] += 2.0f * A[i * n + k] * B[j * n + k] +
                       2.0f * B[i * n + k] * A[j * n + k];
}

__global__ void batches(const float *A, const float *x, float *y, int n,
                        int count, int times) {
  long i = blockIdx.x * blockDim.x + threadIdx.x;
  for (long time = 0; time < times; ++time)
    for (long batch = 0; batch < count; ++batch)
      for (int j = 0; j < n; ++j)
        y[(time * count + batch) * 1024 + i] +=
            A[((time * count + batch) * 128 + i) * 512 + j] * x[j];
}

void run(const float *A, float *y) {
  rank<<<dim3(33, 256), dim3(32, 8)>>>(A, A, y, 1024);
  batches<<<1056, 128>>>(A, A, y, 512, 8, 4);
}
