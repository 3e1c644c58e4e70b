// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: not %sluice emulate %s -DBEFORE --check=memory,races,order 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void shift(int *out, int by) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + by];
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
#ifdef FIXED
  shift<<<1, 64, 64 * sizeof(int)>>>(out, 0);
#elif defined(BEFORE)
  shift<<<1, 64, 64 * sizeof(int)>>>(out, -70); // all before it begins
#else
  shift<<<1, 64, 64 * sizeof(int)>>>(out, 1);
#endif
  cudaDeviceSynchronize();
}

// CHECK: error: out-of-bounds shared read of 4 bytes
// CHECK: at {{.*}}.cu:9 in kernel shift
// CHECK: thread (63,0,0)
// CHECK: offset 256 of 256 bytes of shared memory
// FIXED-NOT: error:
// BEFORE: error: out-of-bounds shared read of 4 bytes
// BEFORE: at {{.*}}.cu:{{[0-9]+}} in kernel shift
