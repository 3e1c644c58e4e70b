// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pitch that only the launch knows: turns where it is large enough, which the
// kernel tests. Of which kernels, and in which code. (What it does when it runs:
// only-if-run.cu.)
//
// RUN: %throttle-cc %s %remarks -Wall -Wextra -o %t.ptx 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 5plain:1 6inChar:1 10asUnsigned:1 6asLong:1 7asShort:1 10afterOther:1 7inlined:1 7closure:1 8shadowed:1 8constant:1 11negativeRow:1 10twoPitches:1 10alsoChosen:1 7changed:same 7counted:same 8referred:same 4lent:1 8captured:same 7asFloat:same 6asBool:same 6asByte:same 6asEnum:same 7product:same 7squared:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off skip=negativeRow,changed,counted,referred,captured,asFloat,asBool,asByte,asEnum,product,squared

#define ROW const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#define SUM(PITCH)                                                             \
  for (int j = 0; j < 512; ++j)                                                 \
    y[i] += A[i * PITCH + j] * B[i * PITCH + j];

// CHECK: remark: loop of 'plain' throttled, N=4 if n >= 32: footprint 532480 B (8 blocks of 520 lines) is beyond the L1 of 229376 B; with N=4 it is 133120 B (
// One copy of the loop, and no barrier where the test fails.
// PTX-LABEL: .entry _Z5plain
// PTX: ld.param.b32 %[[N:r[0-9]+]], [_Z5plain{{.*}}_param_3];
// PTX-DAG: setp.{{lt|gt|ge}}.s32 {{.*}}%[[N]], {{31|32}};
// PTX: .pragma "nounroll";
// PTX: ld.global
// PTX: bar.sync
// PTX-NOT: ld.global
// PTX: End function
__global__ void plain(const float *A, const float *B, float *y, int n) {
  ROW
  SUM(n)
}

// Read elsewhere too, as one of two.
// CHECK: remark: loop of 'alsoChosen' throttled, N=4 if n >= 32:
__global__ void alsoChosen(const float *A, const float *B, float *y, int n,
                           int other) {
  ROW
  SUM(n)
  y[i] += float(i % 2 ? n : other);
}

// CHECK: remark: loop of 'inChar' throttled, N=4 if pitch >= 128:
__global__ void inChar(const char *A, const char *B, int *y, int pitch) {
  ROW
  SUM(pitch)
}

// By its type, a very large one is not negative.
// CHECK: remark: loop of 'asUnsigned' throttled, N=4 if n >= 32:
// PTX-LABEL: .entry _Z10asUnsigned
// PTX: setp.{{lt|gt|ge}}.u32 {{.*}}, {{31|32}};
// PTX: bar.sync
__global__ void asUnsigned(const float *A, const float *B, float *y,
                           unsigned n) {
  ROW
  SUM(n)
}

// CHECK: remark: loop of 'asLong' throttled, N=4 if n >= 32:
// PTX-LABEL: .entry _Z6asLong
// PTX: setp.{{lt|gt|ge}}.s64 {{.*}}, {{31|32}};
// PTX: bar.sync
__global__ void asLong(const float *A, const float *B, float *y, long n) {
  ROW
  SUM(n)
}

// CHECK: remark: loop of 'asShort' throttled, N=4 if n >= 32:
// PTX-LABEL: .entry _Z7asShort
// PTX: setp.{{lt|gt|ge}}.s16 {{.*}}, {{31|32}};
// PTX: bar.sync
__global__ void asShort(const float *A, const float *B, float *y, short n) {
  ROW
  SUM(n)
}

// Parameters that are no plain number before it.
struct Weights {
  float w[4];
  int pitch;
};
struct Empty {};
// CHECK: remark: loop of 'afterOther' throttled, N=4 if n >= 32:
// PTX-LABEL: .entry _Z10afterOther
// PTX: ld.param.b32 %[[N:r[0-9]+]], [_Z10afterOther{{.*}}_param_5];
// PTX-DAG: setp.{{lt|gt|ge}}.s32 {{.*}}%[[N]], {{31|32}};
// PTX: bar.sync
__global__ void afterOther(Weights w, Empty, const float *A, const float *B,
                           float *y, int n) {
  ROW
  y[i] += w.w[0];
  SUM(n)
}

// The turns are in the kernel, and so is the test.
__device__ void addRow(const float *A, const float *B, unsigned i, int m,
                       float *y) {
  SUM(m)
}
// CHECK: remark: loop of 'inlined' (only-if.cu:{{.*}} inlined at {{.*}}) throttled, N=4 if n >= 32:
__global__ void inlined(const float *A, const float *B, float *y, int n) {
  ROW
  addRow(A, B, i, n, y);
}

// CHECK: remark: loop of 'closure' {{.*}}throttled, N=4 if n >= 32:
__global__ void closure(const float *A, const float *B, float *y, int n) {
  ROW
  auto add = [=](int m) { SUM(m) };
  add(n);
}

// Another n around the loop does not matter: the test is of the parameter.
// CHECK: remark: loop of 'shadowed' throttled, N=4 if n >= 32:
// PTX-LABEL: .entry _Z8shadowed
// PTX: ld.param.b32 %[[N:r[0-9]+]], [_Z8shadowed{{.*}}_param_3];
// PTX-DAG: setp.{{lt|gt|ge}}.s32 {{.*}}%[[N]], {{31|32}};
// PTX: bar.sync
__global__ void shadowed(const float *A, const float *B, float *y, int n) {
  ROW
  const int pitch = n;
  for (int n = 0; n < 512; ++n)
    y[i] += A[i * pitch + n] * B[i * pitch + n];
}

