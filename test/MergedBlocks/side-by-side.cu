// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that does the work of several blocks side by side, and the kernels
// in which none does.
//
// RUN: %merged-cc=auto %s -Rpass=sluice-merged-blocks -Rpass-missed=sluice-merged-blocks 2>%t.remarks > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: grep '[.]entry __sluice_merged' %t.ptx | FileCheck %s --check-prefix=ONLY
// RUN: %merged-cc=2 %s | grep '[.]entry __sluice_merged' | FileCheck %s --check-prefix=TWO
// RUN: not %merged-cc=3 %s 2>&1 | FileCheck %s --check-prefix=BAD
//
// BAD: invalid value {{.*}} for option {{.*}} expected auto, off, 1, 2, 4, or 8

// Four blocks, and one after the other where they are not all there, or part.
// CHECK-LABEL: .entry __sluice_merged$3$3$128$4$0$1024$3$add(
// CHECK: .maxntid 1024
// CHECK-COUNT-8: ld.global
// CHECK-COUNT-4: add{{.*}}.f32
// CHECK-COUNT-4: st.global
// CHECK-COUNT-2: ld.global
// CHECK-NOT: ld.global
// CHECK: st.global
// CHECK-NOT: st.global
// CHECK: // -- End function
// REMARK: remark: large grids of blocks of at most 128 threads are launched as blocks of up to 256, and each thread of a large grid does the work of 4 blocks side by side
// ONLY: __sluice_merged$3$3$128$4$0$1024$3$add(
// TWO: __sluice_merged$3$3$128$2$0$1024$3$add(
extern "C" __global__ void add(float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += b[i];
}

// Bytes: eight blocks. What is the same for all of them is there once.
// ONLY-NEXT: __sluice_merged$3$3$128$8$0$1024$7$convert(
// CHECK-LABEL: .entry __sluice_merged$3$3$128$8$0$1024$7$convert(
// CHECK-COUNT-9: ld.global
// CHECK: st.global
// CHECK-LABEL: -- End function
extern "C" __global__ void convert(unsigned char *a, const signed char *b,
                                   const unsigned char *factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b[i] * *factor;
}

// Words of one struct are stored together: 24 bytes are two blocks' worth.
// ONLY-NEXT: __sluice_merged$3$2$100$2$0$1024$5$words(
// CHECK-LABEL: .entry __sluice_merged$3$2$100$2$0$1024$5$words(
// CHECK-COUNT-2: ld.global.v2
// CHECK-COUNT-2: st.global.v4
struct alignas(8) Two {
  int x, y;
};
struct alignas(16) Four {
  int of[4];
};
extern "C" __global__ void words(Four *a, const Two *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = {b[i].x, b[i].y, b[i].x + 1, b[i].y + 1};
}

// Enough is on its way: 32 bytes.
// ONLY-NEXT: __sluice_merged$3$2$128$1$0$1024$4$wide(
// TWO-NEXT: __sluice_merged$3$3$128$2$0$1024$7$convert(
// TWO-NEXT: __sluice_merged$3$2$100$2$0$1024$5$words(
// TWO-NEXT: __sluice_merged$3$2$128$2$0$1024$4$wide(
extern "C" __global__ void wide(Four *a, const Four *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b[i];
}

// Loops of which the block says nothing, without accesses.
// ONLY-NEXT: __sluice_merged$3$3$128$4$0$1024$6$powers(
// TWO-NEXT: __sluice_merged$3$3$128$2$0$1024$6$powers(
extern "C" __global__ void powers(int *a, int by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i];
#pragma unroll 1
  for (int k = 0; k < n; ++k)
    x = x * by ^ k;
  a[i] = x;
}

// Neighbours of one array are read once: 4 bytes, and 4 are written.
// ONLY-NEXT: __sluice_merged$3$3${{[0-9]+}}$4$0$1024$6$middle(
// TWO-NEXT: __sluice_merged$3$3${{[0-9]+}}$2$0$1024$6$middle(
extern "C" __global__ void middle(float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    a[i] = (b[i - 1] + b[i]) + b[i + 1];
}

// With accesses in loops it is not known what is waited for.
// ONLY-NEXT: __sluice_merged$3$3$128$1$0$1024$4$rows(
// TWO-NEXT: __sluice_merged$3$3$128$2$0$1024$4$rows(
extern "C" __global__ void rows(float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; ++k)
    s += b[i + k * n];
  a[i] = s;
}

