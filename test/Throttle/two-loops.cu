// Loops of one kernel are decided one by one.
//
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-remarks=all -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx mixed:2 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void mixed(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'mixed' throttled, N=2:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
  // CHECK: [[@LINE+1]]:3: remark: loop of 'mixed' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
  // CHECK: [[@LINE+1]]:3: remark: loop of 'mixed' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 8 + j];
}

__global__ void stays(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 8 + j];
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: {{.*}} lasts 4 iterations, and below 8 turns do not pay
  for (int j = 0; j < 4; ++j)
    sums[i] += A[i * 512 + j];
}

void run(const float *A, const float *B, float *sums) {
  mixed<<<1056, 256>>>(A, B, sums);
  stays<<<1056, 256>>>(A, B, sums);
}

// Two turns, then four.
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// PTX-LABEL: .entry _Z5mixed
// PTX: add.s32 [[TWO:%r[0-9]+]], [[THREADS:%r[0-9]+]], 63;
// PTX: shr.u32 {{%r[0-9]+}}, [[TWO]], 6;
// PTX: bar.sync
// PTX: add.s32 [[FOUR:%r[0-9]+]], [[THREADS]], 127;
// PTX: shr.u32 {{%r[0-9]+}}, [[FOUR]], 7;
// PTX: bar.sync
// PTX-LABEL: .entry _Z5stays
