// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of double are read from constant memory in loops that have four and
// more of them: no instruction has room for them. Those with nothing in their
// lower half it has room for.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer -o %t.ptx 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not="in constant memory"
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %fewer-cc %s -fgpu-rdc -S -o - | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 7; do %same-fewer %s %t int=$n block=64 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=7 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=next-constant

// One array for the file; what several kernels have is in it once.
// CHECK: .const .align 8 .b8 [[ARRAY:[a-z_$]+]][40]
// OFF-NOT: .const

// REMARK: wide.cu:[[#@LINE+12]]:{{[0-9]+}}: remark: 4 constants of loops are in constant memory: instructions have no room for them [-Rpass=sluice-fewer-instructions]

// CHECK-LABEL: .entry polynomial(
// CHECK-COUNT-4: ld.const.b64
// CHECK-NOT: 0d3F
// CHECK: fma.rn.f64 {{.*}}, 0d4004000000000000
// CHECK-NOT: 0d3F
// CHECK: ret;
extern "C" __global__ void polynomial(const float *a, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[me];
  for (int i = 0; i < n; ++i)
    x = (((x * 0.1 + 0.2) * x + 2.5) * x + 0.3) * 0.7;
  out[me] = x;
}

// Outside of the loop the same constants are read from there too, so that equal
// products stay equal; others are not.
// REMARK: wide.cu:[[#@LINE+11]]:{{[0-9]+}}: remark: 4 constants of loops are in constant memory

// CHECK-LABEL: .entry around(
// CHECK-COUNT-4: ld.const.b64
// CHECK: 0d3FECCCCCCCCCCCCD
// CHECK: ret;
extern "C" __global__ void around(const float *a, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = a[me];
  double y = x * 0.1 + 0.9, z = x;
  for (int i = 0; i < n; ++i) {
    y = y * 0.3 + 0.1;
    z = z * 0.7 + y + 1.1;
  }
  out[me] = y * 0.9 + z;
}

// Three are few.
// CHECK-LABEL: .entry few(
// CHECK-NOT: ld.const
// CHECK: ret;
extern "C" __global__ void few(const float *a, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[me];
  for (int i = 0; i < n; ++i)
    x = (x * 0.1 + 0.2) * x + 0.3;
  out[me] = x;
}

// CHECK-LABEL: .entry noLoop(
// CHECK-NOT: ld.const
// CHECK: ret;
extern "C" __global__ void noLoop(const float *a, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = a[me];
  out[me] = (((x * 0.1 + 0.2) * x + 0.5) * x + 0.3) * 0.7;
}

// Divisors: the division by one may be a product. And floats.
// CHECK-LABEL: .entry others(
// CHECK-NOT: ld.const
// CHECK: ret;
extern "C" __global__ void others(const float *a, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[me];
  float y = a[me];
  for (int i = 0; i < n; ++i) {
    x = (x / 0.1 + 1.5) / 0.3 + (x / 0.7 - 2.5) / 0.9;
    y = ((y * 0.1f + 0.2f) * y + 0.3f) * 0.7f;
  }
  out[me] = x + y;
}

// A factor with both signs stays: LLVM may make one product of both.
// CHECK-LABEL: .entry bothSigns(
// CHECK-NOT: ld.const
// CHECK: ret;
extern "C" __global__ void bothSigns(const float *a, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[me], y = n;
  for (int i = 0; i < n; ++i) {
    const double p = x * 0.1, q = y * -0.1;
    x = p * p + 0.3;
    y = q * q + 0.7;
  }
  out[me] = x + y;
}

// Where sums may be in another order, constants may be added to each other.
// CHECK-LABEL: .entry anyOrder(
// CHECK-NOT: ld.const
// CHECK: ret;
extern "C" __global__ void anyOrder(const float *a, float *out, int n) {
#pragma clang fp reassociate(on)
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[me];
  for (int i = 0; i < n; ++i)
    x = (((x * 0.1 + 0.2) * x + 2.5) * x + 0.3) * 0.7;
  out[me] = x;
}

// CHECK-LABEL: .entry asWritten(
// CHECK-NOT: ld.const
// CHECK: ret;
extern "C" __global__ void asWritten(const float *a, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[me];
#pragma sluice off
  for (int i = 0; i < n; ++i)
    x = (((x * 0.1 + 0.2) * x + 2.5) * x + 0.3) * 0.7;
  out[me] = x;
}
