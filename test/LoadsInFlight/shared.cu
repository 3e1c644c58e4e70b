// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that all lanes share are taken four times together, as nvcc does, where
// clang takes fewer; loads of each lane's own are not. A store to an array of
// the thread's own is no reason against it.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s
// RUN: for n in 0 1 2 3 4 5 6 7 8 9 21; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done
//
// CHECK: shared.cu:[[#@LINE+9]]:3: remark: 4 iterations of the loop are taken together: their loads are the same for all lanes, and clang takes {{[12]}} [-Rpass=sluice-loads-in-flight]
// CHECK: shared.cu:[[#@LINE+27]]:3: remark: 4 iterations of the loop are taken together: their loads are the same for all lanes
// CHECK-NOT: remark

#define WORK(V) (((V) > y ? (V) - y : y - (V)) / ((V) * (V) + y))

extern "C" __global__ void sharedLoads(const float *__restrict__ a, float *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0, y = out[i] + 1.5f;
  for (int j = 0; j < n; ++j)
    s += WORK(a[4 * j]) + a[4 * j + 1] - a[4 * j + 2] - a[4 * j + 3];
  out[i] = s;
}

extern "C" __global__ void ownLoads(const float *__restrict__ a, float *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0, y = out[i] + 1.5f;
  for (int j = 0; j < n; ++j)
    s += WORK(a[j * 512 + i]) + a[j * 512 + 128 + i] - a[j * 512 + 256 + i] -
         a[j * 512 + 384 + i];
  out[i] = s;
}

extern "C" __global__ void privateArray(const float *__restrict__ a, float *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  float v[32], y = out[i] + 1.5f;
  for (int j = 0; j < 32; ++j)
    v[j] = y + j;
  for (int j = 0; j < n; ++j)
    v[j & 31] = WORK(a[4 * j]) + a[4 * j + 1] - a[4 * j + 2] - a[4 * j + 3];
  out[i] = v[i & 31];
}
