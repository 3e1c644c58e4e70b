// A kernel has one body for all its launches: where they do not agree on N, or
// their sizes are not known, it looks N up when it runs.
//
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-remarks=all -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 5equal:1 8agreeing:1 11disagreeing:1 7unknown:1 5never:1 5small:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

#define BODY                                                                   \
  (const float *A, const float *B, float *sums) {                              \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    for (int j = 0; j < 512; ++j)                                              \
      sums[i] += A[i * 512 + j] * B[i * 512 + j];                              \
  }

// CHECK: remark: loop of 'equal' throttled, N=4:
__global__ void equal BODY
// CHECK: remark: loop of 'agreeing' throttled, N=4:
__global__ void agreeing BODY
// CHECK: remark: loop of 'disagreeing' throttled, N by launch (256 threads: N=4 from 1056 blocks):
__global__ void disagreeing BODY
// CHECK: remark: loop of 'unknown' throttled, N by launch (256 threads: N=2 from 397 blocks, N=4 from 793 blocks):
__global__ void unknown BODY
// CHECK: remark: loop of 'never' throttled, N by launch ({{.*}}; 256 threads: N=2 from 397 blocks, N=4 from 793 blocks; {{.*}}; more in the plan): with blocks of 1024 threads:
__global__ void never BODY
// CHECK: remark: loop of 'small' not throttled: the launch at launches-several.cu:[[@LINE+17]]:3: footprint {{.*}} fits the L1
__global__ void small BODY

void run(const float *A, const float *B, float *sums, int size) {
  equal<<<1056, 256>>>(A, B, sums);
  equal<<<1056, 256>>>(B, A, sums);

  agreeing<<<528, 512>>>(A, B, sums);
  agreeing<<<1056, 256>>>(A, B, sums);

  disagreeing<<<1056, 256>>>(A, B, sums);
  // A small one, too.
  disagreeing<<<4, 256>>>(A, B, sums);

  unknown<<<1056, 256>>>(A, B, sums);
  unknown<<<size, 256>>>(A, B, sums);

  small<<<132, 256>>>(A, B, sums);
  small<<<264, 128>>>(A, B, sums);
}
