// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races,leaks | FileCheck %s
// CHECK: PASS
// Pieces of an array go through several streams; events order two streams; callbacks.
#include "Inputs/check.h"

__global__ void square(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * in[i];
}
__global__ void reversed(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}

int main() {
  const int streams = 4, piece = 300, n = streams * piece;
  cudaStream_t stream[streams];
  cudaEvent_t start, done[streams], stop;
  int *host, *in, *out, *last, called = 0;
  CUDA(cudaMallocHost((void **)&host, 2 * n * sizeof(int)));
  CUDA(cudaMallocAsync((void **)&in, n * sizeof(int), 0));
  CUDA(cudaMalloc((void **)&out, n * sizeof(int)));
  CUDA(cudaMalloc((void **)&last, n * sizeof(int)));
  for (int i = 0; i < n; ++i)
    host[i] = i - 500;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreateWithFlags(&stop, cudaEventDefault));
  CUDA(cudaEventRecord(start));
  for (int s = 0; s < streams; ++s) {
    CUDA(cudaStreamCreateWithFlags(&stream[s], s % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
    CUDA(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
    CUDA(cudaStreamWaitEvent(stream[s], start, 0));
    int *from = in + s * piece, *to = out + s * piece;
    CUDA(cudaMemcpyAsync(from, host + s * piece, piece * sizeof(int), cudaMemcpyHostToDevice,
                         stream[s]));
    square<<<(piece + 127) / 128, 128, 0, stream[s]>>>(from, to, piece);
    CUDA(cudaEventRecord(done[s], stream[s]));
  }
  for (int s = 0; s < streams; ++s)
    CUDA(cudaStreamWaitEvent(stream[0], done[s], 0));
  reversed<<<(n + 127) / 128, 128, 0, stream[0]>>>(out, last, n);
  CUDA(cudaMemcpyAsync(host + n, last, n * sizeof(int), cudaMemcpyDeviceToHost, stream[0]));
  CUDA(cudaLaunchHostFunc(stream[0], [](void *p) { ++*(int *)p; }, &called));
  CUDA(cudaStreamAddCallback(
      stream[0], [](cudaStream_t, cudaError_t, void *p) { *(int *)p += 10; }, &called, 0));
  CUDA(cudaEventRecord(stop, stream[0]));
  CUDA(cudaEventSynchronize(stop));
  CUDA(cudaStreamSynchronize(stream[0]));
  CUDA(cudaStreamQuery(stream[1]));
  CUDA(cudaEventQuery(stop));
  float ms = -1;
  CUDA(cudaEventElapsedTime(&ms, start, stop));
  if (ms < 0 || called != 11) {
    std::printf("%g ms, called %d\n", ms, called);
    ++failures;
  }
  for (int i = 0; i < n; ++i)
    if (int x = host[n - 1 - i]; host[n + i] != x * x) {
      std::printf("[%d] is %d, not %d\n", i, host[n + i], x * x);
      ++failures;
      break;
    }
  for (int s = 0; s < streams; ++s) {
    CUDA(cudaStreamDestroy(stream[s]));
    CUDA(cudaEventDestroy(done[s]));
  }
  CUDA(cudaEventDestroy(start));
  CUDA(cudaEventDestroy(stop));
  CUDA(cudaFreeAsync(in, 0));
  CUDA(cudaFree(out));
  CUDA(cudaFree(last));
  CUDA(cudaFreeHost(host));
  return finish();
}
