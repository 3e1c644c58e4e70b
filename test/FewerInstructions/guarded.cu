// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop computes for a store behind a grid's edge is computed before that
// condition: the assembler predicates the store alone. Threads without a store
// read the tile from its beginning, as their own places may be outside of it.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not=alone
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 5 40; do %same-fewer %s %t int=$n block=32 grid=2 shared=160 || exit 1; done
// RUN: %same-fewer %s %t int=40 block=32 grid=2 shared=160 expect=different -fplugin-arg-sluice-test-wrong-rewrite=store-anyway

#define FILL(tile) tile[me] = a[x + z]; if (me < 8) tile[me + 32] = a[x + z + 32]
#define LOOP _Pragma("unroll 1") for (int z = 0; z < 3; z++)

// A row of sums in each iteration, by two loads from places on both sides.
// REMARK: guarded.cu:[[#@LINE+27]]:{{[0-9]+}}: remark: 1 store of a loop is alone behind its condition: what it writes is computed before that [-Rpass=sluice-fewer-instructions]
// CHECK-LABEL: .entry rows
// CHECK: selp.b64
// CHECK: bar.sync
// CHECK-NOT: bra
// CHECK-COUNT-5: ld.shared
// CHECK-NOT: bra
// CHECK: mov.b32
// CHECK: bra
// CHECK-NOT: {{add.f|ld|fma}}
// CHECK: st.global
// CHECK: setp.ne
// CHECK-NEXT: bra
// CHECK: ret;
// OFF-LABEL: .entry rows
// OFF: bar.sync
// OFF: bra
// OFF: ld.shared
// OFF: ret;
extern "C" __global__ void rows(const float *a, float *out, int n) {
  __shared__ float tile[40];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    __syncthreads();
    const float sum = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] * tile[me + 7];
    if (x < n)
      out[x + z * 64] = sum + z;
    __syncthreads();
  }
}

// Both sides of an edge, of which the other is a constant; two tiles; doubles.
// REMARK: guarded.cu:{{.*}}: remark: 1 store of a loop is alone behind its condition
// CHECK-LABEL: .entry tiles
// CHECK: selp.b64
// CHECK: selp.b64
// CHECK: bar.sync
// CHECK-NOT: bra
// CHECK-COUNT-4: ld.shared
// CHECK-NOT: bra
// CHECK: begin inline asm
// CHECK-NEXT: mov.b64
// CHECK: bra
// CHECK-NOT: {{add.f|ld|fma}}
// CHECK: st.global
// CHECK: ret;
extern "C" __global__ void tiles(const float *a, double *out, int n) {
  __shared__ double tile[40], other[40];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    FILL(other);
    __syncthreads();
    if (x < n && x > 2)
      out[x + z * 64] = tile[me + 1] * 3 + tile[me + 4] * 2 + other[me] * other[me + 2] + z;
    __syncthreads();
  }
}

// Few threads store; it changes in the loop; all blocks are alike.
// CHECK-LABEL: .entry few
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ void few(const float *a, float *out, int n) {
  __shared__ float tile[40];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    __syncthreads();
    if (x == n)
      out[x] = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] * tile[me + 7];
    __syncthreads();
  }
}

// CHECK-LABEL: .entry changes
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ void changes(const float *a, float *out, int n) {
  __shared__ float tile[40];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    __syncthreads();
    if (x + z < n)
      out[x + z] = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] * tile[me + 7];
    __syncthreads();
  }
}

// CHECK-LABEL: .entry alike
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ void alike(const float *a, float *out, int n) {
  __shared__ float tile[40];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    __syncthreads();
    if (me < n)
      out[x + z * 64] = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] * tile[me + 7];
    __syncthreads();
  }
}

// The tile is written before the next barrier, or behind the last one; it has no
// size here; an array in global memory is read too; there is a division; a
// product from before the condition would come to its sum.
// CHECK-LABEL: .entry writes
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ void writes(const float *a, float *out, int n) {
  __shared__ float tile[80];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    __syncthreads();
    if (x < n)
      out[x + z * 64] = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] * tile[me + 7];
    tile[me + 41] = z;
    __syncthreads();
  }
}

// CHECK-LABEL: .entry wrote
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ void wrote(const float *a, float *out, int n) {
  __shared__ float tile[80];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    __syncthreads();
    tile[me + 41] = z;
    if (x < n)
      out[x + z * 64] = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] * tile[me + 7];
    __syncthreads();
  }
}

// CHECK-LABEL: .entry dynamic
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ void dynamic(const float *a, float *out, int n) {
  extern __shared__ float any[];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(any);
    __syncthreads();
    if (x < n)
      out[x + z * 64] = any[me] * 3 + any[me + 1] + any[me + 4] * 2 + any[me + 8] * any[me + 7];
    __syncthreads();
  }
}

// CHECK-LABEL: .entry global
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ void global(const float *a, float *out, int n) {
  __shared__ float tile[40];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    __syncthreads();
    if (x < n)
      out[x + z * 64] = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] * a[x + z + 1];
    __syncthreads();
  }
}

// CHECK-LABEL: .entry divides
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ void divides(const float *a, float *out, int n) {
  __shared__ float tile[40];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    __syncthreads();
    if (x < n)
      out[x + z * 64] = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] / tile[me + 7];
    __syncthreads();
  }
}

// CHECK-LABEL: .entry product
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ void product(const float *a, float *out, int n) {
  __shared__ float tile[40];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    const float first = a[x] * z;
    __syncthreads();
    if (x < n)
      out[x + z * 64] = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] + first;
    out[x + 500] = first;
    __syncthreads();
  }
}

// CHECK-LABEL: .entry off
// CHECK-NOT: selp.b64
// CHECK: ret;
extern "C" __global__ __attribute__((annotate("sluice:off"))) void off(const float *a, float *out, int n) {
  __shared__ float tile[40];
  const int me = threadIdx.x, x = blockIdx.x * 32 + me;
  LOOP {
    FILL(tile);
    __syncthreads();
    if (x < n)
      out[x + z * 64] = tile[me] * 3 + tile[me + 1] + tile[me + 4] * 2 + tile[me + 8] * tile[me + 7];
    __syncthreads();
  }
}
