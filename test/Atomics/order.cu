// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomicCAS in PTX is relaxed and holds for the device, and for the block or
// the system where the source says so. What has an order of its own keeps it:
// C++ atomics and builtins, also where LLVM makes one instruction of such a one
// and an atomicCAS, and functions of the user's with the same names.
//
// RUN: %sluicexx %s --sluice-sync=off --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -o %t.s -Rpass=sluice-atomics 2> %t.remarks
// RUN: FileCheck %s --input-file %t.s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: %sluicexx %s --sluice-sync=off --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -o - -g0 --sluice-transforms=off --sluice-atomics=auto | FileCheck %s
// RUN: %sluicexx %s --sluice-sync=off --cuda-gpu-arch=sm_90 -O1 -g --cuda-device-only -S -o - | FileCheck %s
// RUN: %sluicexx %s --sluice-sync=off --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -emit-llvm -o - | FileCheck %s --check-prefix=IR
//
// Off, it is clang's code.
// RUN: %plainxx %s --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -o %t.clang
// RUN: %sluicexx %s --sluice-sync=off --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -o - --sluice-atomics=off | diff %t.clang -
// RUN: %sluicexx %s --sluice-sync=off --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -o - --sluice-transforms=off | diff %t.clang -
//
// Either deliberate fault is seen.
// RUN: %sluicexx %s --sluice-sync=off --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -o - --sluice-test-wrong-rewrite=narrow-scope | not FileCheck %s 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: %sluicexx %s --sluice-sync=off --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -o - --sluice-test-wrong-rewrite=every-exchange | not FileCheck %s 2>&1 | FileCheck %s --check-prefix=EVERY
// NARROW: expected string not found in input
// NARROW: atom.relaxed.gpu.global.cas.b32
// NARROW: possible intended match
// NARROW-NEXT: atom.relaxed.cta.global.cas.b32
// EVERY: expected string not found in input
// EVERY-NEXT: fence.sc.sys;
// EVERY: .entry _Z7orderedPi(

// CHECK-LABEL: .entry _Z5plainPiPjPyPt(
// CHECK-NOT: fence
// CHECK: atom.relaxed.gpu.global.cas.b32
// CHECK-NOT: fence
// CHECK: atom.relaxed.gpu.global.cas.b32
// CHECK-NOT: fence
// CHECK: atom.relaxed.gpu.global.cas.b64
// CHECK-NOT: fence
// CHECK: atom.relaxed.gpu.global.cas.b32
// CHECK-NOT: fence
// CHECK: ret;
// IR-LABEL: @_Z5plainPiPjPyPt(
// IR: cmpxchg ptr %{{[0-9]+}}, i32 1, i32 2 syncscope("device") monotonic monotonic, align 4
// IR: cmpxchg ptr %{{[0-9]+}}, i32 3, i32 4 syncscope("device") monotonic monotonic, align 4
// IR: cmpxchg ptr %{{[0-9]+}}, i64 5, i64 6 syncscope("device") monotonic monotonic, align 8
// IR: cmpxchg ptr %{{[0-9]+}}, i16 7, i16 8 syncscope("device") monotonic monotonic, align 2
// REMARK: order.cu:[[#@LINE+6]]:10: remark: atomicCAS is relaxed and holds for the device, as CUDA says: clang's fences are left out (in __clang_cuda_device_functions.h:{{.*}}) [-Rpass=sluice-atomics]
// REMARK: order.cu:[[#@LINE+6]]:10: remark: atomicCAS is relaxed
// REMARK: order.cu:[[#@LINE+6]]:10: remark: atomicCAS is relaxed
// REMARK: order.cu:[[#@LINE+6]]:10: remark: atomicCAS is relaxed
__global__ void plain(int *i, unsigned *u, unsigned long long *l,
                      unsigned short *s) {
  i[1] = atomicCAS(i, 1, 2);
  u[1] = atomicCAS(u, 3, 4);
  l[1] = atomicCAS(l, 5, 6);
  s[1] = atomicCAS(s, 7, 8);
}

// CHECK-LABEL: .entry _Z6scopesPi(
// CHECK: atom.cta.cas.b32
// CHECK: atom.sys.cas.b32
// CHECK: atom.global.exch.b32
// CHECK: atom.global.add.u32
// CHECK: ret;
__global__ void scopes(int *i) {
  i[1] = atomicCAS_block(i, 1, 2);
  i[2] = atomicCAS_system(i, 3, 4);
  i[3] = atomicExch(i, 5);
  i[4] = atomicAdd(i, 6);
}

// In shared memory, in a loop, from a function and behind a user's own fence.
// CHECK-LABEL: .entry _Z6lockedPi(
// CHECK: atom.relaxed.gpu.shared.cas.b32
// CHECK: membar.gl;
// CHECK: st.global
// CHECK: membar.gl;
// CHECK: atom.shared.exch.b32
// CHECK: ret;
// REMARK: order.cu:[[#@LINE+2]]:10: remark: atomicCAS is relaxed
__device__ void take(int *lock) {
  while (atomicCAS(lock, 0, 1))
    ;
}
// REMARK: order.cu:[[#@LINE-3]]:10: remark: atomicCAS is relaxed
__global__ void locked(int *x) {
  __shared__ int lock;
  if (threadIdx.x == 0)
    lock = 0;
  __syncthreads();
  take(&lock);
  __threadfence();
  *x += 1;
  __threadfence();
  atomicExch(&lock, 0);
}

// CHECK-LABEL: .entry _Z7orderedPi(
// CHECK: fence.sc.sys;
// CHECK: atom.acquire.sys.global.cas.b32
// CHECK: atom.acquire.sys.global.cas.b32
// CHECK: ret;
__global__ void ordered(int *i) {
  int expected = 1;
  __atomic_compare_exchange_n(i, &expected, 2, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  i[1] = expected;
  __atomic_compare_exchange_n(i, &expected, 3, false, __ATOMIC_ACQUIRE,
                              __ATOMIC_ACQUIRE);
  i[2] = expected;
}

namespace mine {
__device__ int __iAtomicCAS(int *p, int expected, int desired) {
  __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return expected;
}
__device__ int atomicCAS(int *p, int expected, int desired) {
  return mine::__iAtomicCAS(p, expected, desired);
}
} // namespace mine

// CHECK-LABEL: .entry _Z5usersPi(
// CHECK: fence.sc.sys;
// CHECK: atom.acquire.sys.global.cas.b32
// CHECK: ret;
__global__ void users(int *i) { i[1] = mine::atomicCAS(i, 1, 2); }

// clang's builtin itself, which no function of CUDA's is.
// CHECK-LABEL: .entry _Z7builtinPi(
// CHECK: fence.sc.sys;
// CHECK: atom.acquire.sys.global.cas.b32
// CHECK: ret;
__global__ void builtin(int *i) { i[1] = __nvvm_atom_cas_gen_i(i, 1, 2); }

// CHECK-LABEL: .entry _Z6joinedPib(
// CHECK: fence.sc.sys;
// CHECK: atom.acquire.sys.global.cas.b32
// CHECK: ret;
__global__ void joined(int *i, bool isCUDA) {
  int old = 1;
  if (isCUDA)
    old = atomicCAS(i, 1, 2);
  else
    __atomic_compare_exchange_n(i, &old, 2, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
  i[1] = old;
}
