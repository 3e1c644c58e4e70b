// Waiting on a load in inline assembly, without volatile.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: spin-asm.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at spin-asm.cu:[[@LINE+1]]:3 contains a loop whose exit depends on inline assembly, so its warps may wait for one another at spin-asm.cu:[[@LINE+5]]:7
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    int v = 0;
    while (v == 0) {
      asm("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(flag), "r"(v));
    }
  }
}
