// `float s = weigh(...)`: the variable outlives the turns, so only its
// initialisation takes them. Const, auto and T s(...) are no different.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx _Z11initialis:1 _Z8constant:1 _Z7deduced:1 _Z13parenthes:1 _Z5stays:same
// RUN: %same-results %s %t

__device__ float weigh(const float *a, const float *b, const float *x, int n) {
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += (a[j] + b[j]) * x[j];
  return sum;
}

__global__ void initialised(const float *A, const float *B, const float *x,
                            float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: loop of 'initialised' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:13) throttled, N=4:
  float s = weigh(A + i * 512, B + i * 512, x, 512);
  y[i] = s * s;
}

__global__ void constant(const float *A, const float *B, const float *x,
                         float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: loop of 'constant' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:19) throttled, N=4:
  const float s = weigh(A + i * 512, B + i * 512, x, 512);
  y[i] = s * s;
}

__global__ void deduced(const float *A, const float *B, const float *x,
                        float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: loop of 'deduced' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:18) throttled, N=4:
  const auto s = weigh(A + i * 512, B + i * 512, x, 512);
  y[i] = s * s;
}

__global__ void parenthesised(const float *A, const float *B, const float *x,
                              float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: loop of 'parenthesised' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:11) throttled, N=4:
  float s(weigh(A + i * 512, B + i * 512, x, 512));
  y[i] = s * s;
}

__global__ void stays(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: loop of 'stays' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:13) not throttled: {{.*}} fits the L1
  float s = weigh(A + i * 8, B + i * 8, x, 512);
  y[i] = s * s;
}

void run(const float *A, const float *B, const float *x, float *y) {
  initialised<<<1056, 256>>>(A, B, x, y);
  constant<<<1056, 256>>>(A, B, x, y);
  deduced<<<1056, 256>>>(A, B, x, y);
  parenthesised<<<1056, 256>>>(A, B, x, y);
  stays<<<1056, 256>>>(A, B, x, y);
}

// The barrier comes first; the square of the sum is stored behind it.
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// PTX-LABEL: .entry _Z11initialised
// PTX-COUNT-1: bar.sync
// PTX-NOT: bar.sync
// PTX: mul.{{(rn.)?}}f32 [[SQUARE:%r[0-9]+]], [[S:%r[0-9]+]], [[S]];
// PTX: st.global.b32 [{{.*}}], [[SQUARE]];
// PTX-LABEL: .entry _Z8constant
