// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop with a step that is known when it runs only, that writes elements of
// its own index: several iterations go together, loads first, behind a test that
// what it writes is not read by others. Where too little is on its way only, as
// the launch says. Results are the same however the arrays overlap.
//
// RUN: %writes-cc %s -fplugin-arg-sluice-loads-in-flight=auto -Rpass=sluice 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks --implicit-check-not='are taken together'
// RUN: for n in 0 1 63 64 65 255 256 257 511 512 513 2000; do %same-writes %s %t int=$n block=64 grid=1 -fplugin-arg-sluice-loads-in-flight=4 || exit 1; done
// RUN: %same-writes %s %t int=2000 block=64 grid=1 -fplugin-arg-sluice-loads-in-flight=4 expect=different -fplugin-arg-sluice-test-wrong-rewrite=any-place

// REMARK: writes.cu:[[#@LINE+15]]:3: remark: 8 iterations of the loop are taken together: 64 threads of an SM have
// REMARK: writes.cu:[[#@LINE+25]]:3: remark: 8 iterations of the loop are taken together: 64 threads of an SM have
// REMARK: writes.cu:[[#@LINE+31]]:3: remark: 4 iterations of the loop are taken together: 2048 threads of an SM, if it is full
// REMARK: writes.cu:[[#@LINE+42]]:3: remark: 8 iterations of the loop are taken together: 64 threads of an SM have

// In place, and another array that `__restrict__` keeps apart: nothing is asked.
// CHECK-LABEL: .entry scaled
// CHECK-NOT: setp.{{..}}.u64
// CHECK-COUNT-16: ld.global
// CHECK-NOT: ld.global
// CHECK-COUNT-8: st.global
// CHECK: ld.global
// CHECK: ret;
extern "C" __global__ void scaled(float *__restrict__ a, const float *__restrict__ b, int n) {
  const int step = blockDim.x * gridDim.x;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += step)
    a[i] = a[i] * b[i];
}

// What begins elsewhere is asked, and then is.
// CHECK-LABEL: .entry unknown
// CHECK: setp.{{..}}.u64
// CHECK-COUNT-8: ld.global
// CHECK-NOT: ld.global
// CHECK-COUNT-8: st.global
extern "C" __global__ void unknown(const float *a, float *out, int n) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = a[i] * 3;
}

// One that overlaps it, by as many elements as a thread goes on.
extern "C" __global__ void shifted(float *a, int n) {
  float *out = a + blockDim.x;
  for (int i = threadIdx.x; i < n - 1024; i += blockDim.x)
    out[i] = a[i] + 3;
}

// An index of 64 bits is to be small, so that elements are not the same modulo
// 2^64.
// CHECK-LABEL: .entry wide
// CHECK: setp.{{..}}.u64 {{.*}}, 1099511627775;
// CHECK-COUNT-8: ld.global
// CHECK-NOT: ld.global
// CHECK-COUNT-8: st.global
extern "C" __global__ void wide(const float *a, float *out, long n) {
  for (long i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = a[i] * 5;
}

void launch(float *a, const float *b, float *out, int n) {
  scaled<<<132, 64>>>(a, b, n);
  unknown<<<132, 64>>>(a, out, n);
  wide<<<132, 64>>>(a, out, n);
}