// Whether blocks part behind what is written is asked in the beginning.
// ONLY-NEXT: __sluice_merged$3$2$128$4$0$1024$5$asked(
// TWO-NEXT: __sluice_merged$3$2$128$2$0$1024$5$asked(
// CHECK-LABEL: .entry __sluice_merged$3$2$128$4$0$1024$5$asked(
// CHECK-NOT: st.global
// CHECK: @{{.*}} bra
// CHECK-COUNT-4: st.global
// CHECK: @{{.*}} bra
// CHECK-COUNT-4: st.global
extern "C" __global__ void asked(int *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 1;
  if (i < n)
    a[i + n] = 0;
}

// REMARK: [[@LINE+3]]:{{.*}} remark: no thread {{.*}}: loops go round as often as the block's index says
// ONLY-NEXT: __sluice_merged$3$2$128$1$0$1024$5$index(
// TWO-NEXT: __sluice_merged$3$2$128$1$0$1024$5$index(
extern "C" __global__ void index(int *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = 0;
#pragma unroll 1
  for (int k = 0; k < i; ++k)
    x = x * n ^ k;
  a[i] = x;
}

// Who waits for nothing may use atomics.
// ONLY-NEXT: __sluice_merged$3$1$128$8$0$1024$6$places(
// TWO-NEXT: __sluice_merged$3$1$128$2$0$1024$6$places(
// CHECK-LABEL: .entry __sluice_merged$3$1$128$8$0$1024$6$places(
// CHECK-COUNT-9: {{atom|red}}
extern "C" __global__ void places(int *a) {
  atomicAdd(&a[blockIdx.x * blockDim.x + threadIdx.x], 1);
}

// Or who looks only once.
// ONLY-NEXT: __sluice_merged$3$1$128$8$0$1024$5$looks(
// TWO-NEXT: __sluice_merged$3$1$128$2$0$1024$5$looks(
extern "C" __global__ void looks(volatile int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// Lanes that wait for others of their warp may wait for ever.
// REMARK: [[@LINE+1]]:{{.*}} remark: blocks are launched as the program has them: it may wait for another block in a loop
extern "C" __global__ void waits(int *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (atomicAdd(&a[i], 1) == 0) {
  }
}

// It is done for each block, whatever the place.
// ONLY-NEXT: __sluice_merged$3$1$128$8$0$1024$6$counts(
// TWO-NEXT: __sluice_merged$3$1$128$2$0$1024$6$counts(
// CHECK-LABEL: .entry __sluice_merged$3$1$128$8$0$1024$6$counts(
// CHECK-COUNT-9: {{atom|red}}
extern "C" __global__ void counts(int *a) { atomicAdd(&a[threadIdx.x], 1); }

// REMARK: [[@LINE+3]]:{{.*}} remark: no thread {{.*}}: it has local arrays
// ONLY-NEXT: __sluice_merged$3$1${{[0-9]+}}$1$0$1024$5$local(
// TWO-NEXT: __sluice_merged$3$1${{[0-9]+}}$1$0$1024$5$local(
extern "C" __global__ void local(int *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int mine[8];
  mine[a[i] & 7] = 1;
  a[i] = mine[a[i + 1] & 7];
}

// Which sum a product is fused with may depend on how many take it. So each
// block has its own of the two, of which one is used twice.
// ONLY-NEXT: __sluice_merged$3$4$128$4$0$1024$7$product(
// TWO-NEXT: __sluice_merged$3$4$128$2$0$1024$7$product(
// CHECK-LABEL: .entry __sluice_merged$3$4$128$4$0$1024$7$product(
// CHECK-COUNT-10: fma.rn.f32
// CHECK-NOT: fma
// CHECK: ret;
// RUN: grep 'mov.f32 .*// of block [0-3]$' %t.ptx | count 4
extern "C" __global__ void product(float *a, float x, float y, float z) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float once = x * y, twice = y * z;
  a[i] = (a[i] + once) + twice / x + (a[i] * twice);
}

// Of lanes that lie apart the memory moves a sector for each.
// ONLY-NEXT: __sluice_merged$3$3$128$1$0$1024$9$transpose(
// TWO-NEXT: __sluice_merged$3$3$128$2$0$1024$9$transpose(
extern "C" __global__ void transpose(const float *a, float *b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  b[x * n + y] = a[y * n + x];
}

