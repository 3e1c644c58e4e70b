// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with internal linkage have the same name in the plan with and without
// -fgpu-rdc.
//
// RUN: rm -f %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o /dev/null
// RUN: FileCheck %s < %t.yaml
// CHECK: name: _ZL7hiddenAPKfPf
// CHECK: name: _ZN12_GLOBAL__N_17hiddenBEPKfPf
// RUN: sed -i 's/throttle: .*/throttle: 8/' %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.yaml %remarks 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: %sluice-cc -fgpu-rdc %s -fplugin-arg-sluice-plan=%t.yaml %remarks 2>&1 | FileCheck %s --check-prefix=BACK
// BACK-NOT: warning:
// BACK-DAG: remark: loop of 'hiddenA' throttled, N=8
// BACK-DAG: remark: loop of '(anonymous namespace)::hiddenB' throttled, N=8
// BACK-DAG: bar.sync

constexpr int Columns = 512;

static __global__ void hiddenA(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < Columns; ++j)
    y[i] += A[i * Columns + j];
}

namespace {
__global__ void hiddenB(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < Columns; ++j)
    y[i] += A[i * Columns + j];
}
} // namespace

void run(const float *A, float *y) {
  hiddenA<<<1056, 256>>>(A, y);
  hiddenB<<<1056, 256>>>(A, y);
}
