// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly that only computes, as clang's header of halves has it, is no reason
// against taking iterations together, though clang marks all assembly as
// convergent. Assembly that talks to other lanes is, and so is a volatile one.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=together
// RUN: for n in 0 1 2 3 4 5 7 8 9 21; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done
//
// CHECK: assembly.cu:[[#@LINE+9]]:3: remark: {{[0-9]+}} iterations of the loop are taken together

__device__ inline float widened(unsigned short h) {
  float f;
  asm("{  cvt.f32.f16 %0, %1;}\n" : "=f"(f) : "h"(h));
  return f;
}
extern "C" __global__ void halves(const unsigned short *__restrict__ a, float *out, int n) {
  float sum = 0;
  for (int j = threadIdx.x / 32; j < n; j += 2)
    sum += widened(a[(j * 64 + threadIdx.x) & 1023]);
  out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}

extern "C" __global__ void lanes(const unsigned *__restrict__ a, unsigned *out, int n) {
  unsigned sum = 0;
  for (int j = 0; j < n; ++j) {
    unsigned ballot;
    asm("{ .reg .pred p; setp.gt.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, -1; }"
        : "=r"(ballot)
        : "r"(a[(j * 64 + threadIdx.x) & 1023]));
    sum += ballot;
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}

extern "C" __global__ void volatileOne(const unsigned *__restrict__ a, unsigned *out, int n) {
  unsigned sum = 0;
  for (int j = 0; j < n; ++j) {
    unsigned v;
    asm volatile("add.u32 %0, %1, 1;" : "=r"(v) : "r"(a[(j * 64 + threadIdx.x) & 1023]));
    sum += v;
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}
