// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Variables of the device by name: constants, initial values, pointers to each other,
// static members, templates, in namespaces and functions; parts, sizes and addresses.
#include "Inputs/check.h"

__constant__ float coefficients[8] = {1, 2, 3};
__device__ int table[10] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
__device__ int *middle = table + 5;
namespace inner {
static __device__ double total = 0.5;
__constant__ struct Settings {
  int limit;
  const char *name;
  int (*grid)[2];
} settings = {7, "a name", nullptr};
} // namespace inner
template <int N> __device__ int perInstance = 100 * N;
struct Counter {
  static __device__ unsigned count;
};
__device__ unsigned Counter::count = 3;

__device__ int next() {
  static int calls = 40; // one for the whole device
  return atomicAdd(&calls, 1);
}

__global__ void read(float *coefficient, int *out) {
  if (threadIdx.x < 8)
    coefficient[threadIdx.x] = coefficients[threadIdx.x];
  if (threadIdx.x)
    return;
  middle[1] += 1000;
  out[0] = *middle;
  inner::total *= 3;
  out[1] = inner::settings.limit + inner::settings.name[2];
  out[2] = perInstance<1> + perInstance<4>;
  perInstance<4> = -1;
  out[3] = Counter::count++;
  next();
  out[4] = next();
}

template <class T> void expect(const char *name, T got, T want) {
  if (got != want) {
    std::printf("%s is %.9g, not %.9g\n", name, double(got), double(want));
    ++failures;
  }
}

int main() {
  Buffer<float> coefficient(8);
  Buffer<int> out(5);
  float part[2] = {-5, -6};
  CUDA(cudaMemcpyToSymbol(coefficients, part, sizeof part, 3 * sizeof(float)));
  read<<<1, 32>>>(coefficient, out);
  coefficient.check("coefficients", [](size_t i) {
    const float want[8] = {1, 2, 3, -5, -6};
    return want[i];
  });
  out.check("out", [](size_t i) {
    const int want[] = {8, 7 + 'n', 500, 3, 41};
    return want[i];
  });
  int got[10], four;
  CUDA(cudaMemcpyFromSymbol(got, table, sizeof got));
  expect("table[6]", got[6], 1013);
  CUDA(cudaMemcpyFromSymbol(&four, perInstance<4>, sizeof four));
  expect("perInstance<4>", four, -1);
  double total;
  CUDA(cudaMemcpyFromSymbolAsync(&total, inner::total, sizeof total, 0, cudaMemcpyDeviceToHost));
  CUDA(cudaDeviceSynchronize());
  expect("total", total, 1.5);
  unsigned count;
  CUDA(cudaMemcpyFromSymbol(&count, Counter::count, sizeof count));
  expect("count", count, 4u);
  size_t size;
  CUDA(cudaGetSymbolSize(&size, table));
  expect("size", size, sizeof got);
  int *address;
  CUDA(cudaGetSymbolAddress((void **)&address, table));
  CUDA(cudaMemset(address + 2, 0, sizeof(int)));
  CUDA(cudaMemcpy(got, address, sizeof got, cudaMemcpyDeviceToHost));
  expect("table[2]", got[2], 0);
  expect("table[3]", got[3], 3);
  return finish();
}
