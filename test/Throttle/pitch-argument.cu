// The pitch is an argument of the kernel: known where the launch gives a
// constant. Where it does not, the kernel tests whether the threads are far enough
// apart. Two launches must agree that throttling pays.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 tested:1 _Z4both:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void fires(const float *A, float *sums, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=2:
  for (int j = 0; j < pitch; ++j)
    sums[i] += A[i * pitch + j];
}

__global__ void tested(const float *A, float *sums, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'tested' throttled, N=2 if pitch >= 32: footprint 270336 B (8 blocks of 264 lines) is beyond the L1
  for (int j = 0; j < pitch; ++j)
    sums[i] += A[i * pitch + j];
}

__global__ void both(const float *A, float *sums, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'both' not throttled: the launch at pitch-argument.cu:[[@LINE+9]]:3: {{.*}} fits the L1
  for (int j = 0; j < pitch; ++j)
    sums[i] += A[i * pitch + j];
}

void run(const float *A, float *sums, int pitch) {
  fires<<<1056, 256>>>(A, sums, 512);
  tested<<<1056, 256>>>(A, sums, pitch);
  both<<<1056, 256>>>(A, sums, 512);
  both<<<1056, 256>>>(A, sums, 4);
}
