// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several stores that fill a sector together, as a pixel's three bytes, are not
// taken apart by other blocks' between them. Elements of several arrays are.
//
// RUN: %merged-cc=auto %s | grep '[.]entry __sluice_merged' | FileCheck %s
// RUN: %merged-cc=auto %s -Rpass=sluice-merged-blocks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
//
// CHECK: __sluice_merged$3$2$128$1$0$1024$6$pixels(
// CHECK: __sluice_merged$3$3$128$4$0$1024$6$arrays(
// REMARK: remark: large grids of blocks of at most 128 threads are launched as blocks of up to 256 [
// REMARK: each thread of a large grid does the work of 4 blocks side by side

struct Pixel {
  unsigned char r, g, b;
};

extern "C" __global__ void pixels(Pixel *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i].r = i;
  p[i].g = i >> 8;
  p[i].b = i >> 16;
}

extern "C" __global__ void arrays(float *a, float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i] = i;
  b[i] = i >> 8;
}
