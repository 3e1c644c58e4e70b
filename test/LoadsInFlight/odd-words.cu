// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a loop over structs of an odd number of words in constant memory two
// iterations go together: their words are read by pairs then. Not where LLVM
// unrolls the loop whole, where the structs have an even number of words, or
// where one would be left.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=together
// RUN: for n in 0 5; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done
//
// CHECK: odd-words.cu:[[#@LINE+28]]:3: remark: 2 iterations of the loop are taken together: they read an odd number of words of constant memory each, which are pairs so [-Rpass=sluice-loads-in-flight]

struct Odd {
  float x, y, z;
};
struct Even {
  float x, y, z, w;
};
__constant__ Odd odd[30] = {{1, 2, 3}, {2, 5, 7}, {3, 1, 4}, {0.5f, 7, 1}};
__constant__ Even even[30] = {{1, 2, 3, 4}, {5, 7, 1, 2}};

__device__ float smaller(float a, float b) { return a < b ? a : b; }

template <class Struct> __device__ float nearest(const Struct &at, float px, float py, float pz) {
  const float dx = at.x - px, dy = at.y - py, dz = at.z - pz;
  const float far = dx * dx + dy * dy + dz * dz;
  if (far > 100.0f)
    return far;
  float r = far / (1.5f + far);
  r = r > 0.5f ? r - far : r + far;
  r = r > 0.25f ? r / (3.0f + dx) : r + dz;
  return r > 0.125f ? r / (7.0f + dy) : r + dy;
}

extern "C" __global__ void two(const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  const float x = a[me], y = a[me + 7];
  float least = 1e30f;
  for (int i = 0; i < 12; ++i)
    least = smaller(least, nearest(odd[i], x, y, float(n)));
  out[me] = least;
}

extern "C" __global__ void evenWords(const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  const float x = a[me], y = a[me + 7];
  float least = 1e30f;
  for (int i = 0; i < 12; ++i)
    least = smaller(least, nearest(even[i], x, y, float(n)));
  out[me] = least;
}

extern "C" __global__ void eleven(const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  const float x = a[me], y = a[me + 7];
  float least = 1e30f;
  for (int i = 0; i < 11; ++i)
    least = smaller(least, nearest(odd[i], x, y, float(n)));
  out[me] = least;
}

extern "C" __global__ void whole(const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float least = a[me];
  for (int i = 0; i < 12; ++i)
    least = smaller(least, odd[i].x + odd[i].y * n + odd[i].z);
  out[me] = least;
}
