// One macro makes two loops, which then have one place. They are told apart by
// their order.
//
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-remarks=all -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx both:2 second:1
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

#define ADD_ROWS(PITCH_A, PITCH_B)                                             \
  for (int j = 0; j < 512; ++j)                                                \
    sums[i] += A[i * PITCH_A + j];                                             \
  for (int j = 0; j < 512; ++j)                                                \
    sums[i] += B[i * PITCH_B + j];

__global__ void both(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'both' throttled, N=2:
  // CHECK: [[@LINE+1]]:3: remark: loop of 'both' throttled, N=2:
  ADD_ROWS(512, 512)
}

__global__ void second(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'second' not throttled: {{.*}} fits the L1
  // CHECK: [[@LINE+1]]:3: remark: loop of 'second' throttled, N=2:
  ADD_ROWS(8, 512)
}

void run(const float *A, const float *B, float *sums) {
  both<<<1056, 256>>>(A, B, sums);
  second<<<1056, 256>>>(A, B, sums);
}

// In `second` the barrier comes after the loop over A, which is the first
// parameter.
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// PTX-LABEL: .entry _Z6second
// PTX: st.global
// PTX: .pragma "nounroll"
// PTX: st.global
