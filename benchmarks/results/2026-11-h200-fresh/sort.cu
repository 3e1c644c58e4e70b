// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts pairs and keys by CUB: sort.json.

#include <cub/cub.cuh>
#include <cstdio>
#include <cstdlib>
template <class K, class V> void pairs(size_t n) {
  K *a, *b; V *c, *d; void *t = nullptr; size_t bytes = 0;
  cudaMalloc(&a, n * sizeof(K)); cudaMalloc(&b, n * sizeof(K)); cudaMalloc(&c, n * sizeof(V)); cudaMalloc(&d, n * sizeof(V));
  K *h = (K *)malloc(n * sizeof(K)); for (size_t i = 0; i < n; ++i) h[i] = K(rand()) * 31 + K(rand());
  cudaMemcpy(a, h, n * sizeof(K), cudaMemcpyHostToDevice); cudaMemset(c, 1, n * sizeof(V));
  cub::DeviceRadixSort::SortPairs(t, bytes, a, b, c, d, (int)n); cudaMalloc(&t, bytes);
  for (int i = 0; i < 3; ++i) cub::DeviceRadixSort::SortPairs(t, bytes, a, b, c, d, (int)n);
  cub::DeviceRadixSort::SortKeys(t, bytes, a, b, (int)n);
  cudaDeviceSynchronize(); printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaFree(a); cudaFree(b); cudaFree(c); cudaFree(d); cudaFree(t); free(h);
}
int main() { pairs<unsigned, int>(1 << 25); pairs<unsigned long long, double>(1 << 24); pairs<float, int>(1 << 25); }
