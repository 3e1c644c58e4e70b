// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that waits for its loads in several rounds, as 32 registers do not hold them, may have more, if that is
// worth more by its machine code than the warps that an SM then has less. Not where blocks have rows of threads, which
// share what they load, nor where a grid is known with which memory has no more to give, nor where the loads wait for
// each other, nor where the source switches Sluice off.
//
// RUN: %loads-cc %s -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.ptx
// RUN: %loads-cc %s -fplugin-arg-sluice-registers=off -Rpass=sluice-register 2>&1 >/dev/null | FileCheck %s --check-prefix=OFF --allow-empty
// OFF-NOT: remark
//
// CHECK: .entry column
// CHECK: .maxnreg 64
// REMARK: loads.cu:[[#@LINE+15]]:1: remark: a thread has at most 64 registers: with [[#]] in place of [[#]] more of its loads are on their way together, and it waits [[#]] cycles and not [[#]]
//
// CHECK: .entry rows
// CHECK-NOT: .maxnreg

#define COLUMN(NAME)                                                           \
  extern "C" __global__ void NAME(const float *__restrict__ a,                 \
                                  const float *__restrict__ x,                 \
                                  float *__restrict__ y, int n, int d) {       \
    const int j = blockIdx.x * blockDim.x + threadIdx.x;                       \
    float sum = 0;                                                             \
    for (int i = 0; i < n; i++)                                                \
      sum += x[i] * a[i * d + j];                                              \
    y[j] = sum;                                                                \
  }
COLUMN(column)
COLUMN(full)

extern "C" __global__ void rows(const float *__restrict__ a,
                                const float *__restrict__ x,
                                float *__restrict__ y, int n, int d) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x,
            k = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[k * n + i] * a[i * d + j];
  y[k * d + j] = sum;
}

extern "C" __global__ void chain(const int *__restrict__ next,
                                 int *__restrict__ y, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 16
  for (int i = 0; i < n; i++)
    j = next[j];
  y[blockIdx.x * blockDim.x + threadIdx.x] = j;
}

// As many loads by clang alone.
extern "C" __global__ __attribute__((annotate("sluice:off"))) void
off(const float *__restrict__ a, const float *__restrict__ x,
    float *__restrict__ y, int n, int d) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 24
  for (int i = 0; i < n; i++)
    sum += x[i] * a[i * d + j];
  y[j] = sum;
}

void launch(const float *a, const int *next, float *y, int n, int d, int *z) {
  column<<<(d + 255) / 256, 256>>>(a, a, y, n, d);
  off<<<(d + 255) / 256, 256>>>(a, a, y, n, d);
  rows<<<dim3(d / 32, d / 8), dim3(32, 8)>>>(a, a, y, n, d);
  full<<<132 * 8, 256>>>(a, a, y, n, d);
  chain<<<(d + 255) / 256, 256>>>(next, z, n);
}
