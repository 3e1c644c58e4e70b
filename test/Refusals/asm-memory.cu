// Inline assembly that clobbers memory.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: asm-memory.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at asm-memory.cu:[[@LINE+1]]:3 contains inline assembly with side effects at asm-memory.cu:[[@LINE+4]]:5
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    int v;
    asm("mov.u32 %0, 1;" : "=r"(v) : "r"(j) : "memory");
    y[i] += v;
  }
}
