// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums in many fields of one struct: LLVM's pass would test each against its
// like, and stops at eight tests. All of one struct is one range here.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -fplugin-arg-sluice-throttle=off -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %same-results %s %t int=30 fill=ints=9 skip=halves,rows,wave,within,apart,moved
// RUN: %same-results %s %t int=30 skip=sixteen,bytes,counts,moved
// RUN: %same-results %s %t int=30 -ffast-math skip=sixteen,bytes,counts,moved

struct Sixteen {
  unsigned s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15;
};

// What is added is the same each time: once read, no loop is left of it.
// CHECK-DAG: fields.cu:[[@LINE+16]]:3: remark: what the loop adds up in memory stays in registers where it overlaps nothing that the loop reads or writes
// PTX-LABEL: .entry _Z7sixteen
// One test: two comparisons of addresses.
// PTX-COUNT-2: setp.{{[a-z]+}}.u64
// PTX-NOT: setp.{{[a-z]+}}.u64
// The loop as it was.
// PTX-COUNT-16: st.global
// PTX-COUNT-16: ld.global
// PTX-NOT: {{(ld|st)}}.global
// PTX-NOT: Inner Loop
// PTX-COUNT-16: st.global
// PTX-NOT: {{(ld|st)}}.global
// PTX: ret;
__global__ void sixteen(Sixteen *dest, const Sixteen *src, int iters) {
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
#define ADD(F) dest[tid].F += src[tid].F;
  for (int i = 0; i < iters; ++i) {
    ADD(s0) ADD(s1) ADD(s2) ADD(s3) ADD(s4) ADD(s5) ADD(s6) ADD(s7)
    ADD(s8) ADD(s9) ADD(s10) ADD(s11) ADD(s12) ADD(s13) ADD(s14) ADD(s15)
  }
}

struct Bytes {
  unsigned char s0, s1, s2, s3, s4, s5, s6, s7, s8, s9;
};

// CHECK-DAG: fields.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void bytes(Bytes *dest, const Bytes *src, int iters) {
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < iters; ++i) {
    ADD(s0) ADD(s1) ADD(s2) ADD(s3) ADD(s4) ADD(s5) ADD(s6) ADD(s7)
    ADD(s8) ADD(s9)
  }
}

// Few enough for LLVM's pass.
struct Halves {
  float s0, s1;
};

// CHECK-DAG: fields.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void halves(Halves *dest, const Halves *src, int iters) {
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < iters; ++i) {
    ADD(s0) ADD(s1)
  }
}

struct Ten {
  float s0, s1, s2, s3, s4, s5, s6, s7, s8, s9;
};

// One that every iteration reads elsewhere: a range of all of them.
// CHECK-DAG: fields.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void rows(Ten *dest, const Ten *src, int iters) {
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < iters; ++i) {
#define ADD_ROW(F) dest[tid].F += src[i].F * 0.5f;
    ADD_ROW(s0) ADD_ROW(s1) ADD_ROW(s2) ADD_ROW(s3) ADD_ROW(s4)
    ADD_ROW(s5) ADD_ROW(s6) ADD_ROW(s7) ADD_ROW(s8) dest[tid].s9 += src[tid].s9;
  }
}

// A field that is only counted up, of another type, and one in an array.
struct Counted {
  Sixteen sums;
  int count;
  unsigned more[4];
};

// CHECK-DAG: fields.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void counts(Counted *dest, const Sixteen *src, int iters) {
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < iters; ++i) {
#define ADD_SUM(F) dest[tid].sums.F += src[tid].F;
    ADD_SUM(s0) ADD_SUM(s1) ADD_SUM(s2) ADD_SUM(s3) ADD_SUM(s4)
    ADD_SUM(s5) ADD_SUM(s6) ADD_SUM(s7) ADD_SUM(s8) ADD_SUM(s9)
    ++dest[tid].count;
    dest[tid].more[2] += src[tid].s3;
  }
}

struct Wave {
  float *low, *high;
};

// By pointers from a struct.
// CHECK-DAG: fields.cu:[[@LINE+4]]:3: remark: what the loop adds up in memory stays in registers
__global__ void wave(Wave W, int iters) {
  float *dest = W.low + 16 * (blockIdx.x * blockDim.x + threadIdx.x);
  const float *src = W.high;
  for (int i = 0; i < iters; ++i) {
    dest[0] += src[i];
    dest[1] += src[i + 1] * 0.5f;
    dest[2] -= src[i + 2];
    dest[3] = dest[3] * 0.5f + src[i + 3];
  }
}

// Of one array, in which LLVM has no tests.
// CHECK-DAG: fields.cu:[[@LINE+4]]:3: remark: what the loop adds up in memory stays there: no test of addresses before it would tell
__global__ void within(float *all, int from) {
  float *dest = all + 128 * (blockIdx.x * blockDim.x + threadIdx.x);
  const float *src = dest + from;
  for (int i = 0; i < 33; ++i) {
    dest[0] += src[i];
    dest[1] += src[i + 1] * 0.5f;
    dest[2] -= src[i + 2];
    dest[3] += src[i + 3];
    dest[4] += src[i];
  }
}

// Sums that are ranges of their own, fifteen tests.
// CHECK-DAG: fields.cu:[[@LINE+4]]:3: remark: what the loop adds up in memory stays there: no test of addresses before it would tell
__global__ void apart(float *a, float *b, float *c, float *d, float *e,
                      const float *x) {
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 64; ++i) {
    a[tid] += x[i];
    b[tid] += x[i];
    c[tid] += x[i];
    d[tid] += x[i];
    e[tid] += x[i];
  }
}

// A field that is somewhere else in each iteration, so that no sum.
// CHECK-DAG: fields.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays there
__global__ void moved(Ten *dest, const Ten *src, const int *index, int iters) {
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < iters; ++i) {
#define ADD_AT(F) dest[tid].F += src[index[i] & 63].F;
    ADD_AT(s0) ADD_AT(s1) ADD_AT(s2) ADD_AT(s3) ADD_AT(s4) ADD_AT(s5)
    ADD_AT(s6) ADD_AT(s7) ADD_AT(s8) ADD_AT(s9)
  }
}
