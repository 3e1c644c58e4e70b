// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lets a thread see what others have written, or may end it. Values that go from
// lane to lane and assembly that computes do not.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: kernel {{.*}}barrier
// CHECK-NEXT: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: a block barrier at hazards.cu
// CHECK-NEXT: load stream
// CHECK-LABEL: kernel {{.*}}warpBarrier
// CHECK-NEXT: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: a barrier of the warp at hazards.cu
// CHECK-NEXT: load stream
// CHECK-LABEL: kernel {{.*}}fence
// CHECK-NEXT: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: a fence at
// CHECK-NEXT: load stream
// CHECK-LABEL: kernel {{.*}}atomic
// CHECK-NEXT: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: an atomic operation at
// CHECK-NEXT: load stream
// CHECK-LABEL: kernel {{.*}}volatiles
// CHECK-NEXT: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: a volatile access at [[PLACE:.*]]
// CHECK-NEXT: load stream
// CHECK-NEXT: 4 B + 0 at
// CHECK-NEXT: no stream at [[PLACE]]: it is volatile or atomic
// CHECK-LABEL: kernel {{.*}}assembly
// CHECK-NEXT: loop i0 {{.*}}, most iterations known at entry
// CHECK-NEXT: inline assembly that may access memory at
// CHECK-NEXT: load stream
// CHECK-LABEL: kernel {{.*}}call
// CHECK-NEXT: loop i0 {{.*}}, most iterations known at entry
// CHECK-NEXT: a call that may write memory or not return at
// CHECK-NEXT: load stream
// CHECK-LABEL: kernel {{.*}}inner
// CHECK-NEXT: loop i0 {{.*}}
// CHECK-NEXT: a fence at
// CHECK-NEXT: load stream
// CHECK-LABEL: kernel {{.*}}harmless
// CHECK-NEXT: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream

#define BEGIN                                                                  \
  const float *A = all + threadIdx.x * 1024;                                   \
  float s = 0;                                                                 \
  for (int j = 0; j < n; ++j) {                                                \
    s += A[j];
#define END                                                                    \
  }                                                                            \
  y[threadIdx.x] = s;

__global__ void barrier(const float *all, float *y, int n) {
  BEGIN __syncthreads();
  END
}

__global__ void warpBarrier(const float *all, float *y, int n) {
  BEGIN __nvvm_bar_warp_sync(~0u);
  END
}

__global__ void fence(const float *all, float *y, int n) {
  BEGIN __threadfence();
  END
}

__global__ void atomic(const float *all, float *y, int n) {
  BEGIN atomicAdd(y, s);
  END
}

__global__ void volatiles(const float *all, float *y, volatile int *flag, int n) {
  BEGIN s += *flag;
  END
}

__global__ void assembly(const float *all, float *y, int n) {
  BEGIN asm volatile("" ::: "memory");
  END
}

__device__ float other(float);

__global__ void call(const float *all, float *y, int n) {
  BEGIN s = other(s);
  END
}

__global__ void inner(const float *all, float *y, int n) {
  BEGIN for (int k = 0; k < n; ++k) __threadfence();
  END
}

__global__ void harmless(const float *all, float *y, int n) {
  BEGIN int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  s += __nvvm_shfl_sync_idx_i32(~0u, lane + j, 0, 31);
  END
}
