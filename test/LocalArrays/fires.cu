// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's arrays, and loops over them that clang leaves: they are unrolled
// whole, and nothing is in local memory. The source, an option, a plan and -Os
// keep them where they are. What was rounded on its way to an array stays so:
// the fault that fuses it changes results.
//
// RUN: %arrays-cc %s -Rpass=sluice-local-arrays 2>%t.remarks >%t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: %plain-cc %s > %t.plain
// RUN: FileCheck %s --check-prefix=PLAIN --input-file %t.plain
// RUN: %arrays-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-local-arrays=off | diff %t.plain -
// RUN: %arrays-cc %s -fplugin-arg-sluice-emit-plan=%t.plan.yaml > /dev/null
// RUN: sed -e 's/sluice-plan: .*/sluice-plan: 13/' -e '/name: .*\(rows\|products\)$/a\    arrays-in-registers: false' %t.plan.yaml > %t.kept.yaml
// RUN: %arrays-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-plan=%t.kept.yaml | diff %t.plain -
// RUN: %plain-cc %s -Os > %t.small
// RUN: %arrays-cc %s -fplugin-arg-sluice-fewer-instructions=off -Os | diff %t.small -
// RUN: %same-staged %s %t block=64 grid=2
// RUN: %same-staged %s %t block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=summed-array
//
// PLAIN: .entry rows
// PLAIN: st.local
// PLAIN: .entry products
// PLAIN: st.local
//
// CHECK: .entry rows
// CHECK-NOT: .local
// CHECK: .entry products
// CHECK-NOT: .local
// CHECK: mul.rn.f32
// CHECK-NOT: .local
// CHECK: .entry off
// CHECK: st.local
// REMARK: fires.cu:[[#@LINE+16]]:3: remark: the loop is unrolled whole: arrays of 128 bytes that it goes over are in registers then
// REMARK: fires.cu:[[#@LINE+23]]:3: remark: the loop is unrolled whole: arrays of 64 bytes that it goes over are in registers then

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

// Longer than LLVM's threshold for loops that are unrolled whole.
__device__ inline float longWay(float x, float y) {
#define STEP y = (y > x ? y - x : x - y) / (x * x + 1.5f);
  STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
  return y;
}

extern "C" __global__ void rows(const float *A, float *y) {
  float v[16], w[16];
  for (int j = 0; j < 16; ++j)
    v[j] = A[j * 4096 + ME];
  for (int j = 0; j < 16; ++j)
    w[j] = longWay(v[j], v[15 - j]);
  for (int j = 0; j < 16; ++j)
    y[j * 4096 + ME] = w[j];
}

extern "C" __global__ void products(const float *A, float *y) {
  float v[16], s = 0;
  for (int j = 0; j < 16; ++j)
    v[j] = A[j * 4096 + ME] * longWay(A[j * 4096 + ME], 2.f);
  for (int j = 0; j < 16; ++j)
    s += v[j];
  y[ME] = s;
}

__attribute__((annotate("sluice:off")))
extern "C" __global__ void off(const float *A, float *y) {
  float v[16];
  for (int j = 0; j < 16; ++j)
    v[j] = longWay(A[j * 4096 + ME], 2.f);
  for (int j = 0; j < 16; ++j)
    y[j * 4096 + ME] = v[15 - j];
}
