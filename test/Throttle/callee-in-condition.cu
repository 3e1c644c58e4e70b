// A call in a condition: the whole if statement takes turns. A call behind &&
// too, which only some threads reach; with a return behind it none may.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 elsewhere:1 stays:same
// RUN: %same-results %s %t

__device__ float weigh(const float *a, const float *b, const float *x, int n) {
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += (a[j] + b[j]) * x[j];
  return sum;
}

__global__ void fires(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: loop of 'fires' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:7) throttled, N=4:
  if (weigh(A + i * 512, B + i * 512, x, 512) > 1)
    y[i] = 1;
  else
    y[i] = 2;
}

__global__ void elsewhere(const float *A, const float *B, const float *x,
                          float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: loop of 'elsewhere' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:20) throttled, N=4:
  if (y[i] != 0 && weigh(A + i * 512, B + i * 512, x, 512) > 1)
    y[i] = 1;
}

__global__ void stays(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: loop of 'stays' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:7) not throttled: N=4 is wanted ({{.*}}), but the region at {{.*}}:[[@LINE+1]]:3 contains a return at {{.*}}:[[@LINE+2]]:5
  if (weigh(A + i * 512, B + i * 512, x, 512) > 1)
    return;
  y[i] = 2;
}

void run(const float *A, const float *B, const float *x, float *y) {
  fires<<<1056, 256>>>(A, B, x, y);
  elsewhere<<<1056, 256>>>(A, B, x, y);
  stays<<<1056, 256>>>(A, B, x, y);
}
