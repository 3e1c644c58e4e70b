// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value in shared memory behind a flag: forgotten are the release, the
// acquire, either fence of relaxed accesses, and the meeting of the warp before
// one of its lanes releases for all. None of them is a race for --check=races,
// which sees that there is a flag.
//
// RUN: %sluice emulate %s -o %t.fixed --check=order 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
// RUN: not %sluice emulate %s -DRELEASE=relaxed --check=order 2>&1 | FileCheck %s --check-prefix=WRITER
// RUN: not %sluice emulate %s -DACQUIRE=relaxed --check=order 2>&1 | FileCheck %s --check-prefix=READER
// RUN: %sluice emulate %s -DRELEASE=relaxed -DACQUIRE=relaxed -DFENCE_WRITER -DFENCE_READER --check=order 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
// RUN: not %sluice emulate %s -DRELEASE=relaxed -DACQUIRE=relaxed -DFENCE_READER --check=order 2>&1 | FileCheck %s --check-prefix=WRITER
// RUN: not %sluice emulate %s -DRELEASE=relaxed -DACQUIRE=relaxed -DFENCE_WRITER --check=order 2>&1 | FileCheck %s --check-prefix=READER
// RUN: not %sluice emulate %s -DAPART --check=order 2>&1 | FileCheck %s --check-prefix=WRITER
// RUN: %sluice emulate %s -DRELEASE=relaxed --check=races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#ifndef RELEASE
#define RELEASE release
#endif
#ifndef ACQUIRE
#define ACQUIRE acquire
#endif
#define TEXT2(X) #X
#define TEXT(X) TEXT2(X)

__global__ void pass(int *out) {
  __shared__ int flag, data[32];
  unsigned at = __cvta_generic_to_shared(&flag);
  int lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[lane] = lane; // line 33
#ifdef FENCE_WRITER
    __threadfence_block();
#endif
#ifndef APART
    __syncwarp();
#endif
    if (lane == 0) {
#ifdef FENCE_WRITER
      __threadfence_block();
#endif
      asm volatile("st." TEXT(RELEASE) ".cta.shared.b32 [%0], 1;" ::"r"(at) : "memory");
    }
  } else {
    int is;
    do
      asm volatile("ld." TEXT(ACQUIRE) ".cta.shared.b32 %0, [%1];" : "=r"(is) : "r"(at) : "memory");
    while (!is);
#ifdef FENCE_READER
    __threadfence_block();
#endif
    out[lane] = data[31 - lane]; // line 54
  }
}
int main() {
  int *out;
  cudaMalloc(&out, 128);
  pass<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}

// WRITER: error: unordered read of shared memory
// WRITER-NEXT: at {{.*}}.cu:54 in kernel pass
// WRITER-NEXT: block (0,0,0), thread (
// WRITER-NEXT: of block (0,0,0) wrote it at {{.*}}.cu:33
// WRITER-NEXT: nothing has released that since: is a .release, a fence, a barrier or a __syncwarp() missing there?
// READER: error: unordered read of shared memory
// READER-NEXT: at {{.*}}.cu:54 in kernel pass
// READER-NEXT: block (0,0,0), thread (
// READER-NEXT: of block (0,0,0) wrote it at {{.*}}.cu:33
// READER-NEXT: that was released since, but not acquired here: is an .acquire, a fence or a barrier missing?
// FIXED-NOT: error:
