// `y[i] = weigh(...)`: the statement takes turns; its loop stands in the callee.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t

__device__ float weigh(const float *a, const float *b, const float *x, int n) {
  float sum = 0;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'fires' ({{.*}} inlined at {{.*}}:[[@LINE+10]]:10) throttled, N=4:
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' ({{.*}} inlined at {{.*}}:[[@LINE+15]]:10) not throttled: {{.*}} fits the L1
  for (int j = 0; j < n; ++j)
    sum += (a[j] + b[j]) * x[j];
  return sum;
}

__global__ void fires(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = weigh(A + i * 512, B + i * 512, x, 512);
}

__global__ void stays(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = weigh(A + i * 8, B + i * 8, x, 512);
}

void run(const float *A, const float *B, const float *x, float *y) {
  fires<<<1056, 256>>>(A, B, x, y);
  stays<<<1056, 256>>>(A, B, x, y);
}
