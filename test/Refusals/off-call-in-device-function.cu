// Before a call in a device function.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__device__ float sum(const float *A, int i) {
  float s = 0;
  // CHECK: off-call-in-device-function.cu:[[@LINE+1]]:3: remark: loop of 'k' ({{.*}}) not throttled: {{.*}}is switched off in the source
  for (int j = 0; j < 512; ++j)
    s += A[i * 512 + j];
  return s;
}
__device__ float twice(const float *A, int i) {
  float s;
#pragma sluice off
  s = sum(A, i);
  return 2 * s;
}

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = twice(A, i);
}
