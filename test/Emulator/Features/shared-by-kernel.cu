// A kernel is charged for the shared memory that it can reach, not for all that
// the module has.
//
// RUN: %sluice emulate %s | FileCheck %s
// CHECK: 2048 1
// CHECK: a 8 resident, launched: no error
#include <cstdio>
__global__ void a(int *p) { __shared__ int x[512]; x[threadIdx.x] = *p; __syncthreads(); *p = x[31 - threadIdx.x]; }
template <int K> __global__ void big(int *p) { __shared__ int x[10000]; x[threadIdx.x + K] = *p; __syncthreads(); *p = x[31 - threadIdx.x + K]; }
template <int... K> void use(int *p, int which) { ((which == K ? (big<K><<<1, 32>>>(p), 0) : 0), ...); }
int main() {
  int *p, blocks = 0;
  cudaMalloc(&p, 4); cudaMemset(p, 0, 4);
  use<0, 1, 2, 3, 4, 5>(p, 3);
  cudaFuncAttributes f;
  cudaFuncGetAttributes(&f, a);
  std::printf("%zu %d\n", f.sharedSizeBytes, f.sharedSizeBytes == 2048);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, a, 256, 0);
  a<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  std::printf("a %d resident, launched: %s\n", blocks, cudaGetErrorString(cudaGetLastError()));
}
