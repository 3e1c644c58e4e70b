// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over a thread's row of known length, in a loop that reads the same row
// again: it is unrolled whole, and each element of the row is loaded once.
//
// RUN: %staging-cc %s -fplugin-arg-sluice-fewer-instructions=off -Rpass=sluice-loads-in-flight -o %t.ptx 2>%t.remarks
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.remarks
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=FUSED < %t.ptx
//
// With fewer blocks, too: that is for loads that are not there then.
// RUN: %staging-cc %s -fplugin-arg-sluice-throttle=1,4 -Rpass=sluice-loads-in-flight 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
//
// With the technique switched off the row is read by 16 bytes. A row that the
// loop around may write is left to other techniques.
// RUN: %staging-cc %s -fplugin-arg-sluice-loads-in-flight=off | FileCheck %s --check-prefix=OFF

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

// REMARK: rows-read-again.cu:[[#@LINE+22]]:5: remark: 40 iterations of the loop are taken together: the loop around it reads the same rows again, from registers then
//
// CHECK-LABEL: .entry nearest
// CHECK-COUNT-40: ld.global
// CHECK: Loop Header
// CHECK-COUNT-40: ld.global
// CHECK-NOT: ld.global
// CHECK: ret;
//
// The first sum is rounded as where clang keeps the loop: it is fused with the
// zero, and no product is left alone that goes into the second.
// FUSED-LABEL: .entry nearest
// FUSED: fma.rn.f32 [[FIRST:%r[0-9]+]], [[X:%r[0-9]+]], [[X]], 0f00000000;
// FUSED: fma.rn.f32 {{%r[0-9]+}}, [[Y:%r[0-9]+]], [[Y]], [[FIRST]];
//
// OFF-LABEL: .entry nearest
// OFF: ld.global.nc.v4
extern "C" __global__ void nearest(const float *__restrict rows, const float *__restrict centres, int *y, int n) {
  float least = 1e30f;
  int found = 0;
  for (int c = 0; c < n; ++c) {
    float d = 0;
    for (int j = 0; j < 40; ++j) {
      float x = rows[ME * 40 + j] - centres[c * 40 + j];
      d += x * x;
    }
    if (d < least) {
      least = d;
      found = c;
    }
  }
  y[ME] = found;
}

extern "C" __global__ void written(const float *rows, const float *centres, float *y, int n) {
  for (int c = 0; c < n; ++c) {
    float d = 0;
    for (int j = 0; j < 40; ++j) {
      float x = rows[ME * 40 + j] - centres[c * 40 + j];
      d += x * x;
    }
    y[c * 8192 + ME] = d;
  }
}
