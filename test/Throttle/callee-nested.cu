// The loop is two calls away from the kernel.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t

__device__ float weigh(const float *a, const float *b, const float *x, int n) {
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += (a[j] + b[j]) * x[j];
  return sum;
}

__device__ float weighRow(const float *A, const float *B, const float *x, int i,
                          int pitch) {
  return weigh(A + i * pitch, B + i * pitch, x, 512);
}

__device__ float square(float v) { return v * v; }

__global__ void fires(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: loop of 'fires' ({{.*}} inlined at {{.*}} inlined at {{.*}}:[[@LINE+1]]:17) throttled, N=4:
  y[i] = square(weighRow(A, B, x, i, 512));
}

__global__ void stays(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: loop of 'stays' ({{.*}} inlined at {{.*}} inlined at {{.*}}:[[@LINE+1]]:17) not throttled: {{.*}} fits the L1
  y[i] = square(weighRow(A, B, x, i, 8));
}

void run(const float *A, const float *B, const float *x, float *y) {
  fires<<<1056, 256>>>(A, B, x, y);
  stays<<<1056, 256>>>(A, B, x, y);
}
