// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over the bits of a word is unrolled whole: by how much it shifts is a
// constant then. So is one of which a table of constants says how far it shifts,
// or which element of an array it moves. Not one that shifts by something else, nor one of too many
// instructions, nor where products could be fused anew, nor one that the source
// says not to unroll, nor where it switches Sluice off.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: for n in 0 1 77; do %same-fewer %s %t int=$n fill=ints=64 block=64 grid=2 || exit 1; done

// REMARK: bits.cu:{{[0-9]+}}:{{[0-9]+}}: remark: a loop of 48 iterations is unrolled whole: by how much it shifts is a constant then
// REMARK: bits.cu:{{[0-9]+}}:{{[0-9]+}}: remark: a loop of 24 iterations is unrolled whole
// REMARK-NOT: unrolled whole

// CHECK-LABEL: .entry permuted
// CHECK-NOT: Loop Header
// CHECK-COUNT-48: ld.global.b32
// CHECK: .entry shifted(
// CHECK: Loop Header
// CHECK: .entry fused(
// CHECK: Loop Header
extern "C" __global__ void permuted(const int *place, int *out, int n) {
  const unsigned long long from = (unsigned long long)place[threadIdx.x] * (threadIdx.x + n) << 20;
  unsigned long long to = 0;
  for (int i = 0; i < 48; ++i)
    if (from & 1ull << (place[i] & 63))
      to |= 1ull << (47 - i);
  out[threadIdx.x + blockIdx.x * 64] = int(to >> 16) ^ int(to);
}

extern "C" __global__ void shifted(const int *place, int *out, int n) {
  unsigned s = 0;
  for (int i = 0; i < 48; ++i)
    s = s * 5 + (unsigned(place[i]) >> (n & 31));
  out[threadIdx.x + blockIdx.x * 64] = s;
}

extern "C" __global__ void fused(const int *place, int *out, int n) {
  unsigned long long s = 0;
  for (int i = 0; i < 48; ++i)
    s ^= (unsigned long long)place[i] << (47 - i);
  const float f = s;
  out[threadIdx.x + blockIdx.x * 64] = f * f;
}

extern "C" __global__ void asked(const int *place, int *out, int n) {
  unsigned long long s = 0;
#pragma unroll 2
  for (int i = 0; i < 48; ++i)
    s ^= (unsigned long long)place[i] << (47 - i);
  out[threadIdx.x + blockIdx.x * 64] = s;
}

extern "C" __global__ void off(const int *place, int *out, int n) {
  unsigned long long s = 0;
#pragma sluice off
  for (int i = 0; i < 48; ++i)
    s ^= (unsigned long long)place[i] << (47 - i);
  out[threadIdx.x + blockIdx.x * 64] = s;
}

// The state stays in registers, as no index is computed.
// CHECK-LABEL: .entry table(
// CHECK-NOT: st.local
// CHECK: ret;
__device__ const int Place[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4,
                                  15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
__device__ const int By[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14,
                               27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
extern "C" __global__ void table(const int *place, int *out, int n) {
  unsigned long long state[25], next = n;
  for (int i = 0; i < 25; ++i)
    state[i] = place[i] * 77777777777ull + threadIdx.x;
  for (int i = 0; i < 24; ++i) {
    const unsigned long long old = state[Place[i]];
    state[Place[i]] = next << By[i] | next >> (64 - By[i]);
    next = old;
  }
  for (int i = 0; i < 25; ++i)
    next ^= state[i] >> i;
  out[threadIdx.x + blockIdx.x * 64] = int(next) ^ int(next >> 32);
}
