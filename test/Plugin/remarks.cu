// One remark where one will do: a kernel whose loops are left alone for one
// reason gets one, a library's kernel none. With remarks=all each loop has its
// own, and so it has in the record.
//
// RUN: %throttle-cc %s %remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: %throttle-cc %s %remarks -o /dev/null -fplugin-arg-sluice-remarks=all 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %throttle-cc %s -o /dev/null -fsave-optimization-record -foptimization-record-file=%t.yaml
// RUN: grep -c 'Name: *NotThrottled' %t.yaml | FileCheck %s --check-prefix=RECORD
// RECORD: 10
// RUN: not %throttle-cc %s -o /dev/null -fplugin-arg-sluice-remarks=some 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: invalid value 'some' for option 'remarks': expected auto or all

extern __shared__ float dynamic[];

// CHECK: remarks.cu:[[#SMALL:]]:17: remark: none of the 2 loops of 'small' throttled: no load is known to touch its cache line again in the next iteration
// CHECK: remarks.cu:[[#SMALL+9]]:3: remark: loop of 'mixed' not throttled: footprint {{.*}} fits the L1
// CHECK: remarks.cu:[[#SMALL+11]]:3: remark: 2 loops of 'mixed' not throttled, this the first: no load is known
// Those that are not launched come last, and their one line says what to do.
// CHECK: remarks.cu:[[#SMALL-9]]:17: remark: none of the 3 loops of 'elsewhere' throttled: no launch of this kernel is in this file; give one with launch=KERNEL:GRID:BLOCK[:SMEM]
// ALL-COUNT-10: remark: loop of {{.*}} not throttled:
__global__ void elsewhere(float *A, const float *B, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    A[j * n + i] = dynamic[j];
  for (int j = 0; j < n; ++j)
    A[j * n + i] = B[j * n + i];
  for (int j = 0; j < n; ++j)
    A[i * n + j] += B[i * n + j];
}
__global__ void small(float *A, const float *B, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    A[j * 4096 + i] = B[j * 4096 + i];
  for (int j = 0; j < n; ++j)
    A[j * 4096 + i] += 2 * B[j * 4096 + i];
}
__global__ void mixed(float *A, const float *B) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    A[j * 4096 + i] = B[i * 512 + j];
  for (int j = 0; j < 512; ++j)
    A[j * 4096 + i] += B[j * 4096 + i];
  for (int j = 0; j < 512; ++j)
    A[j * 4096 + i] += 2 * B[j * 4096 + i];
}
void run(float *A, const float *B, int n) {
  small<<<1056, 256>>>(A, B, n);
  mixed<<<4, 32>>>(A, B);
}
# 1 "library.h" 1 3
template <class T> __global__ void ofLibrary(T *A, const T *B, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    A[j * 4096 + i] = B[j * 4096 + i];
  for (int j = 0; j < n; ++j)
    A[j * 4096 + i] += B[j * 4096 + i];
}
template __global__ void ofLibrary(float *, const float *, int);
