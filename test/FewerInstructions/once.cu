// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that a condition is around, and that are computed behind it again,
// are computed once: the assembler predicates what is left.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not=once
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 5 9; do %same-fewer %s %t int=$n block=8x4 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=9 block=8x4 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-offset

// REMARK: once.cu:{{.*}}: remark: 6 parts of addresses are computed once before conditions: the code behind them takes them too [-Rpass=sluice-fewer-instructions]
// CHECK-LABEL: .entry tiles
// CHECK: bar.sync
// CHECK: bra
// CHECK: mad.lo
// CHECK-COUNT-3: {{add|mul}}
// CHECK-NEXT: ld.global
// CHECK-NEXT: st.shared
// CHECK-NEXT: ld.global
// CHECK-NEXT: st.shared
// CHECK: ret;
// OFF-LABEL: .entry tiles
// OFF: bar.sync
// OFF: bra
// OFF: ld.global
// OFF: add
// OFF: st.shared
// OFF: ret;
extern "C" __global__ void tiles(const float *a, const float *b, float *out, int n) {
  __shared__ float tile[5][9], other[5][9];
  const int x = threadIdx.x, y = threadIdx.y, at = y * n + x;
  for (int i = y * 8 + x; i < 45; i += 32)
    (&tile[0][0])[i] = (&other[0][0])[i] = i;
  __syncthreads();
  if (x < n && y < n - 1) {
    tile[y][x] = a[at];
    other[y][x] = b[at];
  }
  __syncthreads();
  if (n > 0)
    for (int i = 0; i < n; ++i) {
      out[(i * 2 + blockIdx.x) * 32 + y * 8 + x] = tile[y][x] + other[y][x] + tile[y][8 - x] * i;
      __syncthreads();
    }
}

// It is computed far behind; there is a sum too; in a loop; too much is left; the
// source switches Sluice off.
// CHECK-LABEL: .entry far
extern "C" __global__ void far(const float *a, const float *b, float *out, int n) {
  __shared__ float tile[5][9], other[5][9];
  const int x = threadIdx.x, y = threadIdx.y, at = y * n + x;
  if (x < n && y < n - 1) {
    tile[y][x] = a[at];
    other[y][x] = b[at];
  }
  __syncthreads();
  if (n > 4) {
    __syncthreads();
    if (n > 6 && x < n && y < n - 1)
      out[at + 999 + blockIdx.x * 2000] = tile[y][x] + other[y][x];
  }
}

extern "C" __global__ void sums(const float *a, const float *b, float *out, int n) {
  __shared__ float tile[5][9], other[5][9];
  const int x = threadIdx.x, y = threadIdx.y, at = y * n + x;
  tile[y][x] = other[y][x] = n;
  if (x < n && y < n - 1) {
    tile[y][x] = a[at] + 1;
    other[y][x] = b[at];
  }
  __syncthreads();
  out[blockIdx.x * 32 + y * 8 + x] = tile[y][x] + other[y][x];
}

extern "C" __global__ void left(const float *a, const float *b, float *out, int n) {
  __shared__ float tile[5][9], other[5][9];
  const int x = threadIdx.x, y = threadIdx.y, at = y * n + x;
  tile[y][x] = other[y][x] = n;
  if (x < n && y < n - 1) {
    tile[y][x] = a[at];
    tile[y][x] = a[at * 3 + n * 5];
    other[y][x] = b[at * 7 + n * n];
  }
  __syncthreads();
  out[blockIdx.x * 32 + y * 8 + x] = tile[y][x] + other[y][x];
}

extern "C" __global__ __attribute__((annotate("sluice:off"))) void off(const float *a, const float *b, float *out, int n) {
  __shared__ float tile[5][9], other[5][9];
  const int x = threadIdx.x, y = threadIdx.y, at = y * n + x;
  for (int i = y * 8 + x; i < 45; i += 32)
    (&tile[0][0])[i] = (&other[0][0])[i] = i;
  __syncthreads();
  if (x < n && y < n - 1) {
    tile[y][x] = a[at];
    other[y][x] = b[at];
  }
  __syncthreads();
  if (n > 0)
    for (int i = 0; i < n; ++i) {
      out[(i * 2 + blockIdx.x) * 32 + y * 8 + x] = tile[y][x] + other[y][x] + tile[y][8 - x] * i;
      __syncthreads();
    }
}
