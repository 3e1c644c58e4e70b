// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that all ways make are made once, with the same bytes.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %same-fewer %s %t block=64 grid=1 int=40
// RUN: %same-fewer %s %t block=64 grid=1 int=40 -ffp-contract=off
// RUN: %same-fewer %s %t block=64 grid=1 int=40 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-call

// REMARK: calls.cu:[[@LINE+22]]:{{[0-9]+}}: remark: 3 calls are made once before loops and branches: all ways through make them [-Rpass=sluice-fewer-instructions]
// REMARK-NOT: remark: {{.*}} call

// Stays a function, as the slow parts of libdevice do.
__device__ __noinline__ double slow(double x, int n) {
  double r = 1;
  for (int i = 0; i < n; ++i)
    r = (r + x / r) * 0.5;
  return r;
}

__global__ void ways(const int *keys, double *out, int n, int steps) {
  double a = out[threadIdx.x], b = 1;
  if (n == 0)
    return;
#pragma unroll 1
  for (int i = threadIdx.x & 7; i < n; ++i) {
    if (keys[i] & 1)
      a += slow(0.5, steps) * b;
    else
      b = (b - a) * slow(0.5, steps);
  }
  out[threadIdx.x] = a * slow(0.5, steps) + slow(b, 2);
}
// CHECK-LABEL: .entry _Z4ways
// CHECK: call.uni
// CHECK: // =>This Inner Loop
// CHECK-NOT: call.uni
// CHECK: $L__BB
// CHECK: call.uni
// CHECK-NOT: call.uni
// CHECK: ret;
// OFF-LABEL: .entry _Z4ways
// OFF-COUNT-4: call.uni
// OFF: ret;

__attribute__((annotate("sluice:off")))
__global__ void off(const int *keys, double *out, int n, int steps) {
  double a = out[threadIdx.x];
#pragma unroll 1
  for (int i = threadIdx.x & 7; i < n; ++i) {
    if (keys[i] & 1)
      a += slow(0.5, steps);
    else
      a = (a + 1) * slow(0.5, steps);
  }
  out[threadIdx.x] = a;
}
// CHECK-LABEL: .entry _Z3off
// CHECK-COUNT-2: call.uni
// CHECK: ret;
