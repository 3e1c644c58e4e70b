// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices into shared memory that have no sign: constants are offsets, and a
// pointer follows a loop that makes the access in each iteration.
//
// RUN: %fewer-cc %s | FileCheck %s --check-prefix=PTX
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=BEFORE
// RUN: %same-fewer %s %t int=3 block=64 grid=2
// RUN: %same-fewer %s %t int=3 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-offset

// PTX-LABEL: .entry beside(
// PTX: ld.shared.b32 {{.*}}, [[[P:%rd[0-9]+]]]
// PTX: ld.shared.b32 {{.*}}, [[[P]]+4]
// PTX: ld.shared.b32 {{.*}}, [[[P]]+8]
// BEFORE-LABEL: .entry beside(
// BEFORE-NOT: ld.shared{{.*}}+{{4|8}}]
// BEFORE: .entry follow(
extern "C" __global__ void beside(const float *x, float *out, unsigned width) {
  __shared__ float tile[512];
  const unsigned me = threadIdx.x;
  tile[me] = x[me];
  tile[me + 64] = x[me + 1];
  tile[me + 128] = x[me + 2];
  tile[me + 192] = x[me + 3];
  __syncthreads();
  const unsigned at = (me & 31) * width + me;
  out[blockIdx.x * 64 + me] =
      tile[at] * tile[at + 1] + tile[(me & 31) * width + 2 + me];
}

// The rest of the loop has one access, too.
//
// PTX-LABEL: .entry follow(
// PTX: [[LOOP:\$L__BB[0-9_]+]]:
// PTX-NOT: {{cvt.u64.u32|mul.wide.u32}}
// PTX: bra [[LOOP]]
// PTX: .entry some(
extern "C" __global__ void follow(const float *x, float *out, int radius) {
  __shared__ float tile[128];
  const unsigned me = threadIdx.x, at = me + 32;
  tile[me] = x[me];
  tile[me + 64] = x[me + 1];
  __syncthreads();
  float sum = 0;
#pragma nounroll
  for (int i = -radius; i <= radius; ++i)
    sum = (sum + tile[at + i]) * 0.5f;
  out[blockIdx.x * 64 + me] = sum;
}

// Behind a condition it is computed where it holds.
//
// PTX: This Inner Loop
// PTX: mul.wide.s32
// PTX-NEXT: add.s64 {{.*}}[[P:%rd[0-9]+]], {{.*}};
// PTX-NEXT: ld.shared
// PTX: .entry global(
extern "C" __global__ void some(const float *x, float *out, int radius) {
  __shared__ float tile[128];
  const unsigned me = threadIdx.x, at = me + 32;
  tile[me] = x[me];
  tile[me + 64] = x[me + 1];
  __syncthreads();
  float sum = 0;
#pragma nounroll
  for (int i = -radius; i <= radius; ++i) {
    if ((i ^ me) & 1)
      sum += tile[at + i];
    sum *= 0.5f;
  }
  out[blockIdx.x * 64 + me] = sum;
}

// Memory that is not small may have such an index.
//
// PTX-NOT: ld.global.{{.*}}+4]
// PTX: ret;
extern "C" __global__ void global(const float *x, float *out, unsigned width) {
  const unsigned at = (threadIdx.x & 3) * width + threadIdx.x;
  out[blockIdx.x * 64 + threadIdx.x] = x[at] * x[at + 1];
}
