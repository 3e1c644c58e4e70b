// throttle=8 throttles by 8 whatever the model says, also a kernel whose launch
// is elsewhere; but never a loop without reuse, nor by more than a block's
// warps. throttle=off does nothing at all, throttle=1 as good as nothing.
//
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-remarks=all -fplugin-arg-sluice-throttle=8 -o %t.ptx 2>&1 | FileCheck %s --check-prefix=FORCED
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 9smallTrip:1 11notLaunched:1 7noReuse:same 8twoWarps:1 7oneWarp:same
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=off -o %t.off.ptx
// RUN: cmp %t.off.ptx %t.plain.ptx
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=1 -o %t.one.ptx
// RUN: cmp %t.one.ptx %t.plain.ptx
// RUN: not %throttle-cc %s -fplugin-arg-sluice-throttle=3 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off -fplugin-arg-sluice-throttle=8
// BAD: error: {{.*}}invalid value '3' for option 'throttle'

__global__ void smallTrip(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // FORCED: [[@LINE+1]]:3: remark: loop of 'smallTrip' throttled, N=8: N=8 was asked for
  for (int j = 0; j < 4; ++j)
    sums[i] += A[i * 512 + j];
}

__global__ void notLaunched(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // FORCED: [[@LINE+1]]:3: remark: loop of 'notLaunched' throttled, N=8: N=8 was asked for
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

__global__ void noReuse(const float *A, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // FORCED: [[@LINE+1]]:3: remark: loop of 'noReuse' not throttled: no load is known to touch its cache line again in the next iteration
  for (int j = 0; j < 512; ++j)
    sums[j * n + i] += A[j * n + i];
}

__global__ void twoWarps(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // FORCED: [[@LINE+1]]:3: remark: loop of 'twoWarps' throttled, N=2: N=8 was asked for, and a block has 2 warps
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

__global__ void oneWarp(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // FORCED: [[@LINE+1]]:3: remark: loop of 'oneWarp' not throttled: N=8 was asked for, but a block is one warp
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

void run(const float *A, float *sums, int n) {
  smallTrip<<<4, 256>>>(A, sums);
  noReuse<<<4, 256>>>(A, sums, n);
  twoWarps<<<4, 64>>>(A, sums);
  oneWarp<<<4, 32>>>(A, sums);
}
