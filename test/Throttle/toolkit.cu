// With the toolkit's real headers, host side and all, as `sluice-clang++` is
// used: std::vector, float4, dim3, an error-checking macro, __ldg, and a pitch
// that the launch gives.
//
// RUN: %sluicexx --sluice-promote=off --cuda-gpu-arch=sm_90 -O3 -std=c++17 -c %s %remarks -o %t.o 2>&1 | FileCheck %s
// RUN: %sluicexx --sluice-promote=off --cuda-gpu-arch=sm_90 -O3 -std=c++17 --cuda-device-only -S %s -o %t.ptx
// RUN: %plainxx --cuda-gpu-arch=sm_90 -O3 -std=c++17 --cuda-device-only -S %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 7gesummv:1 7vectors:1 7columns:same

#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

#define CHECK_CUDA(CALL)                                                       \
  do {                                                                         \
    cudaError_t error = (CALL);                                                \
    if (error != cudaSuccess) {                                                \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error));                 \
      return 1;                                                                \
    }                                                                          \
  } while (0)

template <class T>
__global__ void gesummv(const T *A, const T *B, const T *x, T *tmp, T *y, int n,
                        int m, T alpha, T beta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'gesummv<float>' throttled, N=4:
    for (int j = 0; j < m; ++j) {
      tmp[i] += A[i * m + j] * x[j];
      y[i] += B[i * m + j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}

__global__ void vectors(const float4 *A, const float4 *B, float4 *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'vectors' throttled, N=4:
  for (int j = 0; j < 128; ++j) {
    float4 a = A[i * 128 + j], b = B[i * 128 + j];
    sums[i].x += sqrtf(a.x) + b.x;
    sums[i].w += max(a.w, b.w);
  }
}

__global__ void columns(const float *A, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'columns' not throttled: no load is known to touch its cache line again in the next iteration
  for (int j = 0; j < n; ++j)
    sums[i] += __ldg(A + j * n + i);
}

int main() {
  const int n = 1056 * 256, m = 512;
  std::vector<float> x(n, 1);
  float *A, *y;
  CHECK_CUDA(cudaMalloc(&A, sizeof(float) * n * m));
  CHECK_CUDA(cudaMalloc(&y, sizeof(float) * n));
  CHECK_CUDA(cudaMemcpy(y, x.data(), sizeof(float) * n, cudaMemcpyHostToDevice));
  dim3 block(256), grid((n + block.x - 1) / block.x);
  gesummv<<<grid, block>>>(A, A, y, y, y, n, m, 1.0f, 2.0f);
  vectors<<<grid, block>>>((float4 *)A, (float4 *)A, (float4 *)y);
  columns<<<grid, block>>>(A, y, n);
  CHECK_CUDA(cudaGetLastError());
  return 0;
}