// CHECK: remark: loop of 'constant' throttled, N=4 if n >= 32:
__global__ void constant(const float *A, const float *B, float *y,
                         const int n) {
  ROW
  SUM(n)
}

// CHECK: remark: loop of 'negativeRow' throttled, N=4 if n >= 32:
__global__ void negativeRow(const float *A, const float *B, float *y, int n) {
  ROW
  for (int j = 0; j < 512; ++j)
    y[i] += A[j - i * n] * B[j - i * n];
}

// CHECK: remark: loop of 'twoPitches' throttled, N=4 if n >= 32 and m >= 31:
__global__ void twoPitches(const float *A, const float *B, float *y, int n,
                           int m) {
  ROW
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * n + j] * B[i * (m + 1) + j];
}

// What the source makes of a parameter is not what the launch gave.
// CHECK: remark: loop of 'changed' not throttled: the footprint is unknown: the distance between the threads of a warp is not known at compile time for the load at only-if.cu:{{.*}}; it would be with n >= 16, but 'n' is changed in the kernel at only-if.cu:[[@LINE+3]]:5 (
__global__ void changed(const float *A, const float *B, float *y, int n) {
  ROW
  n *= 2;
  SUM(n)
}

// CHECK: remark: loop of 'counted' not throttled: {{.*}}; it would be with n >= 32, but 'n' is changed in the kernel at only-if.cu:[[@LINE+5]]:13 (
__global__ void counted(const float *A, const float *B, float *y, int n) {
  ROW
  SUM(n)
  if (n > 1000)
    y[i] += --n;
}

// CHECK: remark: loop of 'referred' not throttled: {{.*}}; it would be with n >= 32, but 'n' may be changed in the kernel, which takes its address or a reference to it (
__device__ int next(int &n) { return ++n; }
__global__ void referred(const float *A, const float *B, float *y, int n) {
  ROW
  SUM(n)
  y[i] += next(n);
}

// Its reference is only read.
// CHECK: remark: loop of 'lent' throttled, N=4 if n >= 32:
__device__ int twice(const int &n) { return 2 * n; }
__global__ void lent(const float *A, const float *B, float *y, int n) {
  ROW
  SUM(n)
  y[i] += twice(n);
}

// CHECK: remark: loop of 'captured' {{.*}}not throttled: {{.*}}; it would be with n >= 32, but 'n' may be changed in the kernel
__global__ void captured(const float *A, const float *B, float *y, int n) {
  ROW
  auto add = [&] { SUM(n) };
  add();
}

// CHECK: remark: loop of 'asFloat' not throttled: {{.*}}for the load at only-if.cu:[[@LINE+3]]:3 (
__global__ void asFloat(const float *A, const float *B, float *y, float n) {
  ROW
  SUM(static_cast<int>(n))
}

// CHECK: remark: loop of 'asBool' not throttled: {{.*}}for the load at only-if.cu:[[@LINE+3]]:3 (
__global__ void asBool(const float *A, const float *B, float *y, bool n) {
  ROW
  SUM(n)
}

// CHECK: remark: loop of 'asByte' not throttled: {{.*}}; it would be with n >= 128, but 'n' is never so large (
__global__ void asByte(const char *A, const char *B, int *y, signed char n) {
  ROW
  SUM(n)
}

enum Pitch { Narrow = 16, Wide = 512 };
// CHECK: remark: loop of 'asEnum' not throttled: {{.*}}, but 'n' is no plain integer (
__global__ void asEnum(const float *A, const float *B, float *y, Pitch n) {
  ROW
  SUM(n)
}

// Either may be small where the other is large.
// CHECK: remark: loop of 'product' not throttled: {{.*}}for the load at only-if.cu:[[@LINE+4]]:3 (
__global__ void product(const float *A, const float *B, float *y, int n,
                        int m) {
  ROW
  SUM(n * m)
}

// CHECK: remark: loop of 'squared' not throttled: {{.*}}for the load at only-if.cu:[[@LINE+3]]:3 (
__global__ void squared(const float *A, const float *B, float *y, int n) {
  ROW
  SUM(n * n)
}

void run(const float *A, const float *B, float *y, const char *a, int *z,
         int n) {
  plain<<<1056, 256>>>(A, B, y, n);
  alsoChosen<<<1056, 256>>>(A, B, y, n, n);
  inChar<<<1056, 256>>>(a, a, z, n);
  asUnsigned<<<1056, 256>>>(A, B, y, n);
  asLong<<<1056, 256>>>(A, B, y, n);
  asShort<<<1056, 256>>>(A, B, y, n);
  afterOther<<<1056, 256>>>(Weights(), Empty(), A, B, y, n);
  inlined<<<1056, 256>>>(A, B, y, n);
  closure<<<1056, 256>>>(A, B, y, n);
  shadowed<<<1056, 256>>>(A, B, y, n);
  constant<<<1056, 256>>>(A, B, y, n);
  negativeRow<<<1056, 256>>>(A, B, y, n);
  twoPitches<<<1056, 256>>>(A, B, y, n, n);
  changed<<<1056, 256>>>(A, B, y, n);
  counted<<<1056, 256>>>(A, B, y, n);
  referred<<<1056, 256>>>(A, B, y, n);
  lent<<<1056, 256>>>(A, B, y, n);
  captured<<<1056, 256>>>(A, B, y, n);
  asFloat<<<1056, 256>>>(A, B, y, n);
  asBool<<<1056, 256>>>(A, B, y, n);
  asByte<<<1056, 256>>>(a, a, z, n);
  asEnum<<<1056, 256>>>(A, B, y, n > 16 ? Wide : Narrow);
  product<<<1056, 256>>>(A, B, y, n, n);
  squared<<<1056, 256>>>(A, B, y, n);
}
