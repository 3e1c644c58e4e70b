// The ways to write a variable down that a loop in a callee computes. Numbers
// and pointers are declared first and set in the turns; with arrays, references,
// bindings and several variables in one declaration the rest of the scope goes
// along.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 6braces:1 7doubled:1 5truth:1 7pointer:1 9temporary:1 8together:1 5array:1 9reference:1 10structured:1 8inIfInit:1 8switched:1 5stays:same
// RUN: %same-results %s %t

struct Pair {
  float first, second;
};
struct Cleaner {
  const float *row;
  float *flag;
  __device__ ~Cleaner() { *flag = 1; }
};

__device__ float weigh(const float *a, const float *b, const float *x) {
  float sum = 0;
  for (int j = 0; j < 512; ++j)
    sum += (a[j] + b[j]) * x[j];
  return sum;
}
__device__ float weigh(const Cleaner &a, const float *b, const float *x) {
  return weigh(a.row, b, x);
}
__device__ Pair weighBoth(const float *a, const float *b, const float *x) {
  return {weigh(a, b, x), a[0]};
}
__device__ const float *below(const float *a, const float *b, const float *x) {
  return weigh(a, b, x) > 0 ? a : b;
}

#define ROW A + i * 512, B + i * 512, x
#define KERNEL(NAME)                                                           \
  __global__ void NAME(const float *A, const float *B, const float *x,         \
                       float *y) {                                             \
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#define END }

KERNEL(braces)
  // CHECK-DAG: loop of 'braces' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:11) throttled, N=4:
  float s{weigh(ROW)};
  y[i] = s * s;
END

KERNEL(doubled)
  // CHECK-DAG: loop of 'doubled' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:14) throttled, N=4:
  double s = weigh(ROW);
  y[i] = s * s;
END

KERNEL(truth)
  // CHECK-DAG: loop of 'truth' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:18) throttled, N=4:
  const bool s = weigh(ROW) > 1;
  y[i] = s ? 3 : 4;
END

KERNEL(pointer)
  // CHECK-DAG: loop of 'pointer' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:20) throttled, N=4:
  const float *s = below(ROW);
  y[i] = *s;
END

KERNEL(temporary)
  // CHECK-DAG: loop of 'temporary' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:13) throttled, N=4:
  float s = weigh(Cleaner{A + i * 512, y + i}, B + i * 512, x);
  y[i] += s * s;
END

KERNEL(together)
  // CHECK-DAG: loop of 'together' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:13) throttled, N=4:
  float s = weigh(ROW), t = s * s;
  y[i] = s + t;
END

KERNEL(array)
  // CHECK-DAG: loop of 'array' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:16) throttled, N=4:
  float s[] = {weigh(ROW), A[i]};
  y[i] = s[0] * s[1];
END

KERNEL(reference)
  // CHECK-DAG: loop of 'reference' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:20) throttled, N=4:
  const float &s = weigh(ROW);
  y[i] = s * s;
END

KERNEL(structured)
  // CHECK-DAG: loop of 'structured' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:26) throttled, N=4:
  auto [first, second] = weighBoth(ROW);
  y[i] = first * second;
END

KERNEL(inIfInit)
  // CHECK-DAG: loop of 'inIfInit' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:17) throttled, N=4:
  if (float s = weigh(ROW); s > 1)
    y[i] = s;
END

KERNEL(switched)
  // CHECK-DAG: loop of 'switched' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:15) throttled, N=4:
  switch (int(weigh(ROW))) {
  case 1:
    y[i] = 5;
    break;
  default:
    y[i] = 6;
  }
END

// The rest of the scope may go along only if nothing in it keeps it back.
KERNEL(stays)
  // CHECK-DAG: loop of 'stays' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:26) not throttled: N=4 is wanted ({{.*}}), but the region at {{.*}}:[[@LINE+1]]:3 contains a return at {{.*}}:[[@LINE+3]]:5
  auto [first, second] = weighBoth(ROW);
  if (first == 0)
    return;
  y[i] = first * second;
END


void run(const float *A, const float *B, const float *x, float *y) {
  braces<<<1056, 256>>>(A, B, x, y);
  doubled<<<1056, 256>>>(A, B, x, y);
  truth<<<1056, 256>>>(A, B, x, y);
  pointer<<<1056, 256>>>(A, B, x, y);
  temporary<<<1056, 256>>>(A, B, x, y);
  together<<<1056, 256>>>(A, B, x, y);
  array<<<1056, 256>>>(A, B, x, y);
  reference<<<1056, 256>>>(A, B, x, y);
  structured<<<1056, 256>>>(A, B, x, y);
  inIfInit<<<1056, 256>>>(A, B, x, y);
  switched<<<1056, 256>>>(A, B, x, y);
  stays<<<1056, 256>>>(A, B, x, y);
}
