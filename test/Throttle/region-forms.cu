// Where a call with a loop can stand, and what takes turns then: always a whole
// statement, the smallest that all threads reach.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 8captured:1 8inSwitch:1 5comma:1 7forInit:1 9condition:1 11constexpr:1 8shadowed:1 8rangeFor:1 9immediate:1 11conditional:1 3allI:1 5stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__device__ float weigh(const float *a, const float *b, const float *x) {
  float sum = 0;
  for (int j = 0; j < 512; ++j)
    sum += (a[j] + b[j]) * x[j];
  return sum;
}

#define ROW A + i * 512, B + i * 512, x
#define KERNEL(NAME)                                                           \
  __global__ void NAME(const float *A, const float *B, const float *x,         \
                       float *y, int n) {                                      \
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#define END }

// The variable is captured, by value and by reference, after it was set.
KERNEL(captured)
  // CHECK-DAG: loop of 'captured' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:19) throttled, N=4:
  const float s = weigh(ROW);
  auto times = [=](float t) { return s * t; };
  auto minus = [&](float t) { return s - t; };
  y[i] = times(3) + minus(4);
END

KERNEL(inSwitch)
  switch (n) {
  case 0: {
    // CHECK-DAG: loop of 'inSwitch' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:15) throttled, N=4:
    float s = weigh(ROW);
    y[i] = s;
    break;
  }
  default:
    y[i] = 2;
  }
END

KERNEL(comma)
  float s, t;
  // CHECK-DAG: loop of 'comma' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:7) throttled, N=4:
  s = weigh(ROW), t = s * 2;
  y[i] = s + t;
END

KERNEL(forInit)
  // CHECK-DAG: loop of 'forInit' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:18) throttled, N=4:
  for (float s = weigh(ROW); s > 1; s /= 2)
    y[i] += 1;
END

KERNEL(condition)
  // CHECK-DAG: loop of 'condition' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:10) throttled, N=4:
  while (weigh(ROW) > y[i])
    y[i] += 1;
END

KERNEL(constexprIf)
  if constexpr (sizeof(int) == 4) {
    // CHECK-DAG: loop of 'constexprIf' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:12) throttled, N=4:
    y[i] = weigh(ROW);
  }
END

KERNEL(shadowed)
  float s = 3;
  {
    // CHECK-DAG: loop of 'shadowed' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:15) throttled, N=4:
    float s = weigh(ROW);
    y[i] = s;
  }
  y[i] += s;
END

KERNEL(rangeFor)
  const float *matrices[] = {A, B};
  for (const float *M : matrices)
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'rangeFor' throttled, N={{[24]}}:
    for (int j = 0; j < 512; ++j)
      y[i] += M[i * 512 + j] * x[i * 512 + j];
END

KERNEL(immediate)
  // CHECK-DAG: loop of 'immediate' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:19) throttled, N=4:
  const float s = [&] {
    float sum = 0;
    for (int j = 0; j < 512; ++j)
      sum += (A[i * 512 + j] + B[i * 512 + j]) * x[j];
    return sum;
  }();
  y[i] = s;
END

// Both calls are in one statement, so they take turns together.
KERNEL(conditional)
  // CHECK-DAG: loop of 'conditional' ({{.*}} inlined at {{.*}}:[[@LINE+2]]:18) throttled, N=4:
  // CHECK-DAG: loop of 'conditional' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:42) throttled, N=4:
  y[i] = n > 3 ? weigh(ROW) : y[i] > 2 ? weigh(ROW) : 1;
END

struct AddRows {
  const float *A, *B;
  float *y;
  __device__ void operator()(int i) const {
    // CHECK-DAG: [[@LINE+2]]:5: remark: loop of 'all<AddRows, AddRows>' ({{[^#]*}}) throttled, N=4:
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'all<AddRows, AddRows>' ({{[^#]*}} #1) throttled, N=4:
    for (int j = 0; j < 512; ++j)
      y[i] += A[i * 512 + j] * B[i * 512 + j];
  }
};
template <class... F> __global__ void all(F... functions) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  (functions(i), ...);
}

KERNEL(stays)
  // CHECK-DAG: loop of 'stays' ({{.*}}) not throttled: N=4 is wanted ({{.*}}), but the region at {{.*}}:[[@LINE+1]]:3 contains a return at {{.*}}:[[@LINE+3]]:5
  if (i < n) {
    y[i] = weigh(ROW);
    return;
  }
  y[i] = 0;
END

void run(const float *A, const float *B, const float *x, float *y, int n) {
  captured<<<1056, 256>>>(A, B, x, y, n);
  inSwitch<<<1056, 256>>>(A, B, x, y, n);
  comma<<<1056, 256>>>(A, B, x, y, n);
  forInit<<<1056, 256>>>(A, B, x, y, n);
  condition<<<1056, 256>>>(A, B, x, y, n);
  constexprIf<<<1056, 256>>>(A, B, x, y, n);
  shadowed<<<1056, 256>>>(A, B, x, y, n);
  rangeFor<<<1056, 256>>>(A, B, x, y, n);
  immediate<<<1056, 256>>>(A, B, x, y, n);
  conditional<<<1056, 256>>>(A, B, x, y, n);
  all<<<1056, 256>>>(AddRows{A, B, y}, AddRows{B, A, y + 1});
  stays<<<1056, 256>>>(A, B, x, y, n);
}
