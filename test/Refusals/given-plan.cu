// A plan that the user has edited asks for turns where they are illegal.
//
// RUN: rm -f %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml > /dev/null
// RUN: sed 's/throttle: *1$/throttle: 4/' %t.yaml > %t.edited.yaml
// RUN: grep 'throttle: 4' %t.edited.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.edited.yaml %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.edited.yaml 2>/dev/null | grep -v __sluice_host | diff %t.plain -

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: given-plan.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is planned, but the region at given-plan.cu:[[@LINE+1]]:3 contains a block barrier at given-plan.cu:[[@LINE+3]]:5
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    __syncthreads();
  }
}

void run(const float *A, float *y) { k<<<132 * 8, 256>>>(A, y); }
