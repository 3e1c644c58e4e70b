// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in registers may make a kernel too large for the blocks that it is
// launched with, which would be an error then: it has as many as fit. Bounds in
// the source say so by themselves.
//
// RUN: %plain-cc %sluice-load %s -o - | FileCheck %s

// CHECK-LABEL: .entry unknown(
// CHECK: .maxnreg 64
// CHECK-LABEL: .entry small(
// CHECK-NOT: maxnreg
// CHECK-LABEL: .entry large(
// CHECK: .maxnreg 128
// CHECK-LABEL: .entry bounded(
// CHECK-NOT: maxnreg
// By itself the assembler takes 32 and leaves room for two blocks.
// CHECK-LABEL: .entry few(
// CHECK: .maxnreg 32
#define BODY                                                                   \
  int v[40];                                                                   \
  const int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
  for (int k = 0; k < 40; ++k)                                                 \
    v[k] = a[i + k * n];                                                       \
  for (int k = 0; k < 40; ++k)                                                 \
    for (int l = 0; l < 3; ++l)                                                \
      v[k] = v[k] * v[(k + l) % 40] + v[(k + 7) % 40];                         \
  for (int k = 0; k < 40; ++k)                                                 \
    a[i + k * n] = v[k];

extern "C" __global__ void unknown(int *a, int n) { BODY }
extern "C" __global__ void small(int *a, int n) { BODY }
extern "C" __global__ void large(int *a, int n) { BODY }
extern "C" __global__ void __launch_bounds__(256, 1) bounded(int *a, int n) { BODY }

extern "C" __global__ void few(int *a, int n) {
  int v[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k)
    v[k] = a[i + k * n];
  for (int k = 0; k < 8; ++k)
    for (int l = 0; l < 17; ++l)
      v[k] = v[k] * v[(k + l) % 8] + v[(k + 7) % 8];
  for (int k = 0; k < 8; ++k)
    a[i + k * n] = v[k];
}

void launch(int *a, int n) {
  few<<<n, 1024>>>(a, n);
  small<<<n, 256>>>(a, n);
  large<<<n, 256>>>(a, n);
  large<<<n, 512>>>(a, n);
}
