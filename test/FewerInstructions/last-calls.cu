// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is called once is inlined, however large, where nothing that
// calls it or that it calls has a product. Not where there are two calls, where
// the source says __noinline__, or where products could be fused anew.
//
// RUN: %fewer-cc %s | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %same-fewer %s %t int=7 fill=ints=50 block=64 grid=2

#define FOUR(X) X X X X
#define MANY(X) FOUR(FOUR(FOUR(FOUR(X))))
#define ROUND                                                                  \
  asm("shf.r.wrap.b32 %0, %1, %1, 7;" : "=r"(a) : "r"(a));                     \
  a += b ^ (c & a);                                                            \
  b = c;                                                                       \
  c = state[a & 7] + a;

__device__ unsigned once(unsigned *state, unsigned a, unsigned b, unsigned c) {
  MANY(ROUND)
  return a + b + c;
}
__device__ unsigned twice(unsigned *state, unsigned a, unsigned b, unsigned c) {
  MANY(ROUND)
  return a + b - c;
}
__device__ __noinline__ unsigned kept(unsigned *state, unsigned a, unsigned b, unsigned c) {
  MANY(ROUND)
  return a - b - c;
}
__device__ float product(unsigned *state, unsigned a, unsigned b, unsigned c) {
  MANY(ROUND)
  return float(a) * 3.0f;
}

// CHECK-LABEL: .entry one(
// CHECK-NOT: call
// CHECK-LABEL: .entry two(
// CHECK: call.uni (retval0), _Z5twicePjjjj
// CHECK-LABEL: .entry asked(
// CHECK: call.uni (retval0), _Z4keptPjjjj
// CHECK-LABEL: .entry rounded(
// CHECK: call.uni (retval0), _Z7productPjjjj
// OFF-LABEL: .entry one(
// OFF: call.uni (retval0), _Z4oncePjjjj
extern "C" __global__ void one(const int *in, int *out, int n) {
  unsigned state[8];
  for (int i = 0; i < 8; ++i)
    state[i] = in[i + threadIdx.x] ^ n;
  out[blockIdx.x * blockDim.x + threadIdx.x] = once(state, n, 1, 2);
}
extern "C" __global__ void two(const int *in, int *out, int n) {
  unsigned state[8];
  for (int i = 0; i < 8; ++i)
    state[i] = in[i + threadIdx.x] ^ n;
  const unsigned first = twice(state, n, 1, 2);
  out[blockIdx.x * blockDim.x + threadIdx.x] = twice(state, first, 3, 4);
}
extern "C" __global__ void asked(const int *in, int *out, int n) {
  unsigned state[8];
  for (int i = 0; i < 8; ++i)
    state[i] = in[i + threadIdx.x] ^ n;
  out[blockIdx.x * blockDim.x + threadIdx.x] = kept(state, n, 1, 2);
}
extern "C" __global__ void rounded(const int *in, int *out, int n) {
  unsigned state[8];
  for (int i = 0; i < 8; ++i)
    state[i] = in[i + threadIdx.x] ^ n;
  out[blockIdx.x * blockDim.x + threadIdx.x] = int(product(state, n, 1, 2) + 1);
}
