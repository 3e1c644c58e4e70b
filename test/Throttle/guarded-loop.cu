// A loop under a condition. Where threads differ in it, the if statement takes
// turns; where all threads of a block agree, as on a parameter, the loop in it
// does.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 7ifFires:1 9elseFires:1 12uniformFires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void ifFires(const float *A, const float *B, float *sums, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    // CHECK: [[@LINE+1]]:5: remark: loop of 'ifFires' throttled, N=4:
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  }
}

__global__ void elseFires(const float *A, const float *B, float *sums, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    sums[i] = 0;
  else
    // CHECK: [[@LINE+1]]:5: remark: loop of 'elseFires' throttled, N=4:
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void uniformFires(const float *A, const float *B, float *sums, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (rows > 0)
    // CHECK: [[@LINE+1]]:5: remark: loop of 'uniformFires' throttled, N=4:
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  else if (sums[i] > 0)
    return;
  sums[i] *= 2;
}

__global__ void stays(const float *A, const float *B, float *sums, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows)
    // CHECK: [[@LINE+1]]:5: remark: loop of 'stays' not throttled: N=4 is wanted ({{.*}}), but the region at guarded-loop.cu:[[@LINE-1]]:3 contains a return at guarded-loop.cu:[[@LINE+4]]:5
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  else
    return;
  sums[i] *= 2;
}

void run(const float *A, const float *B, float *sums, int rows) {
  ifFires<<<1056, 256>>>(A, B, sums, rows);
  elseFires<<<1056, 256>>>(A, B, sums, rows);
  uniformFires<<<1056, 256>>>(A, B, sums, rows);
  stays<<<1056, 256>>>(A, B, sums, rows);
}
