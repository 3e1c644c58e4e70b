// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread that does the work of several blocks has to compute what the
// program's threads do, bit for bit, and where it may not be.
//
// RUN: %merged-cc=2 %s -Rpass-missed=sluice-merged-blocks 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %merged-cc=2 %s -ffast-math -Rpass-missed=sluice-merged-blocks 2>&1 | FileCheck %s --check-prefix=FAST

// Each thread has a structure of its own.
struct Numbers {
  int of[8];
};
// REMARK: [[@LINE+1]]:{{.*}} remark: no thread does the work of several blocks side by side: it writes to its parameters
extern "C" __global__ void own(int *a, Numbers b, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  b.of[k & 7] = i;
  a[i] = b.of[(k + threadIdx.x) & 7];
}

// REMARK-NOT: remark: no thread
extern "C" __global__ void read(int *a, Numbers b, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b.of[k & 7] + b.of[i & 7];
}

// That the first of two blocks is even is not known: the selected product
// would be fused with the sum.
// CHECK-LABEL: .entry __sluice_merged$3$3$128$2$0$1024$6$parity(
// CHECK-NOT: fma
// CHECK: ret;
// CHECK-LABEL: // -- End function
extern "C" __global__ void parity(float *a, const float *b, const float *c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = b[i], w = c[i];
  a[i] = (blockIdx.x & 1 ? x * w : w) + x;
}

// Nor that the second is not the first of all.
// CHECK-LABEL: .entry __sluice_merged$3$3$128$2$0$1024$5$first(
// CHECK-NOT: fma
// CHECK-LABEL: // -- End function
extern "C" __global__ void first(float *a, const float *b, const float *c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = b[i], w = c[i];
  a[i] = (blockIdx.x != 0 ? x * w : w) + x;
}

// Assembly need not say that it loads.
// CHECK-LABEL: .entry __sluice_merged$3$3$128$2$0$1024$6$behind(
// CHECK: st.global.b32
// CHECK-NEXT: st.global.b32
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: ld.global.s32
// CHECK-LABEL: // -- End function
extern "C" __global__ void behind(int *a, int *b, const int *c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = c[i] + 1;
  int x;
  asm("ld.global.s32 %0, [%1];" : "=r"(x) : "l"(b + i));
  a[i] = x;
}

// Two that divide by one number would multiply.
// FAST: [[@LINE+1]]:{{.*}} remark: no thread does the work of several blocks side by side: its results may be computed in any order
extern "C" __global__ void quotient(float *a, const float *b, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b[i] / by;
}

// The merged kernel's third dimension is the program's grid: there it is 1 for
// the program, and 3 * 0.1 would be rounded before it is added.
// REMARK: [[@LINE+1]]:{{.*}} remark: blocks are launched as the program has them: a product in it may depend on the third dimension
extern "C" __global__ void third(float *a, const float *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b[i] + float(blockDim.z * 3) * 0.1f;
}