// Each block's second store comes behind its first, also the one that is the
// same for all.
// CHECK-LABEL: .entry __sluice_merged$3$3$128$8$0$1024$5$order(
// CHECK: st.global.b32 [{{.*}}], 1000
// CHECK-NEXT: st.global.b32 [[SAME:.*]], 0
// CHECK-NEXT: st.global.b32 [{{.*}}], 1000
// CHECK-NEXT: st.global.b32 [[SAME]], 0
// ONLY-NEXT: __sluice_merged$3$3$128$8$0$1024$5$order(
// TWO-NEXT: __sluice_merged$3$3$128$2$0$1024$5$order(
extern "C" __global__ void order(int *a, int n, int from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    a[i] = 1000;
    a[from] = 0;
  }
}

// LLVM does not find that one block's product is another's: it would be fused
// with another sum then.
// CHECK-LABEL: .entry __sluice_merged$3$2$128$4$0$1024$5$equal(
// CHECK-COUNT-5: fma.rn.f32
// RUN: sed -n '/entry __sluice_merged.*equal/,/End function/p' %t.ptx | grep 'mul.f32' | count 5
// ONLY-NEXT: __sluice_merged$3$2$128$4$0$1024$5$equal(
// TWO-NEXT: __sluice_merged$3$2$128$2$0$1024$5$equal(
extern "C" __global__ void equal(const float *__restrict__ a,
                                 float *__restrict__ b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = a[i], y = a[i + int(blockDim.x)];
  b[i] = x * x + y * y;
}

// Code generation takes the product of one block out of the condition, away
// from its sum, but not those of several.
// REMARK: [[@LINE+4]]:{{.*}} remark: no thread {{.*}}: whether a product is fused hangs on how long its block is
// ONLY-NEXT: __sluice_merged$3$6$100$1$0$1024$5$taken(
// TWO-NEXT: __sluice_merged$3$6$100$1$0$1024$5$taken(
extern "C" __global__ void taken(const float *a, const float *b, float *c,
                                 float *o, float *q, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = a[i], y = b[i];
  c[i] = x - y;
  if (n > 3) {
    const float p = x * y;
    o[i] = p;
    q[i] = p + q[i];
  }
}

// REMARK: [[@LINE+3]]:{{.*}} remark: no thread {{.*}}: its assembly has names that may be there only once
// ONLY-NEXT: __sluice_merged$3$1$128$1$0$1024$5$names(
// TWO-NEXT: __sluice_merged$3$1$128$1$0$1024$5$names(
extern "C" __global__ void names(int *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x;
  asm(".reg .b32 t; add.s32 t, %1, 1; mul.lo.s32 %0, t, t;"
      : "=r"(x) : "r"(a[i]));
  a[i] = x;
}

// A product that several sums use is fused with which of them? That hangs on
// more than on how many they are.
// REMARK: [[@LINE+3]]:{{.*}} remark: no thread {{.*}}: a product of a sum is the same for all blocks
// ONLY-NEXT: __sluice_merged$3$3$128$1$0$1024$5$twice(
// TWO-NEXT: __sluice_merged$3$3$128$1$0$1024$5$twice(
extern "C" __global__ void twice(float *a, const float *b, float s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float p = s * s;
  a[i] = (p + i) * p + (p + b[i]);
}

// Elements of a thread's own, a block apart, are as many bytes on their way; a
// neighbour's are not.
// ONLY-NEXT: __sluice_merged$3$2${{[0-9]+}}$1$0$1024$3$own(
// TWO-NEXT: __sluice_merged$3$2${{[0-9]+}}$2$0$1024$3$own(
extern "C" __global__ void own(int *a, const int *b) {
  const int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += b[i + k * blockDim.x];
  a[i] = sum;
}
// ONLY-NEXT: __sluice_merged$3$2${{[0-9]+}}$4$0$1024$10$neighbours(
// TWO-NEXT: __sluice_merged$3$2${{[0-9]+}}$2$0$1024$10$neighbours(
extern "C" __global__ void neighbours(int *a, const int *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += b[i + k];
  a[i] = sum;
}
// Nobody knows where assembly writes: a column, say.
// ONLY-NEXT: __sluice_merged$3$2${{[0-9]+}}$1$0$1024$10$byAssembly(
// TWO-NEXT: __sluice_merged$3$2${{[0-9]+}}$2$0$1024$10$byAssembly(
extern "C" __global__ void byAssembly(int *a, const int *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("st.global.b32 [%0], %1;" ::"l"(a + i * 256), "r"(b[i])
               : "memory");
}

// ONLY-NOT: entry
// TWO-NOT: entry
