// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beside a kernel whose rows are staged or widened there is one with its loops
// as they were, where parameters say how long rows are. The stub chooses.
//
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=auto -Rpass=sluice-software -o %t.ptx 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
// RUN: grep -E '[.]entry|cp[.]async' %t.ptx | FileCheck %s --implicit-check-not=__sluice_short
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=auto -fplugin-arg-sluice-short-rows=off -o - | FileCheck %s --check-prefix=OFF
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=auto -fgpu-rdc -o - | FileCheck %s --check-prefix=OFF
// RUN: %sluice-cc --cuda-host-only -emit-llvm %s -Xclang -fcuda-include-gpubinary -Xclang %t.ptx | FileCheck %s --check-prefix=HOST
//
// REMARK: remark: launches with short rows take a kernel that has its loops as they were: where {{('n'|parameter 4)}} is less than 64
// REMARK: is less than 256
// REMARK: where {{('n'|parameter 4)}} is less than 64 and {{('m'|parameter 5)}} is less than 64
// OFF-NOT: __sluice_short
//
// CHECK: .entry rows(
// CHECK: .entry quarters(
// CHECK: .entry both(
// CHECK: .entry ofThread(
// CHECK: .entry __sluice_short$1$4$49152$1$3$4$64$4$rows(
// CHECK-NEXT: .entry __sluice_short$1$4$49152$1$3$4$256$8$quarters(
// CHECK-NEXT: .entry __sluice_short$1$5$49152$2$3$4$64$4$8$64$4$both(
//
// HOST-DAG: @__sluice_short_handle.3.64.__device_stub__rows = {{.*}} i8 0
// HOST-DAG: c"__sluice_short$1$4$49152$1$3$4$64$4$rows\00"
// HOST-LABEL: define {{.*}}@__device_stub__rows(
// HOST: icmp slt i32 {{.*}}, 64
// HOST: [[KERNEL:%.+]] = select i1 {{.*}}, ptr @__sluice_short_handle.3.64.__device_stub__rows, ptr @__device_stub__rows
// HOST: call {{.*}}@cudaLaunchKernel({{.*}}[[KERNEL]]
// HOST: call i32 @__cudaRegisterFunction({{.*}}@__sluice_short_handle.3.64.__device_stub__rows,

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void rows(const float *a, const float *x, float *out, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += a[ME * n + j] * x[j];
  out[ME] = s;
}

// Of rows of n / 4 elements.
extern "C" __global__ void quarters(const float *a, const float *x, float *out, unsigned n) {
  float s = 0;
  for (unsigned j = 0; j < n / 4; ++j)
    s += a[size_t(ME) * n + j] * x[j];
  out[ME] = s;
}

// Of two loops; both have to be short.
extern "C" __global__ void both(const float *a, const float *x, float *out, int n, long m) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += a[ME * n + j] * x[j];
  for (long j = 0; j < m; ++j)
    s += x[ME * m + j] * a[j];
  out[ME] = s;
}

// Threads have rows of different lengths.
extern "C" __global__ void ofThread(const float *a, const float *x, float *out, int n) {
  float s = 0;
  for (int j = 0; j < n + int(threadIdx.x); ++j)
    s += a[ME * n + j] * x[j];
  out[ME] = s;
}

void launch(const float *a, const float *x, float *out, int n) {
  rows<<<64, 256>>>(a, x, out, n);
}
