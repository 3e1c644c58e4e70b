// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that say that nobody writes their memory, where the kernel does: before
// or after, another thread or the same one, by an atomic too. Barriers order the
// two, so it is no race.
//
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
// RUN: %sluice emulate %s --check=memory 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
// FIXED-NOT: error:
// FIXED-NOT: race
__device__ int read(const int *p) {
  int v;
#ifdef FIXED
  asm volatile("ld.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#else
  asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#endif
  return v;
}

// CHECK: error: read-only load of memory that the kernel writes
// CHECK-NEXT: at {{.*}}read-only-load.cu:17 in kernel before
// CHECK-NEXT: block (0,0,0), thread (0,0,0), address
// CHECK-NEXT: written by thread (63,0,0) of block (0,0,0) at {{.*}}read-only-load.cu:[[#@LINE+2]]; the load says that no thread writes it while the kernel runs (ld.global.nc, !invariant.load)
__global__ void before(int *a, int *out) {
  a[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = read(&a[63 - threadIdx.x]);
}

// CHECK: error: write to memory that is loaded as read-only
// CHECK-NEXT: at {{.*}}read-only-load.cu:[[#@LINE+6]] in kernel after
// CHECK-NEXT: block (0,0,0), thread (0,0,0), address
// CHECK-NEXT: loaded by thread (63,0,0) of block (0,0,0) at {{.*}}read-only-load.cu:17, as what no thread writes while the kernel runs (ld.global.nc, !invariant.load)
__global__ void after(int *a, int *out) {
  int v = read(&a[63 - threadIdx.x]);
  __syncthreads();
  a[threadIdx.x] = v;
}

// CHECK: error: read-only load of memory that the kernel writes
// CHECK-NEXT: at {{.*}}read-only-load.cu:17 in kernel own
// CHECK: written by thread (0,0,0) of block (0,0,0) at {{.*}}read-only-load.cu:[[#@LINE+2]];
__global__ void own(int *a, int *out) {
  __atomic_fetch_add(&a[threadIdx.x], 1, __ATOMIC_RELAXED);
  out[threadIdx.x] = read(&a[threadIdx.x]);
}

// Another launch's writes are none of its business, nor other elements.
// CHECK-NOT: in kernel good
__global__ void good(int *a, int *out) {
  out[threadIdx.x] = read(&a[threadIdx.x]);
  a[64 + threadIdx.x] = 1;
}

int main() {
  int *a, *out;
  cudaMalloc(&a, 512);
  cudaMalloc(&out, 256);
  cudaMemset(a, 0, 512);
  before<<<1, 64>>>(a, out);
  after<<<1, 64>>>(a, out);
  own<<<1, 64>>>(a, out);
  good<<<1, 64>>>(a, out);
  cudaDeviceSynchronize();
}
