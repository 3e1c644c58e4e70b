// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A filter whose window is cut at the image's edges: where it begins depends on
// the thread there, and nowhere else. It stays in constant memory, whichever way
// the edge is asked for. What threads read from different places does not.
//
// RUN: %constants-cc %s -Rpass=sluice-constant 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark
//
// CHECK: edges.cu:[[#@LINE+35]]:{{[0-9]+}}: remark: 'filter' in constant memory is read through the L1: the lanes of a warp read different elements

constexpr int R = 50, Width = 2000;
__constant__ float filter[2 * R + 1];

extern "C" __global__ void rows(const float *image, float *out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = max(x - R, 0); k <= min(x + R, Width - 1); ++k)
    sum += image[k] * filter[k - x + R];
  out[x] = sum;
}

extern "C" __global__ void columns(const float *image, float *out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = max(y - R, 0); k <= min(y + R, Width - 1); ++k)
    sum += image[k * Width + x] * filter[k - y + R];
  out[y * Width + x] = sum;
}

extern "C" __global__ void unsignedly(const float *image, float *out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (unsigned k = x < R ? 0 : x - R; k < Width && k <= x + R; ++k)
    sum += image[k] * filter[k + R - x];
  out[x] = sum;
}

extern "C" __global__ void apart(const float *image, float *out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  const int first = max(x % R, 1);
  for (int k = first; k < first + R; ++k)
    sum += image[k] * filter[k];
  out[x] = sum;
}
