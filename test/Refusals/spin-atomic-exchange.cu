// What the lanes read atomically reaches the exit through an atomic exchange.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int seen[256];
  // CHECK: spin-atomic-exchange.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at spin-atomic-exchange.cu:[[@LINE+1]]:3 contains a loop whose exit depends on
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    do {
      __nvvm_atom_xchg_gen_i(&seen[threadIdx.x], atomicAdd(flag, 0));
      __nvvm_bar_warp_sync(~0u);
    } while (seen[threadIdx.x ^ 1] == 0);
  }
}
