// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows in registers: 16 bytes at a time, from the first multiple of that on;
// the loop as it was stays for what is before and behind. On any GPU, of
// all types; rows that are written too, also in place.
//
// DEFINE: %{old-cc} = %staging-cc --no-offload-arch=sm_90 --offload-arch=sm_70
// RUN: %{old-cc} %s -fplugin-arg-sluice-software-l1=registers -Rpass=sluice-software 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %{old-cc} %s -fplugin-arg-sluice-software-l1=off | FileCheck %s --check-prefix=OFF
// RUN: %{old-cc} %s -fplugin-arg-sluice-software-l1=registers -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.s
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// RUN: %{old-cc} %s -fplugin-arg-sluice-plan=%t.yaml -fplugin-arg-sluice-short-rows=off | diff %t.s -
// RUN: FileCheck %s --check-prefix=AUTO --input-file %t.s
//
// OFF-NOT: v4.b32
// AUTO: .entry _Z6floatsPKfPfi(
// AUTO: .maxnreg 64
// AUTO: ld.global.nc.v4.b32
// AUTO: .entry _Z5upperPKcPci
// AUTO: st.global.v4.b32
// PLAN: sluice-plan: 9
// PLAN: widened:
// PLAN-NEXT: - at: 'registers.cu:[[#]]:
// PLAN-NEXT: widened-why: each thread has a row of its own
// REMARK: registers.cu:[[#]]:3: remark: 1 stream of the loop moved 16 bytes at a time, 4 iterations at a time: each thread has a row of its own
// REMARK: registers.cu:[[#]]:3: remark: 2 streams of the loop moved 16 bytes at a time, 16 iterations at a time: each thread has 2 rows of its own

#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#define ROW A[ME * 512 + j]

// CHECK: .entry _Z6floatsPKfPfi(
// CHECK: .maxnreg 64
// CHECK: ld.global.nc.v4.b32
// CHECK: fma.rn.f32
// CHECK: fma.rn.f32
// CHECK: fma.rn.f32
// CHECK: fma.rn.f32
// CHECK: ld.global.nc.b32
__global__ void floats(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + ROW;
  y[ME] = s;
}

// CHECK: .entry _Z7doublesPKdPdi(
// CHECK: ld.global.nc.v2.b64
// CHECK: ld.global.nc.b64
__global__ void doubles(const double *__restrict__ A, double *y, int n) {
  double s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 0.5 + ROW;
  y[ME] = s;
}

// CHECK: .entry _Z4intsPKiPii(
// CHECK: ld.global.nc.v4.b32
__global__ void ints(const int *__restrict__ A, int *y, int n) {
  int s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 3 ^ ROW;
  y[ME] = s;
}

// CHECK: .entry _Z6halvesPKtPii(
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: local
__global__ void halves(const unsigned short *__restrict__ A, int *y, int n) {
  int s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 3 + ROW;
  y[ME] = s;
}

// Words of a text. With a branch: then the loads are in several basic blocks.
// CHECK: .entry _Z5wordsPKcPii(
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK: st.global.b32
// CHECK: ld.global.nc.b8
// CHECK-NOT: local
__global__ void words(const char *__restrict__ A, int *y, int n) {
  int s = 0;
  bool Blank = true;
  for (int j = 0; j < n; ++j) {
    char c = ROW;
    bool Is = c == ' ' || (c >= '\t' && c <= '\r');
    if (Blank && !Is)
      y[ME] = ++s;
    Blank = Is;
  }
  y[ME] = s;
}

struct Point {
  float X, Y, Z;
};

// Three blocks of 16 bytes for four points.
// CHECK: .entry _Z6pointsPK5PointPfi(
// CHECK-COUNT-3: ld.global.nc.v4.b32
__global__ void points(const Point *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + ROW.X * ROW.Z;
  y[ME] = s;
}

// CHECK: .entry _Z5upperPKcPci(
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: st.global.b8
// CHECK: st.global.v4.b32
__global__ void upper(const char *__restrict__ A, char *__restrict__ B, int n) {
  for (int j = 0; j < n; ++j) {
    char c = ROW;
    B[ME * 512 + j] = c >= 'a' && c <= 'z' ? c - 32 : c;
  }
}

// CHECK: .entry _Z7inPlacePfi(
// CHECK: ld.global.v4.b32
// CHECK-NOT: st.global.b32
// CHECK: st.global.v4.b32
__global__ void inPlace(float *A, int n) {
  for (int j = 0; j < n; ++j)
    ROW = ROW * 2 + 1;
}

void run(const float *A, float *y, int n) {
  floats<<<1056, 256>>>(A, y, 512);
  points<<<1056, 256>>>((const Point *)A, y, 512);
}
