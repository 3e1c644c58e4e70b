// A loop that one thread of the grid runs, or one of each warp, needs few lines:
// there are no turns around it, nor around the if statement in which it is.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx everyFires:1 tailStays:same copyTailStays:same returnStays:same laneStays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

struct alignas(16) float4 {
  float x, y, z, w;
};

// What the others are one thread of.
__global__ void everyFires(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'everyFires' throttled, N=4: footprint 532480 B (8 blocks of 520 lines)
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  }
}

__global__ void tailStays(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n / 4) {
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'tailStays' not throttled: footprint 3072 B (8 blocks of 3 lines) fits the L1
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  }
}

// The rest of a copy by vectors.
__global__ void copyTailStays(const float *A, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    ((float4 *)sums)[i] = ((const float4 *)A)[i];
  } else if (i == n / 4) {
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'copyTailStays' not throttled: footprint {{.*}} fits the L1
    for (int j = i * 4; j < n; ++j)
      sums[j] = A[j];
  }
}

__global__ void returnStays(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x != 0)
    return;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'returnStays' not throttled: footprint 3072 B (8 blocks of 3 lines) fits the L1
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void laneStays(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 == 0 && i < n) {
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'laneStays' not throttled: footprint 24576 B (8 blocks of 24 lines) fits the L1
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  }
}

void run(const float *A, const float *B, float *sums, int n) {
  everyFires<<<1056, 256>>>(A, B, sums, n);
  tailStays<<<1056, 256>>>(A, B, sums, n);
  copyTailStays<<<1056, 256>>>(A, sums, n);
  returnStays<<<1056, 256>>>(A, B, sums, n);
  laneStays<<<1056, 256>>>(A, B, sums, n);
}
