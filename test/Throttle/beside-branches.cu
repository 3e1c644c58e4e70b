// Where the threads part, the if statement takes the turns as a whole: not where
// that would hold up reads in the branch beside the loop.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx storeFires:1 bothFires:1 ownFires:1 uniformFires:1 copyStays:same calleeStays:same loopStays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-throttle=4 -o %t.forced.ptx 2>&1 | FileCheck %s --check-prefix=FORCED
// FORCED: remark: loop of 'copyStays' throttled, N=4: N=4 was asked for

struct alignas(16) float4 {
  float x, y, z, w;
};

__device__ float total(const float *A, const float *B, int i) {
  float sum = 0;
  for (int j = 0; j < 512; ++j)
    sum += A[i * 512 + j] * B[i * 512 + j];
  return sum;
}
__device__ float4 quad(const float *A, int i) { return ((const float4 *)A)[i]; }

// A store waits for nothing.
__global__ void storeFires(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'storeFires' throttled, N=4
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  else
    sums[i] = 0;
}

// Both loops want turns.
__global__ void bothFires(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 64 < n)
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'bothFires' throttled, N=4
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  else
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'bothFires' throttled, N=4
    for (int j = 0; j < 512; ++j)
      sums[i] -= A[i * 512 + j] * B[i * 512 + j];
}

// What stands beside it in its own branch, the same threads read.
__global__ void ownFires(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sums[i] += B[i];
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'ownFires' throttled, N=4
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  }
}

// All threads take the one branch or the other.
__global__ void uniformFires(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 0)
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'uniformFires' throttled, N=4
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  else
    sums[i] = A[i];
}

__global__ void copyStays(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    ((float4 *)sums)[i] = ((const float4 *)A)[i];
  else
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'copyStays' not throttled: N=4 is wanted ({{.*}}), but its turns would hold up the load at beside-branches.cu:[[@LINE-2]]:25, in a branch that other threads take
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void calleeStays(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: 17:3: remark: loop of 'calleeStays'{{.*}} not throttled: N={{.*}}but its turns would hold up the load at beside-branches.cu:21:{{[0-9]+}} inlined at beside-branches.cu:[[@LINE+4]]:{{[0-9]+}}, in
  if (i >= n)
    sums[i] = total(A, B, i);
  else if (i > 0)
    ((float4 *)sums)[i] = quad(A, i);
}

// The loop beside it reads what neighbours read.
__global__ void loopStays(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'loopStays' not throttled: N=4 is wanted ({{.*}}), but its turns would hold up the loop at beside-branches.cu:[[@LINE+4]]:5, in a branch that other threads take
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  else
    for (int j = 0; j < 64; ++j)
      sums[i] += A[j * 65536 + i];
}

void run(const float *A, const float *B, float *sums, int n) {
  storeFires<<<1056, 256>>>(A, B, sums, n);
  bothFires<<<1056, 256>>>(A, B, sums, n);
  ownFires<<<1056, 256>>>(A, B, sums, n);
  uniformFires<<<1056, 256>>>(A, B, sums, n);
  copyStays<<<1056, 256>>>(A, B, sums, n);
  calleeStays<<<1056, 256>>>(A, B, sums, n);
  loopStays<<<1056, 256>>>(A, B, sums, n);
}
