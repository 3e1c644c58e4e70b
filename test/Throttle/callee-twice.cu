// Two calls of one function, in two statements and in one. Each statement takes
// turns by itself.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -fplugin-arg-sluice-remarks=all -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx _Z15inTwoSta:2 _Z14inOneStat:1 _Z5stays:same
// RUN: %same-results %s %t

__device__ float weigh(const float *a, const float *b, const float *x, int n) {
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += (a[j] + b[j]) * x[j];
  return sum;
}

__global__ void inTwoStatements(const float *A, const float *B, const float *x,
                                float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: loop of 'inTwoStatements' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:15) throttled, N=[[TWO:[0-9]+]]:
  float one = weigh(A + i * 512, B + i * 512, x, 512);
  // CHECK-DAG: loop of 'inTwoStatements' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:10) throttled, N=[[TWO]]:
  y[i] = weigh(B + i * 512, A + i * 512, x + 512, 512) - one;
}

__global__ void inOneStatement(const float *A, const float *B, const float *x,
                               float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: loop of 'inOneStatement' ({{.*}} inlined at {{.*}}:[[@LINE+2]]:10) throttled, N=[[ONE:[0-9]+]]:
  // CHECK-DAG: loop of 'inOneStatement' ({{.*}} inlined at {{.*}}:[[@LINE+2]]:10) throttled, N=[[ONE]]:
  y[i] = weigh(A + i * 512, B + i * 512, x, 512) -
         weigh(B + i * 512, A + i * 512, x + 512, 512);
}

__global__ void stays(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: loop of 'stays' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:15) not throttled: {{.*}} fits the L1
  float one = weigh(A + i * 8, B + i * 8, x, 512);
  // CHECK-DAG: loop of 'stays' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:10) not throttled: {{.*}} fits the L1
  y[i] = weigh(B + i * 8, A + i * 8, x + 512, 512) - one;
}

void run(const float *A, const float *B, const float *x, float *y) {
  inTwoStatements<<<1056, 256>>>(A, B, x, y);
  inOneStatement<<<1056, 256>>>(A, B, x, y);
  stays<<<1056, 256>>>(A, B, x, y);
}
