// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of libdevice with constants are computed, with the same bytes.
//
// RUN: %fewer-libdevice-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %same-libdevice-fewer %s %t block=64 grid=1
// RUN: %same-libdevice-fewer %s %t block=64 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-constant

// REMARK: remark: 2 calls with constants are computed [-Rpass=sluice-fewer-instructions]

extern "C" __device__ double __nv_pow(double, double);

// The random numbers of the NAS benchmarks: 46 bits, in halves.
__global__ void halves(double *x) {
  const double r23 = __nv_pow(0.5, 23.0), t23 = __nv_pow(2.0, 23.0);
  const double whole = x[threadIdx.x] * 1e12;
  const double high = (int)(r23 * whole), low = whole - t23 * high;
  x[threadIdx.x] = (r23 * r23) * (high * low + t23 * low);
}
// CHECK-LABEL: .entry _Z6halves
// CHECK-NOT: call.uni
// CHECK: mul.f64 {{.*}}, 0d3E80000000000000;
// CHECK-NOT: call.uni
// CHECK: ret;

// The reciprocal counts here, and only the chip knows its last bits.
__global__ void others(double *x) {
  x[threadIdx.x] *= __nv_pow(10.0, 23.0);
}
// CHECK-LABEL: .entry _Z6others
// CHECK: call.uni
// CHECK: ret;

__attribute__((annotate("sluice:off"))) __global__ void off(double *x) {
  x[threadIdx.x] *= __nv_pow(2.0, 23.0);
}
// CHECK-LABEL: .entry _Z3off
// CHECK: call.uni
// CHECK: ret;
