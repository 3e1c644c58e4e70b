// A kernel has one body for all its launches: it is throttled only if each of
// them is better off, and by the N of the one that needs most.
//
// RUN: %sluice-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 5equal:1 8agreeing:1 11disagreeing:same 7unknown:same 5never:same
// RUN: %same-results %s %t

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
// CHECK: remark: loop of 'disagreeing' not throttled: the launch at launches-several.cu:[[@LINE+16]]:3: footprint {{.*}} fits the L1
__global__ void disagreeing BODY
// CHECK: remark: loop of 'unknown' not throttled: the launch at launches-several.cu:[[@LINE+17]]:3 has a grid that is not known
__global__ void unknown BODY
// CHECK: remark: loop of 'never' not throttled: no launch of this kernel is in this file; give one with launch=KERNEL:GRID:BLOCK[:SMEM]
__global__ void never BODY

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
}
