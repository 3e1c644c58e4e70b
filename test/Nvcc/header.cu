// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sources find under nvcc without an include: min and max of mixed types
// in host code, time, functions of a float, and the atomic functions that clang 22
// lacks.
//
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 %s -o %t
// RUN: %t | FileCheck %s --check-prefix=HOST
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -ptx %s -o - | FileCheck %s --check-prefix=PTX

__global__ void atomics(unsigned *A, float *F, unsigned long long *U,
                        double *D) {
  // PTX-LABEL: .entry _Z7atomics
  // PTX: ld.relaxed.sys.global.b32
  A[0] = __nv_atomic_load_n(A + 1, __NV_ATOMIC_RELAXED);
  // PTX: st.release.sys.global.b32
  __nv_atomic_store_n(A + 2, 3u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  // PTX-NOT: membar
  // PTX: atom.gpu.add.f32
  __nv_atomic_fetch_add(F, 1.0f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  // PTX: membar.cta
  // PTX: atom.cta.min.u64
  // PTX: membar.cta
  __nv_atomic_fetch_min(U, 3ull, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
  // PTX-NOT: membar
  // PTX: atom.sys.add.f64
  // PTX: membar.sys
  __nv_atomic_add(D, 3.0, __NV_ATOMIC_ACQUIRE);
  // PTX-NOT: membar
  // PTX: atom.sys.add.u32
  __nv_atomic_fetch_sub(A, 1u, __NV_ATOMIC_RELAXED);
  // PTX: atom.sys.exch.b64
  __nv_atomic_exchange_n(U, 4ull, __NV_ATOMIC_RELAXED);
  // PTX: atom.acquire.sys.global.cas.b32
  unsigned Expected = 1;
  A[5] = __nv_atomic_compare_exchange_n(A, &Expected, 2u, false,
                                        __NV_ATOMIC_ACQUIRE,
                                        __NV_ATOMIC_RELAXED);
  // PTX: membar.gl
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
}

static_assert(sizeof(sin(1.0f)) == 4 && sizeof(pow(1.0f, 2.0f)) == 4);
static_assert(sizeof(abs(1.0f)) == 4 && sizeof(fmax(1.0f, 2.0)) == 8);

int main() {
  unsigned Three = 3;
  long Long = -5;
  // HOST: 3 2 -5 4294967295 2.5
  printf("%u %u %ld %u %g\n", max(1, Three), min(Three, 2), min(Long, 7l),
         max(-1, Three), max(1.0f, 2.5));
  return time(nullptr) == 0;
}
