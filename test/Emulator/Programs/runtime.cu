// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// The runtime's own services.
#include "Inputs/check.h"

__constant__ float scale[4];
__device__ int counter = 41;
__device__ int *pointer = &counter;

__global__ void scaled(const float *in, size_t pitch, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = ((const float *)((const char *)in + y * pitch))[x] * scale[y % 4];
  if (x == 0 && y == 0)
    ++*pointer;
}
__global__ void twice(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] *= 2;
}
__global__ void large() {
  extern __shared__ int memory[];
  memory[threadIdx.x] = 0;
}

#define EXPECT(CONDITION)                                                      \
  if (!(CONDITION)) {                                                          \
    std::printf("line %d: %s\n", __LINE__, #CONDITION);                        \
    ++failures;                                                                \
  }

int main() {
  const int width = 37, height = 11;
  float host[height][width], factors[4] = {1, 2, 3, 4}, *in;
  size_t pitch;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      host[y][x] = x + 100 * y;
  CUDA(cudaMallocPitch((void **)&in, &pitch, width * sizeof(float), height));
  EXPECT(pitch >= width * sizeof(float));
  CUDA(cudaMemcpy2D(in, pitch, host, sizeof host[0], sizeof host[0], height, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpyToSymbol(scale, factors, sizeof factors));
  Buffer<float> out(width * height);
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  CUDA(cudaEventRecord(start, stream));
  scaled<<<dim3(3, 2), dim3(16, 8), 0, stream>>>(in, pitch, out, width, height);
  CUDA(cudaEventRecord(stop, stream));
  CUDA(cudaStreamSynchronize(stream));
  float ms = -1;
  CUDA(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms >= 0);
  out.check("scaled", [&](size_t i) { return host[i / width][i % width] * factors[i / width % 4]; });
  int count = 0;
  CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == 42);

  int *managed, *pinned, *view;
  CUDA(cudaMallocManaged((void **)&managed, 256));
  CUDA(cudaHostAlloc((void **)&pinned, 256, cudaHostAllocMapped));
  for (int i = 0; i < 64; ++i)
    managed[i] = pinned[i] = i;
  CUDA(cudaHostGetDevicePointer((void **)&view, pinned, 0));
  twice<<<1, 32>>>(managed, 64);
  twice<<<1, 32>>>(view, 64);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i)
    EXPECT(managed[i] == 2 * i && pinned[i] == 2 * i);
  CUDA(cudaFree(managed));
  CUDA(cudaFreeHost(pinned));

  cudaDeviceProp properties;
  CUDA(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.warpSize == 32 && properties.multiProcessorCount > 0);
  int blocks = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice, 256, 0));
  EXPECT(blocks >= 4);
  cudaFuncAttributes attributes;
  CUDA(cudaFuncGetAttributes(&attributes, large));
  EXPECT(attributes.maxThreadsPerBlock == 1024);
  CUDA(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  large<<<1, 32, 65536>>>();
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaSetDevice(99) == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaSuccess);
  CUDA(cudaMemset2D(in, pitch, 0, width * sizeof(float), height));
  CUDA(cudaMemcpy2D(host, sizeof host[0], in, pitch, sizeof host[0], height, cudaMemcpyDeviceToHost));
  EXPECT(host[5][5] == 0);
  CUDA(cudaFree(in));
  CUDA(cudaEventDestroy(start));
  CUDA(cudaEventDestroy(stop));
  CUDA(cudaStreamDestroy(stream));
  return finish();
}
