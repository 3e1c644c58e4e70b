// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses behind a condition are moved on with their loop, where what they are
// moved on by is known when the kernel runs only.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not=behind
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 5; do %same-fewer %s %t int=$n block=32 grid=1 || exit 1; done
// RUN: %same-fewer %s %t int=5 block=32 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-base

// A plane of a volume in each iteration: it is read by two pointers, of which
// one has an offset for a neighbour, and written by one.
// REMARK: moved.cu:[[#@LINE+19]]:{{[0-9]+}}: remark: 3 addresses behind conditions are moved on with their loops [-Rpass=sluice-fewer-instructions]
// CHECK-LABEL: .entry planes
// CHECK: bar.sync
// CHECK-NOT: {{mul|shl|cvt}}
// CHECK: ret;
// OFF-LABEL: .entry planes
// OFF: bar.sync
// OFF: mul.wide
// OFF: ret;
extern "C" __global__ void planes(const float *__restrict__ a, float *__restrict__ out, int n) {
  const int me = threadIdx.x, plane = 7 * n, row = 2 * n;
  const bool inner = me > 3;
  int at = me + row;
  float kept = 0;
#pragma unroll 1
  for (int z = 0; z < 4; z++) {
    __syncthreads();
    at += plane;
    if (inner)
      kept += a[at - row] * 2 + a[at] + a[at + 1];
    if (me < 20)
      out[at] = kept;
  }
}

// The same for all lanes, behind conditions of several iterations: by one offset
// of the index, before the first of them.
// REMARK: moved.cu:[[#@LINE+15]]:{{[0-9]+}}: remark: 12 addresses behind conditions are moved on with their loops [-Rpass=sluice-fewer-instructions]
// CHECK-LABEL: .entry others
// CHECK: mul.wide.u32 [[OFFSET:%rd[0-9]+]], {{%r[0-9]+}}, 4;
// CHECK-NEXT: add.s64 {{%rd[0-9]+}}, {{%rd[0-9]+}}, [[OFFSET]];
// CHECK-NEXT: add.s64
// CHECK-NOT: {{add.s64|mul.wide}}
// CHECK-COUNT-12: ld.global
// CHECK: ret;
extern "C" __global__ void others(const float *__restrict__ a, float *__restrict__ out, int n) {
  const int me = threadIdx.x;
  const float *b = a + 64, *c = a + n;
  float sum = 0;
#pragma unroll 4
  for (int j = 3; j < n; j++)
    if (j != me)
      sum += a[j] * b[j] + c[j] / 3;
  out[me] = sum;
}

// The steps are constants; each iteration accesses it; the sum may wrap around;
// how far it goes differs; it begins where a loop around has come to; there are
// too many.
// CHECK-LABEL: .entry constant
// CHECK: bar.sync
// CHECK: mul.wide
// CHECK: ret;
extern "C" __global__ void constant(const float *__restrict__ a, float *__restrict__ out, int n) {
  const int me = threadIdx.x;
  int at = me;
  float kept = 0;
#pragma unroll 1
  for (int z = 0; z < n; z++) {
    __syncthreads();
    at += 32;
    if (me > 3)
      kept += a[at - n + 5];
  }
  out[me] = kept;
}

extern "C" __global__ void each(const float *__restrict__ a, float *__restrict__ out, int n) {
  const int me = threadIdx.x;
  int at = me;
  float kept = 0;
#pragma unroll 1
  for (int z = 0; z < 4; z++) {
    __syncthreads();
    at += n;
    kept += a[at];
  }
  out[me] = kept;
}

// CHECK-LABEL: .entry wraps
// CHECK: bar.sync
// CHECK: mul.wide
// CHECK: ret;
extern "C" __global__ void wraps(const float *__restrict__ a, float *__restrict__ out, int n) {
  const int me = threadIdx.x;
  unsigned at = me;
  float kept = 0;
#pragma unroll 1
  for (int z = 0; z < 4; z++) {
    __syncthreads();
    at += n;
    if (me > 3)
      kept += a[int(at - 1u)];
  }
  out[me] = kept;
}

// CHECK-LABEL: .entry growing
// CHECK: bar.sync
// CHECK: mul.wide
// CHECK: ret;
extern "C" __global__ void growing(const float *__restrict__ a, float *__restrict__ out, int n) {
  const int me = threadIdx.x;
  int at = me, step = n;
  float kept = 0;
#pragma unroll 1
  for (int z = 0; z < 4; z++) {
    __syncthreads();
    at += step;
    step += 2;
    if (me > 3)
      kept += a[at - n];
  }
  out[me] = kept;
}

// CHECK-LABEL: .entry around
// CHECK: bar.sync
// CHECK: mul.wide
// CHECK: ret;
extern "C" __global__ void around(const float *__restrict__ a, float *__restrict__ out, int n) {
  const int me = threadIdx.x;
  float kept = 0;
#pragma unroll 1
  for (int y = 0; y < n; y++) {
    int at = me + 3 * y;
#pragma unroll 1
    for (int z = 0; z < 4; z++) {
      __syncthreads();
      at += n;
      if (me > 3)
        kept += a[at - y];
    }
  }
  out[me] = kept;
}

// CHECK-LABEL: .entry many
// CHECK: bar.sync
// CHECK: mul.wide
// CHECK: ret;
extern "C" __global__ void many(const float *__restrict__ a, float *__restrict__ out, int n) {
  const int me = threadIdx.x;
  int at = me;
  float kept = 0;
#pragma unroll 1
  for (int z = 0; z < 4; z++) {
    __syncthreads();
    at += n;
    if (me > 3)
      kept += a[at] + a[at + n] + a[at + 2 * n] + a[at + 3 * n] + a[at + 4 * n] + a[at + 5 * n] + a[at + 6 * n];
  }
  out[me] = kept;
}
