// All threads run the outer loop alike, so the turns are taken inside it. If
// its bound is each thread's own, the outer loop takes turns as a whole, and
// with a return in it cannot.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void fires(const float *A, const float *B, float *sums, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'fires' throttled, N=4:
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
    if (sums[i] < 0)
      sums[i] = 0;
  }
}

__global__ void stays(const float *A, const float *B, float *sums, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'stays' not throttled: N=4 is wanted ({{.*}}), but the region at {{.*}}:[[@LINE-1]]:3 contains a return at
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
    if (sums[i] < 0)
      break;
    if (sums[i] > 9)
      return;
  }
}

void run(const float *A, const float *B, float *sums, int rounds) {
  fires<<<1056, 256>>>(A, B, sums, rounds);
  stays<<<1056, 256>>>(A, B, sums, rounds);
}

// The barrier is in the middle loop of three.
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// PTX-LABEL: .entry _Z5fires
// PTX: in Loop: Header=BB{{[0-9_]+}} Depth=2
// PTX-NEXT: bar.sync 0;
// PTX: Inner Loop Header: Depth=3
// PTX-LABEL: .entry _Z5stays
