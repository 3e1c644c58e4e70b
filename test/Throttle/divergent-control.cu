// A loop around the loop that threads leave, or skip, each at its own time:
// the turns are taken around the whole of it, once. With a barrier in it there
// is no place for them.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 9continues:1 6breaks:1 10threadTrip:1 8assigned:1 14staysIfBarrier:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off int=4 kib=8192 grid=1 skip=stays

__global__ void continues(const float *A, const float *B, float *sums, int rounds) {
  // CHECK-DAG: [[@LINE+5]]:5: remark: loop of 'continues' throttled, N=4:
  for (int r = 0; r < rounds; ++r) {
    int i = threadIdx.x + r * 256;
    if (sums[i] == 0)
      continue;
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  }
}

__global__ void breaks(const float *A, const float *B, float *sums, int rounds) {
  // CHECK-DAG: [[@LINE+3]]:5: remark: loop of 'breaks' throttled, N=4:
  for (int r = 0; r < rounds; ++r) {
    int i = threadIdx.x + r * 256;
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
    if (sums[i] == 0)
      break;
  }
}

__global__ void threadTrip(const float *A, const float *B, float *sums, int rounds) {
  int mine = rounds - threadIdx.x % 4;
  // CHECK-DAG: [[@LINE+3]]:5: remark: loop of 'threadTrip' throttled, N=4:
  for (int r = 0; r < mine; ++r) {
    int i = threadIdx.x + r * 256;
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  }
}

// `last` gets a constant, but only in some threads.
__global__ void assigned(const float *A, const float *B, float *sums, int rounds) {
  int last = rounds;
  if (threadIdx.x > 7)
    last = 5;
  // CHECK-DAG: [[@LINE+3]]:5: remark: loop of 'assigned' throttled, N=4:
  for (int r = 0; r < last; ++r) {
    int i = threadIdx.x + r * 256;
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
  }
}

__global__ void staysIfBarrier(const float *A, const float *B, float *sums, int rounds) {
  int last = rounds;
  for (int k = 0; k < threadIdx.x; ++k)
    ++last;
  for (int r = 0; r < last; ++r) {
    int i = threadIdx.x + r * 256;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'staysIfBarrier' not throttled: N=4 is wanted ({{.*}}), but the region at {{.*}}:[[@LINE-2]]:3 contains a block barrier
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * 512 + j] * B[i * 512 + j];
    __syncthreads();
  }
}

void run(const float *A, const float *B, float *sums, int n) {
  continues<<<1056, 256>>>(A, B, sums, n);
  breaks<<<1056, 256>>>(A, B, sums, n);
  threadTrip<<<1056, 256>>>(A, B, sums, n);
  assigned<<<1056, 256>>>(A, B, sums, n);
  staysIfBarrier<<<1056, 256>>>(A, B, sums, n);
}

// Each barrier is in the outermost of three loops.
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// PTX-LABEL: .entry _Z9continues
// PTX: in Loop: Header=BB{{[0-9_]+}} Depth=1
// PTX-NEXT: bar.sync 0;
// PTX-LABEL: .entry _Z6breaks
// PTX: in Loop: Header=BB{{[0-9_]+}} Depth=1
// PTX-NEXT: bar.sync 0;
// PTX-LABEL: .entry _Z10threadTrip
// PTX: in Loop: Header=BB{{[0-9_]+}} Depth=1
// PTX-NEXT: bar.sync 0;
// PTX-LABEL: .entry _Z8assigned
// PTX: in Loop: Header=BB{{[0-9_]+}} Depth=1
// PTX-NEXT: bar.sync 0;
