// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever asks: kernels that could tell that fewer blocks are resident, or that
// they have more shared memory, are left alone. There is no record of them.
//
// RUN: printf 'sluice-plan: 2\ngpu: sm_90\nkernels:\n' > %t.yaml
// RUN: printf '  - {name: %%s, carveout: 7, claimed-shared-bytes: 7168}\n' reads asks asks_in_callee in_clusters waits meets calls off off_part large fits >> %t.yaml
// RUN: %device %remarks 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=__sluice_host < %t.ptx
// PTX: __sluice_host$1$c7$s7168$d0$4$fits;

__device__ int dynamicSize() asm("llvm.nvvm.read.ptx.sreg.dynamic_smem_size");

extern "C" {
// CHECK: remark: thread blocks of 'reads' not limited: it reads how much shared memory it has [-Rpass-missed=sluice-throttle]
__global__ void reads(int *p) { *p = dynamicSize(); }

// CHECK: remark: thread blocks of 'asks' not limited: it reads how much shared memory it has
__global__ void asks(int *p) {
  int size;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
  *p = size;
}

__device__ __attribute__((noinline)) int totalSize() {
  int size;
  asm("mov.u32 %0, %%total_smem_size;" : "=r"(size));
  return size;
}
// CHECK: remark: thread blocks of 'asks_in_callee' not limited: it reads how much shared memory it has
__global__ void asks_in_callee(int *p) { *p = totalSize(); }

// CHECK: remark: thread blocks of 'in_clusters' not limited: it is launched in clusters of blocks
__global__ void __launch_bounds__(256, 2, 4) in_clusters(int *p) { *p = 1; }

// All blocks meet: none may wait for another to end.
// CHECK: remark: thread blocks of 'waits' not limited: it contains a loop whose exit depends on a volatile load, so its warps may wait for one another at refused-device.cu:[[@LINE+4]]:
__global__ void waits(int *count, int blocks) {
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (*(volatile int *)count < blocks)
      ;
  }
  __syncthreads();
}

// So they do here, where a plain store to the thread's own element hides it.
// CHECK: remark: thread blocks of 'meets' not limited: it contains a loop whose exit depends on memory that another thread may write, so its warps may wait for one another at refused-device.cu:[[@LINE+5]]:
__global__ void meets(int *count, int *own, int blocks) {
  int block = blockIdx.x;
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (!own[block])
      if (atomicAdd(count, 0) >= blocks)
        own[block] = 1;
  }
  __syncthreads();
}

__device__ void unknown(int *p);
// CHECK: remark: thread blocks of 'calls' not limited: it calls 'unknown', whose body is not in this file
__global__ void calls(int *p) { unknown(p); }

// CHECK: remark: thread blocks of 'off' not limited: it is switched off in the source
__attribute__((annotate("sluice:off"))) __global__ void off(int *p) { *p = 1; }

// CHECK: remark: thread blocks of 'off_part' not limited: it is switched off in the source
__global__ void off_part(float *p) {
#pragma sluice off
  for (int i = 0; i < 100; ++i)
    p[threadIdx.x] += p[i];
}

// 48 KiB less 1 KiB for alignment, the claim and a word: it fits; or not.
// CHECK: remark: thread blocks of 'large' not limited: it declares 40964 B of shared memory, and with a claim of 7168 B a block could have more than 49152 B
__global__ void large(int *p) {
  __shared__ int tile[10241];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  *p = tile[*p];
}
// CHECK: remark: thread blocks of 'fits' limited: claim of 7168 B with a carveout of 7 %
__global__ void fits(int *p) {
  __shared__ int tile[10240];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  *p = tile[*p];
}
}
