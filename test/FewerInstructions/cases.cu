// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A boundary condition by the bits of a mask: two cases read, one copies, the
// others are none. The block that reads has one way in.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %same-fewer %s %t int=3 block=64 grid=1 fill=ints=8
// RUN: %same-fewer %s %t int=3 block=64 grid=1 fill=ints=8 expect=different -fplugin-arg-sluice-test-wrong-rewrite=lost-case

// REMARK: remark: 1 switch asks the cases that go one way by one condition [-Rpass=sluice-fewer-instructions]
// CHECK-LABEL: .entry bounds
// CHECK: or.pred
// CHECK: ret;
extern "C" __global__ void bounds(const int *mask, const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float v;
  switch (mask[me] & 7) {
  case 4:
  case 0:
    v = a[me] / n;
    break;
  case 1:
    v = out[me] * 2;
    break;
  default:
    v = 0;
  }
  out[me] = v;
}
