// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where what is loaded decides, the blocks that a thread does the work of part:
// what they load before is on its way together, and then each goes on by
// itself, one after the other.
//
// RUN: %merged-cc=auto %s -Rpass-missed=sluice-merged-blocks 2>%t.remarks > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: grep '[.]entry __sluice_merged' %t.ptx | FileCheck %s --check-prefix=ONLY

// Eight loads, then what follows eight times, and the whole once more for fewer
// blocks.
// CHECK-LABEL: .entry __sluice_merged$3$1$128$8$0$1024$6$loaded(
// CHECK-COUNT-8: ld.global
// CHECK-NOT: ld.global
// CHECK-COUNT-8: st.global
// CHECK: ld.global
// CHECK-NEXT: setp
// CHECK: st.global
// CHECK-NOT: st.global
// CHECK: // -- End function
// ONLY: __sluice_merged$3$1$128$8$0$1024$6$loaded(
extern "C" __global__ void loaded(int *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (a[i])
    a[i + 1] = 0;
}

// A test of a flag, of which one side does nothing: few go on, so that loops
// may have accesses, and what they access is not counted.
// CHECK-LABEL: .entry __sluice_merged$3$4$128$8$0$1024$4$flag(
// CHECK-COUNT-8: ld.global.b8
// CHECK: @{{.*}} bra
// ONLY-NEXT: __sluice_merged$3$4$128$8$0$1024$4$flag(
extern "C" __global__ void flag(const bool *mask, const int *begin,
                                const int *to, int *cost) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mask[i])
    for (int k = begin[i]; k < begin[i + 1]; ++k)
      cost[to[k]] = cost[i] + 1;
}

// How much there is to do is no flag.
// ONLY-NEXT: __sluice_merged$3$3$128$1$0$1024$5$count(
extern "C" __global__ void count(const int *many, const int *to, int *cost) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (many[i] != 0)
    for (int k = 0; k < many[i]; ++k)
      cost[to[i + k]] = i;
}

// What follows counts half: 4 bytes, and half of 24 and 8.
// ONLY-NEXT: __sluice_merged$3$3$85$2$0$1024$4$half(
extern "C" __global__ void half(const int *a, const double *b, double *c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (a[i] > 3)
    c[i] = b[2 * i] + b[i] * 0.5;
}

// Also by atomics, and behind what is written; a switch decides, too.
// CHECK-LABEL: .entry __sluice_merged$3$3$128$4$0$1024$4$ways(
// CHECK-COUNT-4: ld.global.b8
// CHECK-COUNT-4: brx
// ONLY-NEXT: __sluice_merged$3$3$128$4$0$1024$4$ways(
extern "C" __global__ void ways(const signed char *a, signed char *b,
                                int *many) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (a[i]) {
  case 0:
    b[i] = 1;
    break;
  case 1:
    b[i + 1] = 4;
    break;
  case 2:
    atomicAdd(many + i % 7, 1);
    break;
  case 3:
    b[i + 2] = 3;
    break;
  case 4:
    b[i] = i;
  }
}

// CHECK-LABEL: .entry __sluice_merged$3$3$128$4$0$1024$6$behind(
// CHECK-COUNT-4: st.global
// CHECK: @{{.*}} bra
// ONLY-NEXT: __sluice_merged$3$3$128$4$0$1024$6$behind(
extern "C" __global__ void behind(int *a, int n, float x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i] + 1;
  if (i * 0.3f < x)
    a[i + n] = 0;
}

// The product is fused with each block's own sum, as before.
// CHECK-LABEL: .entry __sluice_merged$3$4$128$4$0$1024$7$product(
// CHECK-COUNT-5: fma.rn.f32
// CHECK-NOT: fma
// CHECK: // -- End function
// RUN: grep 'mov.f32 .*// of block [0-3]$' %t.ptx | count 4
// ONLY-NEXT: __sluice_merged$3$4$128$4$0$1024$7$product(
extern "C" __global__ void product(float *a, float x, float y, float z) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float once = x * y;
  if (a[i] > 0)
    a[i] = z + once;
}

// REMARK: [[@LINE+2]]:{{.*}} remark: no thread {{.*}}: what is loaded decides where blocks go on
// ONLY-NEXT: __sluice_merged$3$2$128$1$0$1024$6$inLoop(
extern "C" __global__ void inLoop(int *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
    if (a[i + k] == 7)
      a[k] = i;
}

// ONLY-NOT: entry
