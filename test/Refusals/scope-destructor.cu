// The variable whose constructor has the loop takes the rest of its scope along
// into the turns, and with it its destructor.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

struct Sum {
  float s = 0;
  __device__ Sum(const float *A, int i) {
    // CHECK: scope-destructor.cu:[[@LINE+1]]:5: remark: loop of 'k' ({{.*}}) not throttled: N=4 is wanted (N=4 was asked for), but the region at scope-destructor.cu:[[@LINE+10]]:3 contains a block barrier
    for (int j = 0; j < 512; ++j)
      s += A[i * 512 + j];
  }
  __device__ ~Sum() { __syncthreads(); }
};

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // The region starts here.
  Sum sum(A, i);
  y[i] = sum.s;
}
