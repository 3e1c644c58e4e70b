// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The toolkit's headers write a pair of halves as an integer, which clang takes
// for no write of a half: it would read p[i] once. Other structs keep clang's
// rule, and so does host code.
//
// RUN: %plain-cc %s | FileCheck %s --check-prefixes=CLANG,OTHER
// RUN: %sluice-cc %s | FileCheck %s --check-prefixes=SLUICE,OTHER
// RUN: %sluice-cc %s -O1 | FileCheck %s --check-prefixes=SLUICE,OTHER

struct __half {
  unsigned short bits;
};
typedef struct {
  unsigned short bits;
} __nv_bfloat16_raw;
struct other {
  unsigned short bits;
};

// Written as an integer, read as what it is, before and after.
template <typename Number>
static __device__ void write(Number *p, unsigned q, int *out) {
  const int i = threadIdx.x, first = p[i].bits;
  *reinterpret_cast<unsigned *>(p) = q;
  out[i] = first + p[i].bits;
}

// CLANG: .entry half(
// CLANG-COUNT-1: ld.global.b16
// CLANG-NOT: ld.global.b16
// SLUICE: .entry half(
// SLUICE-COUNT-2: ld.global.b16
extern "C" __global__ void half(__half *p, unsigned q, int *out) {
  write(p, q, out);
}

// CLANG: .entry raw(
// CLANG-COUNT-1: ld.global.b16
// CLANG-NOT: ld.global.b16
// SLUICE: .entry raw(
// SLUICE-COUNT-2: ld.global.b16
extern "C" __global__ void raw(__nv_bfloat16_raw *p, unsigned q, int *out) {
  write(p, q, out);
}

// OTHER: .entry any(
// OTHER-COUNT-1: ld.global.b16
// OTHER-NOT: ld.global.b16
extern "C" __global__ void any(other *p, unsigned q, int *out) {
  write(p, q, out);
}
