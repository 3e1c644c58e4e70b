// While and do-while loops. A loop that stops at a value it finds reads each
// sector once for many iterations, like any other; its exit needs no agreement,
// as the barrier stands behind it.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 10whileFires:1 12doWhileFires:1 searchFires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off skip=search

__global__ void whileFires(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = 0;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'whileFires' throttled, N=4:
  while (j < 512) {
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
    ++j;
  }
}

__global__ void doWhileFires(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = 0;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'doWhileFires' throttled, N=4:
  do {
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
  } while (++j < 512);
}

__global__ void searchFires(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = 0;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'searchFires' throttled, N=4:
  while (A[i * 512 + j] != 0) {
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
    ++j;
  }
}

__global__ void stays(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = 0;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: {{.*}} fits the L1
  while (j < 512) {
    sums[i] += A[i * 8 + j] * B[i * 8 + j];
    ++j;
  }
}

void run(const float *A, const float *B, float *sums) {
  whileFires<<<1056, 256>>>(A, B, sums);
  doWhileFires<<<1056, 256>>>(A, B, sums);
  searchFires<<<1056, 256>>>(A, B, sums);
  stays<<<1056, 256>>>(A, B, sums);
}
