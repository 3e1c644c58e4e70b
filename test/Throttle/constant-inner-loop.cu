// An inner loop of a few constant iterations belongs to an iteration of the
// outer loop: all it touches counts. Three columns of nine taps, each its own
// matrix, or the same one.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same

__global__ void fires(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=4: footprint
  for (int j = 0; j < 512; ++j)
    for (int m = 0; m < 2; ++m)
      sums[i] += A[(m * 270336 + i) * 512 + j];
}

__global__ void stays(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 512; ++j)
    for (int m = 0; m < 2; ++m)
      sums[i] += A[(m * 270336 + i) * 8 + j];
}

void run(const float *A, float *sums) {
  fires<<<1056, 256>>>(A, sums);
  stays<<<1056, 256>>>(A, sums);
}
