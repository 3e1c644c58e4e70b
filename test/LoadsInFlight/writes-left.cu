// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that write and stay as they are: what they write may be read by another
// iteration, or memory is busy.
//
// RUN: %writes-cc %s -fplugin-arg-sluice-loads-in-flight=auto -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --allow-empty
// RUN: %writes-cc %s -fplugin-arg-sluice-loads-in-flight=4 -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=ASKED --implicit-check-not=remark:
//
// CHECK-NOT: remark
// ASKED: remark: 4 iterations of the loop are taken together: so many were asked for

// Another element of what is written.
extern "C" __global__ void next(float *a, int n) {
  for (int i = threadIdx.x; i < n - 1; i += blockDim.x)
    a[i] = a[i + 1] * 3;
}
// What is written for several.
extern "C" __global__ void half(float *a, const float *__restrict__ b, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i / 2] = a[i / 2] + b[i];
}
// What is read from where another array says.
extern "C" __global__ void gather(float *a, const int *b, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] = a[b[i] & 255] + 1;
}
// Memory is busy: it is launched with more threads.
struct Pair {
  double x, y;
};
extern "C" __global__ void busy(Pair *a, int n) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    a[i].x = a[i].y * 3;
}

void launch(float *a, const float *b, const int *c, Pair *d, int n) {
  next<<<132, 64>>>(a, n);
  half<<<132, 64>>>(a, b, n);
  gather<<<132, 64>>>(a, c, n);
  busy<<<2112, 1024>>>(d, n);
}
