// In a macro, as _Pragma.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

#define SLUICE_OFF _Pragma("sluice off")
__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  SLUICE_OFF
  // CHECK: off-macro.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at off-macro.cu:[[@LINE+1]]:3 is switched off in the source (#pragma sluice off)
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j];
}
