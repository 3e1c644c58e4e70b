// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel beside each small one that does the work of several blocks in one,
// and the kernels that have none.
//
// RUN: %merged-cc=1 %s -Rpass=sluice-merged-blocks -Rpass-missed=sluice-merged-blocks 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %merged-cc=1 %s | grep '[.]entry __sluice_merged' | FileCheck %s --check-prefix=ONLY
// RUN: %sluice-cc %s | FileCheck %s --check-prefix=OFF --implicit-check-not=__sluice_merged
// RUN: printf 'sluice-plan: 24\ngpu: sm_90\nkernels:\n  - {name: add, merged-blocks: false}\n' > %t.yaml
// RUN: %merged-cc=1 %s -fplugin-arg-sluice-plan=%t.yaml | FileCheck %s --check-prefix=PLAN
//
// OFF: .entry add
// PLAN-NOT: .entry __sluice_merged$3$3$128$1$0$1024$3$add
// PLAN: .entry __sluice_merged$3$1$128$1$0$1024$6$layers

// The two are all that is in both dimensions the program's own.
// CHECK-LABEL: .entry __sluice_merged$3$3$128$1$0$1024$3$add(
// CHECK: .param .u32 __sluice_merged$3$3$128$1$0$1024$3$add_param_3
// CHECK-DAG: ld.param.b32 [[BLOCKS:%r[0-9]+]], [__sluice_merged$3$3$128$1$0$1024$3$add_param_3];
// CHECK-DAG: mov.u32 [[LAYERS:%r[0-9]+]], %ntid.z;
// CHECK-DAG: mov.u32 [[GROUP:%r[0-9]+]], %ctaid.x;
// CHECK-DAG: mov.u32 [[LAYER:%r[0-9]+]], %tid.z;
// CHECK: mad.lo.s32 [[BLOCK:%r[0-9]+]], [[GROUP]], [[LAYERS]], [[LAYER]];
// CHECK: setp.{{ge|gt}}.u32 {{%p[0-9]+}}, [[BLOCK]], [[BLOCKS]];
// CHECK: mov.u32 [[SIZE:%r[0-9]+]], %ntid.x;
// CHECK: mov.u32 [[ME:%r[0-9]+]], %tid.x;
// CHECK: mad.lo.s32 {{%r[0-9]+}}, [[BLOCK]], [[SIZE]], [[ME]];
// CHECK: ret;
// REMARK: remark: large grids of blocks of at most 128 threads are launched as blocks of up to 256
// ONLY: __sluice_merged$3$3$128$1$0$1024$3$add(
extern "C" __global__ void add(float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += b[i];
}

// What a thread asks for of the third dimension is the program's.
// CHECK-LABEL: .entry __sluice_merged$3$1$128$1$0$1024$6$layers(
// CHECK: mov.u32 {{%r[0-9]+}}, %tid.z;
// CHECK-NOT: %tid.z
// CHECK: ret;
// ONLY-NEXT: __sluice_merged$3$1$128$1$0$1024$6$layers(
extern "C" __global__ void layers(int *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = threadIdx.z + 7 * blockDim.z + gridDim.x + blockIdx.y * gridDim.y;
}

