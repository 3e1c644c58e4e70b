// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that are moved on by what is known when they run are taken four times
// together: clang takes one iteration at a time, as the number of iterations
// takes a division. Also within another loop. Not where the loop is long, or
// its next iteration may read a product that this one writes. (What writes
// global memory: writes.cu.)
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:
// RUN: %loads-cc %s -Rpass-missed=sluice-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=MISSED --implicit-check-not=remark:
// RUN: for n in 0 1 63 64 65 255 256 257 383 384 513 640; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done
// RUN: %same-loads %s %t int=257 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=one-more-stride
//
// CHECK: strided.cu:[[#@LINE+12]]:3: remark: 4 iterations of the loop are taken together: its step is known when it runs only, and clang takes one at a time [-Rpass=sluice-loads-in-flight]
// CHECK: strided.cu:[[#@LINE+21]]:3: remark: 4 iterations of the loop are taken together: its step is known
// CHECK: strided.cu:[[#@LINE+28]]:3: remark: 4 iterations of the loop are taken together: its step is known
// CHECK: strided.cu:[[#@LINE+36]]:3: remark: 4 iterations of the loop are taken together: its step is known

// CHECK: strided.cu:[[#@LINE+43]]:5: remark: 4 iterations of the loop are taken together: its step is known
// Long, but few of its loads are on their way: fewer do.
// CHECK: strided.cu:[[#@LINE+51]]:3: remark: 2 iterations of the loop are taken together: {{[0-9]+}} threads of an SM

extern "C" __global__ void sum(const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    s += a[i];
  out[me] = s;
}

// Each thread has a step of its own, and the sum of products is fused.
extern "C" __global__ void ownSteps(const float *a, const float *b, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  const int step = 1 + (me & 7);
  for (int i = me; i < n; i += step)
    s += a[i] * b[i];
  out[me] = s;
}

extern "C" __global__ void unsignedIndex(const float *a, float *out, unsigned n) {
  const unsigned me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (unsigned i = me; i < n; i += blockDim.x * gridDim.x)
    s = s * 0.5f + a[i];
  out[me] = s;
}

extern "C" __global__ void wide(const float *a, float *out, int n) {
  const size_t step = blockDim.x * gridDim.x;
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (size_t i = me; i < size_t(n); i += step)
    s += a[i];
  out[me] = s;
}

extern "C" __global__ void within(const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int row = 0; row < n; row += 17)
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      s = s / 3 + a[i];
  out[me] = s;
}

#define MORE(V) (((V) > y ? (V) / y : y / (V)) / ((V) * (V) + y))

extern "C" __global__ void longer(const float *a, float *out, int n) {
  const int step = blockDim.x * gridDim.x, me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 1;
  for (int i = me; i < n; i += step) {
    float y = a[i] + 1.5f;
    for (int k = 0; k < 8; ++k)
      s = MORE(s) + y, y = y / (s + 2);
  }
  out[me] = s;
}

extern "C" __global__ void off(const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
#pragma sluice off
  for (int i = me; i < n; i += blockDim.x * gridDim.x)
    s += a[i];
  out[me] = s;
}

#define TILE(NAME, SIZE)                                                       \
  extern "C" __global__ void NAME(const float *a, float *out, int n) {         \
    __shared__ float t[SIZE];                                                  \
    const int me = threadIdx.x + blockIdx.x * blockDim.x;                      \
    for (int i = threadIdx.x; i < SIZE; i += 64)                               \
      t[i] = 0;                                                                \
    for (int i = threadIdx.x; i < n; i += blockDim.x)                          \
      t[i & (SIZE - 1)] = a[i];                                                \
    __syncthreads();                                                           \
    out[me] = t[(me * 5) & (SIZE - 1)];                                        \
  }

// CHECK: strided.cu:[[#@LINE+1]]:1: remark: 4 iterations of the loop are taken together: its step is known
TILE(tile, 4096)
// Blocks that the code does not know may fill it at once.
TILE(smallTile, 256)

// MISSED: strided.cu:[[#@LINE+5]]:3: remark: iterations of the loop are not taken together: its next iteration may read a product that it writes [-Rpass-missed=sluice-loads-in-flight]
extern "C" __global__ void readsProducts(const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float last[4] = {1, 2, 3, 4};
  float s = 0;
  for (int i = me; i < n; i += blockDim.x) {
    s += last[(i + 1) & 3];
    last[i & 3] = a[i] * a[i + 1];
  }
  out[me] = s;
}
