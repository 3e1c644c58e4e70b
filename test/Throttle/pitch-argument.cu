// The pitch is an argument of the kernel: known where the launch gives a
// constant. Where it does not, how far apart the threads are is not known. Two
// launches must agree that throttling pays.
//
// RUN: %sluice-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same _Z4both:same
// RUN: %same-results %s %t

__global__ void fires(const float *A, float *sums, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=2:
  for (int j = 0; j < pitch; ++j)
    sums[i] += A[i * pitch + j];
}

__global__ void stays(const float *A, float *sums, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: the footprint is unknown: the distance between the threads of a warp is not known at compile time for the load at pitch-argument.cu:[[@LINE+2]]:16 (
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
  stays<<<1056, 256>>>(A, sums, pitch);
  both<<<1056, 256>>>(A, sums, 512);
  both<<<1056, 256>>>(A, sums, 4);
}
