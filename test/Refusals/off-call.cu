// Before the statement that calls the function with the loop.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__device__ float sum(const float *A, int i) {
  float s = 0;
  // CHECK: off-call.cu:[[@LINE+1]]:3: remark: loop of 'k' ({{.*}}) not throttled: {{.*}}is switched off in the source
  for (int j = 0; j < 512; ++j)
    s += A[i * 512 + j];
  return s;
}

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma sluice off
  y[i] = sum(A, i);
}
