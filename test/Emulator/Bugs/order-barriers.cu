// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named barriers and mbarriers order what came before the arrival, not what
// the arriving warp does after it, and only for those who wait.
//
// RUN: %sluice emulate %s --check=order 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
// RUN: not %sluice emulate %s -DLATE --check=order 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not %sluice emulate %s -DBOTH_ARRIVE --check=order 2>&1 | FileCheck %s --check-prefix=ARRIVE
// RUN: not %sluice emulate %s -DRELAXED --check=order 2>&1 | FileCheck %s --check-prefix=RELAXED
__global__ void named(int *out) {
  __shared__ int data[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
#ifndef LATE
    data[lane] = lane;
#endif
    asm volatile("bar.arrive 1, 64;" ::: "memory");
#ifdef LATE
    data[lane] = lane; // line 19
#endif
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[lane] = data[31 - lane]; // line 23
  }
}

// Who only arrives has nothing behind it.
__global__ void answer(int *out) {
  __shared__ int data[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    out[lane] = data[lane] = lane;
#ifdef BOTH_ARRIVE
    asm volatile("bar.arrive 1, 64;" ::: "memory");
#else
    asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
    data[lane] += 1; // line 38
  } else {
    out[lane] = data[31 - lane * 0];
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
}

__global__ void phases(int *out) {
  __shared__ unsigned long long barrier;
  __shared__ int data[32];
  unsigned at = __cvta_generic_to_shared(&barrier);
  int lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x < 32) {
    data[lane] = lane; // line 54
#ifdef RELAXED
    asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
#else
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
#endif
  } else {
    unsigned is;
    do
      asm volatile("{ .reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n\tselp.b32 %0, 1, 0, p; }"
                   : "=r"(is) : "r"(at) : "memory");
    while (!is);
    out[lane] = data[31 - lane]; // line 66
  }
}

int main() {
  int *out;
  cudaMalloc(&out, 128);
#ifdef BOTH_ARRIVE
  answer<<<1, 64>>>(out);
#else
  named<<<1, 64>>>(out);
  phases<<<1, 64>>>(out);
#endif
  cudaDeviceSynchronize();
}

// LATE: error: unordered {{read|write}} {{of|to}} shared memory
// LATE-NEXT: at {{.*}}.cu:{{0|19|22|23}} in kernel named
// ARRIVE: error: unordered {{read|write}} {{of|to}} shared memory
// ARRIVE-NEXT: at {{.*}} in kernel answer
// RELAXED: error: unordered read of shared memory
// RELAXED-NEXT: at {{.*}}.cu:66 in kernel phases
// RELAXED: wrote it at {{.*}}.cu:54
// RELAXED-NEXT: nothing has released that since
// FIXED-NOT: error:
