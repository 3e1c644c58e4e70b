// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load of shared memory or of global memory, as a condition says, becomes a
// load of each. Not where something is written before it, nor where both are in
// one memory.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>&1 >/dev/null | FileCheck %s
// RUN: %fewer-cc %s | FileCheck %s --check-prefix=PTX
// RUN: %same-fewer %s %t int=3 block=64 grid=2
// RUN: %same-fewer %s %t int=3 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-offset
//
// CHECK: either-memory.cu:{{[0-9]+}}:{{[0-9]+}}: remark: {{.*}} of shared memory or another, as {{.*}} of each [-Rpass=sluice-fewer-instructions]

// The edge of a tile is read from the image.
//
// PTX: .entry edges(
// PTX: ld.global
// PTX-NOT: ld.b32
// PTX-NOT: ld.f32
// PTX: .entry chosen(
extern "C" __global__ void edges(const float *image, float *out, int radius) {
  __shared__ float tile[64];
  const int me = threadIdx.x, at = blockIdx.x * 64 + me;
  tile[me] = image[at] + 1;
  __syncthreads();
  float sum = 0;
  for (int d = -radius; d <= radius; ++d) {
    const int x = me + d;
    if (x >= 0 && x < 64)
      sum += tile[x] * 0.5f;
    else if (at + d >= 0 && at + d < 128)
      sum += image[at + d] * 0.5f;
  }
  out[at] = sum;
}

// PTX-NOT: ld.b32
// PTX-NOT: ld.f32
// PTX: .entry neither(
extern "C" __global__ void chosen(const float *image, float *out, int radius) {
  __shared__ float tile[64];
  const int me = threadIdx.x, at = blockIdx.x * 64 + me;
  tile[me ^ 1] = image[at] + 1;
  __syncthreads();
  const float *from = me > radius ? tile + me : image + at;
  out[at] = *from;
}

extern "C" __global__ void neither(const float *image, const float *other,
                                   float *out, int radius) {
  const int me = threadIdx.x, at = blockIdx.x * 64 + me;
  const float *from = me > radius ? other + me : image + at;
  out[at] = *from;
}
