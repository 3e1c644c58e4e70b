// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop around a sine's slow path keeps its index when the loop in that path
// is unrolled, as it does with clang. Without that it would be innermost, and
// have a pointer for each array.
//
// RUN: %angles-cc %s -fplugin-arg-sluice-angle-reduction=auto -fplugin-arg-sluice-fewer-instructions=auto -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: %angles-cc %s -fplugin-arg-sluice-angle-reduction=auto | FileCheck %s --check-prefix=MOVED
// RUN: %same-angles %s %t block=64 grid=1 int=40 -fplugin-arg-sluice-fewer-instructions=auto

extern "C" __device__ float __nv_sinf(float);

// REMARK: index.cu:[[#@LINE+3]]:{{[0-9]+}}: remark: 1 loop keeps its index, and has no pointers that are moved on [-Rpass=sluice-fewer-instructions]
__global__ void sines(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ z, int n) {
  float sum = 0, f = 1000 * x[threadIdx.x];
  for (int j = 0; j < n; ++j)
    sum += y[j] * __nv_sinf(f * x[j]);
  z[threadIdx.x] = sum;
}
// CHECK-LABEL: .entry _Z5sines
// CHECK-NOT: add.s64 {{.*}}%[[P:rd[0-9]+]], %[[P]], 4
// CHECK: ret;
// MOVED-LABEL: .entry _Z5sines
// MOVED: add.s64 {{.*}}%[[P:rd[0-9]+]], %[[P]], 4
// MOVED: ret;

// Keeps the table of 2/pi in the module.
__attribute__((annotate("sluice:off")))
__global__ void off(const float *__restrict__ x, float *__restrict__ z, int n) {
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += __nv_sinf(z[threadIdx.x] * x[j]);
  z[threadIdx.x] = sum;
}
