// `#pragma unroll` stays with its loop inside the turns.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx _Z8unrolled:1 11wholeSector:1 11bySource:1 10halfAFetch:1 _Z5stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void unrolled(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'unrolled' throttled, N=4:
#pragma unroll 4
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

// Eight floats are a sector. The store after each load still lets other warps
// evict it in between.
__global__ void wholeSector(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'wholeSector' throttled, N=4:
#pragma unroll 8
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

// Not unrolled, so the loads of each iteration go out alone: there is no other
// reuse than the L1's, and turns pay although the sum is in a register.
__global__ void bySourceOne(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'bySourceOne' throttled, N=4:
#pragma unroll 1
  for (int j = 0; j < 512; ++j)
    sum += A[i * 512 + j] * B[i * 512 + j];
  sums[i] = sum;
}

// A whole sector comes in one request, but half of what DRAM gives for it.
__global__ void halfAFetch(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'halfAFetch' throttled, N=4:
#pragma unroll 8
  for (int j = 0; j < 512; ++j)
    sum += A[i * 512 + j] * B[i * 512 + j];
  sums[i] = sum;
}

__global__ void stays(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'stays' not throttled: {{.*}} too little to save
#pragma unroll 16
  for (int j = 0; j < 512; ++j)
    sum += A[i * 512 + j] * B[i * 512 + j];
  sums[i] = sum;
}

void run(const float *A, const float *B, float *sums) {
  unrolled<<<1056, 256>>>(A, B, sums);
  wholeSector<<<1056, 256>>>(A, B, sums);
  bySourceOne<<<1056, 256>>>(A, B, sums);
  halfAFetch<<<1056, 256>>>(A, B, sums);
  stays<<<1056, 256>>>(A, B, sums);
}

// Four stores: the unroll count is as without Sluice.
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.plain.ptx
// PTX-LABEL: .entry _Z8unrolled
// PTX-COUNT-4: st.global
// PTX-NOT: st.global
// PTX-LABEL: .entry _Z11wholeSector
