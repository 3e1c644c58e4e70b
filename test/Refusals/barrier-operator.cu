// A barrier in an overloaded operator.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

struct Value {
  float v;
};
__device__ Value operator+(Value a, Value b) {
  __syncthreads();
  return {a.v + b.v};
}
__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: barrier-operator.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at barrier-operator.cu:[[@LINE+1]]:3 contains a block barrier (in 'operator+(Value, Value)') at barrier-operator.cu:[[@LINE-5]]:3
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    y[i] = (Value{y[i]} + Value{1}).v;
  }
}
