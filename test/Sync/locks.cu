// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fences and locks of a block.
//
// RUN: %sync-cc %s -fplugin-arg-sluice-sync=all -Rpass=sluice-sync -Rpass-missed=sluice-sync -o %t.ptx 2> %t.err
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.err --implicit-check-not=remark:
// RUN: %same-sync %s %t block=128 int=7 kib=16
// RUN: %same-sync %s %t block=96 int=7 kib=16

// Fences stay by default, as who waits for a plain load may count on them.
// RUN: %sync-cc %s -fplugin-arg-sluice-sync=auto -o - | FileCheck %s --check-prefix=AUTO
// AUTO: .entry _Z4mine
// AUTO: membar.gl
// AUTO: membar.gl
// AUTO-NEXT: st.relaxed.cta.shared.b32 [{{.*}}lock], 0
// AUTO-NOT: membar.cta
// AUTO: .entry _Z6others

#define LOCK(L) while (atomicCAS(&L, 0, 1) != 0) ; __threadfence()
#define UNLOCK(L) __threadfence(); atomicExch(&L, 0)
#define BEGIN \
  __shared__ int lock, sum; \
  if (threadIdx.x == 0) { lock = 0; sum = 0; } \
  __syncthreads(); \
  if (threadIdx.x % 32 == 0) {
#define END \
  } \
  __syncthreads(); \
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;

// WHY: remark: a store gives the lock in shared memory back: the thread has it, and a fence stands before
// WHY: remark: the fence is for the block: no other one can see what this kernel does before it ends
// WHY: remark: the fence is for the block
// CHECK-LABEL: .entry _Z4mine
// CHECK: atom.{{.*}}shared.cas
// CHECK: membar.cta
// CHECK: membar.cta
// CHECK-NEXT: st.relaxed.cta.shared.b32 [{{.*}}lock], 0
__global__ void mine(int *out, int n) {
  BEGIN
  LOCK(lock);
  sum += n;
  UNLOCK(lock);
  END
}

// Another block may read what an atomic operation tells it of.
// WHY: remark: a store gives the lock
// WHY: remark: fences stay for the device: other blocks may see what this kernel does in line {{[0-9]+}}
// CHECK-LABEL: .entry _Z6others
// CHECK: membar.gl
// CHECK: membar.gl
// CHECK-NEXT: st.relaxed.cta.shared.b32
// CHECK-NOT: membar.cta
__global__ void others(int *out, int *count, int n) {
  BEGIN
  LOCK(lock);
  sum += n;
  UNLOCK(lock);
  END
  if (threadIdx.x == 0)
    atomicAdd(count, 1);
}

// So may one that a volatile store tells of, and what nobody here can read.
// WHY: remark: fences stay for the device: other blocks may see what this kernel does in line {{[0-9]+}}
// CHECK-LABEL: .entry _Z4tell
// CHECK: membar.gl
// CHECK-NOT: membar.cta
__global__ void tell(int *out, volatile int *flag, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  out[me] = n;
  __threadfence();
  flag[me] = 1;
}
// WHY: remark: fences stay for the device: other blocks may see what this kernel does in line {{[0-9]+}}
// CHECK-LABEL: .entry _Z7unknown
// CHECK: membar.gl
// CHECK-NOT: membar.cta
__global__ void unknown(int *out, int n) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = n;
  __threadfence();
  asm volatile("red.global.add.s32 [%0], 1;" ::"l"(out + 4096 - 1) : "memory");
}

// For the host: never touched.
// CHECK-LABEL: .entry _Z6system
// CHECK: membar.sys
__global__ void system(int *out, int n) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = n;
  __nvvm_membar_sys();
  out[2048 + blockIdx.x * blockDim.x + threadIdx.x] = n;
}

// Of these locks none is given back by a store; the fences are for the block.
// WHY-COUNT-4: remark: the fence is for the block
// What the lock held is used; it was not taken here; no fence; another lock.
// CHECK-LABEL: .entry _Z4used
// CHECK-NOT: st.relaxed
__global__ void used(int *out, int n) {
  BEGIN
  LOCK(lock);
  __nvvm_membar_cta();
  sum += n + atomicExch(&lock, 0);
  END
}
// CHECK-LABEL: .entry _Z5given
// CHECK-NOT: st.relaxed
__global__ void given(int *out, int n) {
  BEGIN
  if (threadIdx.x == 0) {
    sum = n;
    __nvvm_membar_cta();
    atomicExch(&lock, 1);
  }
  END
}
// CHECK-LABEL: .entry _Z8unfenced
// CHECK-NOT: st.relaxed
__global__ void unfenced(int *out, int n) {
  BEGIN
  if (threadIdx.x == 0) {
    LOCK(lock);
    sum += n;
    atomicExch(&lock, 0);
  }
  END
}
// CHECK-LABEL: .entry _Z5wrong
// CHECK-NOT: st.relaxed
__global__ void wrong(int *out, int n) {
  __shared__ int other;
  if (threadIdx.x == 0)
    other = 0;
  BEGIN
  if (threadIdx.x == 0) {
    LOCK(lock);
    sum += n;
    UNLOCK(other);
  }
  END
}
// In global memory other blocks take it.
// WHY: remark: fences stay for the device
// CHECK-LABEL: .entry _Z6global
// CHECK-NOT: st.relaxed
__global__ void global(int *out, int *lock, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    while (atomicCAS(lock + me, *lock + 1 - *lock, 1) == -2) ;
    __threadfence();
    atomicExch(lock + me, 0);
  }
  out[me] = n;
}
