// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over a part of a tile in shared memory, of which it is not known how
// many iterations they have. Long ones are taken four or two together. Where
// they write the tile, each iteration waits for the one before: what is left of
// them is taken in pieces, where a loop is around, and one of 15 iterations at
// most is no loop any more. What waits for global memory and fills a tile is
// taken four together, where clang takes one and it is not short. Not where a
// product is written that may be read.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>%t.remarks | FileCheck %s --check-prefix=PTX
// RUN: FileCheck %s --implicit-check-not=remark: < %t.remarks
// RUN: for n in 0 1 2 3 5 8 13; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done

constexpr int Threads = 64, Rows = 16;
#define LONG(V) (((V) * (V) + 1.5f) / ((V) + 2) + ((V) + 3) / ((V) * (V) + 4))
#define AT(ROW) tile[(ROW) * Threads + threadIdx.x]
#define FILL for (int i = 0; i < Rows; ++i) AT(i) = a[i * Threads + threadIdx.x] * 0.1f + i; __syncthreads()

// CHECK: tile-parts.cu:[[#@LINE+6]]:3: remark: 4 iterations of the loop are taken together: they read shared memory, and clang takes {{[12]}} [-Rpass=sluice-loads-in-flight]
extern "C" __global__ void reads(const float *a, float *out, int n) {
  __shared__ float tile[Rows * Threads];
  FILL;
  float s = 0;
  const int most = min(n, Rows);
  for (int j = 0; j < most; ++j)
    if (AT(j) > 0.5f)
      s += LONG(AT(j));
  out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}

// CHECK: tile-parts.cu:[[#@LINE+5]]:5: remark: the rest of the loop, fewer than 8 iterations, is not taken one by one: each would wait for its load
extern "C" __global__ void writes(const float *a, float *out, int n) {
  __shared__ float tile[Rows * Threads];
  FILL;
  for (int i = 0; i < Rows - 1; ++i) {
    for (int j = 0; j < i; ++j)
      AT(i) -= AT(j) * AT(i + 1);
    AT(i) /= AT(n & 15) + 20;
    __syncthreads();
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = AT(n & 15);
}
// 8, 4, 2 and 1, and three of the fill and the results.
// PTX-LABEL: .entry writes
// PTX-COUNT-15: neg.f32
// PTX-NOT: neg.f32
// PTX: ret;

// CHECK: tile-parts.cu:[[#@LINE+6]]:3: remark: 4 iterations of the loop are taken together: {{.*}} threads of an SM
extern "C" __global__ void fills(const float *a, const int *b, float *out, int n) {
  __shared__ float line[Rows * Threads];
  const int me = threadIdx.x;
  const int end = min(b[n & 63] & 15, 16);
  float s = 0;
  for (int j = 0; j < end; ++j) {
    const float v = a[(b[j * 4] & 7) * Threads + me];
    line[j * Threads + me] = LONG(v) - LONG(v + s);
    s += v;
  }
  out[me + blockIdx.x * blockDim.x] = s + line[me];
}

// A product that is read after it.
extern "C" __global__ void products(const float *a, float *out, int n) {
  __shared__ float tile[Rows * Threads];
  FILL;
  for (int i = 0; i < Rows - 1; ++i) {
    AT(i + 1) = AT(i) * 0.75f;
    for (int j = 0; j < i; ++j)
      AT(i) = AT(j) * 0.5f + AT(i + 1);
    AT(0) += AT(i) + n;
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = AT(n & 15);
}