// CHECK-LABEL: .entry __sluice_merged$3$1$128$1$0$64$7$bounded(
// CHECK: .maxntid 256
// CHECK-NEXT: .minnctapersm 4
// ONLY-NEXT: __sluice_merged$3$1$128$1$0$64$7$bounded(
extern "C" __global__ void __launch_bounds__(64, 16) bounded(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// REMARK: [[@LINE+1]]:{{.*}} remark: blocks are launched as the program has them: threads of a block or a warp work together in it
extern "C" __global__ void shared(int *a) {
  __shared__ int all[64];
  all[threadIdx.x] = a[threadIdx.x];
  a[blockIdx.x * 64 + threadIdx.x] = all[a[threadIdx.x] & 63];
}

// REMARK: [[@LINE+1]]:{{.*}} remark: blocks are launched as the program has them: threads of a block or a warp work together in it
extern "C" __global__ void barrier(int *a) {
  a[threadIdx.x] += 1;
  __syncthreads();
  a[threadIdx.x ^ 1] += 1;
}

// REMARK: [[@LINE+1]]:{{.*}} remark: {{.*}}: threads of a block or a warp work together
extern "C" __global__ void warp(int *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = __nvvm_shfl_sync_bfly_i32(~0u, a[i], 1, 31);
}

// REMARK: [[@LINE+1]]:{{.*}} remark: {{.*}}: threads of a block or a warp work together
extern "C" __global__ void lane(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = __nvvm_read_ptx_sreg_laneid();
}

// A matrix is all lanes', though LLVM does not say that they act together.
// REMARK: [[@LINE+1]]:{{.*}} remark: {{.*}}: threads of a block or a warp work together
extern "C" __global__ void matrix(int *a, const int *b) {
  int lanes[8];
  __hmma_m16n16k16_ld_a(lanes, b + blockIdx.x, 16, 0);
  a[blockIdx.x * blockDim.x + threadIdx.x] = lanes[0] ^ lanes[7];
}

// REMARK: [[@LINE+1]]:{{.*}} remark: {{.*}}: threads of a block or a warp work together
extern "C" __global__ void clock(long long *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = __nvvm_read_ptx_sreg_clock64();
}

// REMARK: [[@LINE+1]]:{{.*}} remark: {{.*}}: threads of a block or a warp work together
extern "C" __global__ void text(int *a) {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  a[blockIdx.x * blockDim.x + threadIdx.x] = lane;
}

// Assembly that computes from its operands is like any instruction.
// ONLY-NEXT: __sluice_merged$3$1$128$1$0$1024$7$numbers(
extern "C" __global__ void numbers(int *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int twice;
  asm("add.s32 %0, %1, %1;" : "=r"(twice) : "r"(a[i]));
  a[i] = twice;
}

// So is an access of global memory. Each thread has 52 bytes that
// are counted: 46 threads are what the memory has to do until the next block.
// ONLY-NEXT: __sluice_merged$3$1$46$1$0$1024$5$bytes(
using Four = int __attribute__((ext_vector_type(4)));
extern "C" __global__ void bytes(Four *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Four v = a[4 * i], w = a[4 * i + 1], x = a[4 * i + 2], y = a[4 * i + 3];
  v.x += w.y + x.z + y.w;
  asm volatile("st.global.cs.v4.s32 [%0], {%1,%2,%3,%4};"
               :
               : "l"(a + 4 * i), "r"(v.x), "r"(v.y), "r"(w.z), "r"(x.w)
               : "memory");
  a[4 * i + 1] = v;
}

// ONLY-NEXT: __sluice_merged$3$1$128$1$0$1024$6$places(
extern "C" __global__ void places(int *a) {
  atomicAdd(&a[blockIdx.x * blockDim.x + threadIdx.x], 1);
}

// REMARK: [[@LINE+1]]:{{.*}} remark: {{.*}}: it has atomics of one place
extern "C" __global__ void counts(int *a) { atomicAdd(&a[blockIdx.x], 1); }

__device__ __attribute__((noinline)) int other(int x) { return x * threadIdx.x; }

// REMARK: [[@LINE+1]]:{{.*}} remark: {{.*}}: threads of a block or a warp work together
extern "C" __global__ void calls(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = other(a[0]);
}

// 4,096 bytes of parameters are what all GPUs take.
struct Large {
  int of[1022];
};
// REMARK: [[@LINE+1]]:{{.*}} remark: {{.*}}: its parameters leave no room for one more
extern "C" __global__ void full(int *a, Large b) { a[threadIdx.x] = b.of[7]; }

struct Smaller {
  int of[1021];
};
// ONLY-NEXT: __sluice_merged$3$2$128$1$0$1024$6$fuller(
extern "C" __global__ void fuller(int *a, Smaller b) {
  a[threadIdx.x] = b.of[7];
}

// ONLY-NOT: entry
