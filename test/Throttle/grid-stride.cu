// Threads leave a grid-stride loop at different times, so no barrier may stand
// in it: the whole of it takes turns.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void fires(const float *A, const float *B, float *sums, int rows) {
  // CHECK-DAG: [[@LINE+2]]:5: remark: loop of 'fires' throttled, N=4:
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += blockDim.x * gridDim.x)
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void stays(const float *A, const float *B, float *sums, int rows) {
  // CHECK-DAG: [[@LINE+2]]:5: remark: loop of 'stays' not throttled: N=4 is wanted ({{.*}}), but the region at {{.*}}:[[@LINE+1]]:3 contains a return at {{.*}}:[[@LINE+5]]:7
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += blockDim.x * gridDim.x) {
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
    if (sums[i] < 0)
      return;
  }
}

void run(const float *A, const float *B, float *sums, int rows) {
  fires<<<1056, 256>>>(A, B, sums, rows);
  stays<<<1056, 256>>>(A, B, sums, rows);
}

// The barrier is in the outermost of three loops.
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// PTX-LABEL: .entry _Z5fires
// PTX: in Loop: Header=BB{{[0-9_]+}} Depth=1
// PTX-NEXT: bar.sync 0;
// PTX: Inner Loop Header: Depth=3
// PTX-LABEL: .entry _Z5stays
