// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each SIMD video instruction that clang's header has, of all pairs of 8-bit
// numbers, and of 16-bit numbers at the ends of their range and between: the
// same before and after.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s --check-prefix=PTX
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %same-fewer %s %t block=256 grid=64
// RUN: %same-fewer %s %t block=256 grid=64 expect=different -fplugin-arg-sluice-test-wrong-rewrite=carried-lane

// REMARK-COUNT-3: SIMD instructions compute in whole words

#define APPLY(NAME)                                                            \
  {                                                                            \
    unsigned r;                                                                \
    asm(NAME " %0,%1,%2,%3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));              \
    *out++ = r;                                                                \
  }
#define OF_TYPES(NAME)                                                         \
  APPLY(NAME ".u32.u32.u32") APPLY(NAME ".s32.s32.s32")
#define SATURATED(NAME)                                                        \
  OF_TYPES(NAME) APPLY(NAME ".u32.u32.u32.sat") APPLY(NAME ".s32.s32.s32.sat")
#define SUMMED(NAME)                                                           \
  APPLY(NAME ".u32.u32.u32.add") APPLY(NAME ".s32.s32.s32.add")
#define COMPARED(NAME, HOW)                                                    \
  APPLY(NAME ".u32.u32." HOW) APPLY(NAME ".s32.s32." HOW)
#define ALL(N)                                                                 \
  SATURATED("vadd" N) SATURATED("vsub" N) OF_TYPES("vmin" N)                   \
  OF_TYPES("vmax" N) OF_TYPES("vavrg" N) SATURATED("vabsdiff" N)               \
  SUMMED("vabsdiff" N) COMPARED("vset" N, "eq") COMPARED("vset" N, "ne")       \
  COMPARED("vset" N, "lt") COMPARED("vset" N, "le") COMPARED("vset" N, "gt")   \
  COMPARED("vset" N, "ge")

static constexpr int Instructions = 3 * 4 + 3 * 2 + 2 + 6 * 2;

// Four pairs of numbers for each of 16,384 threads.
__global__ void bytes(unsigned *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned pair = 4 * i, c = i * 2654435761u;
  unsigned a = 0, b = 0;
  for (unsigned lane = 0; lane < 4; ++lane) {
    // Not the same numbers in neighbouring lanes.
    unsigned p = (pair + lane) * 40503u & 0xffff;
    a |= (p & 255) << 8 * lane;
    b |= (p >> 8) << 8 * lane;
  }
  out += i * Instructions;
  ALL("4")
}
// PTX-LABEL: .entry _Z5bytes
// PTX-NOT: {{v(add|sub|min|max|avrg|set)4}}
// PTX-NOT: vabsdiff4.s32
// PTX: ret;

__device__ unsigned half(unsigned i) {
  const unsigned edges = i >> 4 & 15, steps = i & 15;
  return (edges * 0x1111 + steps - 8) & 0xffff;
}

__global__ void halves(unsigned *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned c = i * 2654435761u, other = i * 40503u;
  unsigned a = half(i) | half(other) << 16;
  unsigned b = half(i >> 8 | other << 6) | half(other >> 8) << 16;
  out += i * Instructions;
  ALL("2")
}
// PTX-LABEL: .entry _Z6halves
// PTX-NOT: {{v(add|sub|min|max|avrg|set|absdiff)2}}
// PTX: ret;

// Comparisons as masks, and results of both kinds.
__global__ void masks(unsigned *out, unsigned *in) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = (in[i] ^ i) * 2654435761u, b = (a >> 7) * 40503u, r, s;
  asm("vset4.s32.s32.lt %0,%1,%2,%3;" : "=r"(r) : "r"(a), "r"(b), "r"(0));
  asm("vset2.u32.u32.ge %0,%1,%2,%3;" : "=r"(s) : "r"(a), "r"(b), "r"(0));
  out[i] = (r * 255u & a) + s * 65535u + s;
}
// PTX-LABEL: .entry _Z5masks
// PTX-NOT: mul.lo.{{.*}} 255
// PTX-NOT: vset
// PTX: ret;
