// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose threads have too little on their way: of few blocks, which the
// launch says, and of a long body, which clang does not unroll. Where launches
// are small the assembler may use more registers. A plan says the same to
// another compile, and N is taken as it is given. Without throttling launches are
// known as well.
//
// RUN: %loads-cc %s -fplugin-arg-sluice-registers=off -fplugin-arg-sluice-emit-plan=%t.plan.yaml -Rpass=sluice-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %loads-cc %s -fplugin-arg-sluice-plan=%t.plan.yaml -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: %loads-cc %s -fplugin-arg-sluice-loads-in-flight=2 -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=TWO
// RUN: %loads-cc %s -fplugin-arg-sluice-registers=off -fplugin-arg-sluice-throttle=off -Rpass=sluice-loads 2>%t.off.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.off.remarks
// RUN: %plain-cc %s | FileCheck %s --check-prefix=PLAIN
// RUN: %loads-cc %s -fplugin-arg-sluice-loads-in-flight=off -fplugin-arg-sluice-registers=off | FileCheck %s --check-prefix=PLAIN
//
// PLAIN-NOT: .maxnreg
//
// CHECK: .entry small
// CHECK: .maxnreg 64
// CHECK-COUNT-16: ld.global.nc
// CHECK: bra
// CHECK: .entry longBody
// CHECK-NOT: .maxnreg
// CHECK: .entry full
// REMARK: fires.cu:[[#@LINE+8]]:3: remark: 32 iterations of the loop are taken together: 128 threads of an SM have 16 KiB on their way so, and {{[0-9]}} KiB as clang has it; 23 KiB keep memory busy
// REMARK: fires.cu:[[#@LINE+17]]:3: remark: 4 iterations of the loop are taken together: 2048 threads of an SM, if it is full, have
// REMARK-NOT: remark
// TWO-COUNT-3: remark: 2 iterations of the loop are taken together: so many were asked for

extern "C" __global__ void small(const float *__restrict__ A, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < 32768; ++j)
    s += A[j * 8192 + i];
  y[i] = s;
}

// 16 sums for each load.
extern "C" __global__ void longBody(const float *__restrict__ A, float *y,
                                    int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s[16] = {};
  for (int j = 0; j < n; ++j) {
    const float a = A[j * 8192 + i];
    for (int k = 0; k < 16; ++k)
      s[k] += a * y[k];
  }
  for (int k = 0; k < 16; ++k)
    y[16 * i + k + 16] = s[k];
}

extern "C" __global__ void full(const float *__restrict__ A, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < 32767; ++j)
    s += A[j * 8192 + i];
  y[i] = s;
}

void run(const float *A, float *y, int blocks) {
  small<<<64, 128>>>(A, y);
  longBody<<<blocks, 128>>>(A, y, 512);
  full<<<4096, 256>>>(A, y);
}
