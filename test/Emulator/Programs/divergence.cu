// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"

__host__ __device__ int walk(int x) {
  int steps = 0;
  for (int i = 0; i < 40; ++i) {
    if (x == 1)
      return steps;
    if (x % 5 == 4) {
      x += 3;
      continue;
    }
    if (x > 5000)
      break;
    switch (x % 4) {
    case 0:
      x /= 2;
      break;
    case 1:
      x = 3 * x + 1;
      // fall through
    case 2:
      x -= 1;
      break;
    default:
      do {
        x += 2;
        ++steps;
      } while (x % 7);
    }
    ++steps;
    if (x < 0)
      goto done;
  }
  steps += 1000;
done:
  return steps * 10 + x % 10;
}

__global__ void walks(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = walk(i);
}

__global__ void trips(int *out) {
  int t = threadIdx.x, s = 0;
  for (int i = 0; i < t; ++i)
    for (int j = i; j < t && j < 3 * i; j += 2)
      s += i * j;
  out[t] = s;
}

int main() {
  const int n = 1000;
  Buffer<int> a(n), b(96);
  walks<<<8, 128>>>(a, n);
  trips<<<1, 96>>>(b);
  a.check("walks", [](size_t i) { return walk(i); });
  b.check("trips", [](size_t t) {
    int s = 0;
    for (int i = 0; i < int(t); ++i)
      for (int j = i; j < int(t) && j < 3 * i; j += 2)
        s += i * j;
    return s;
  });
  return finish();
}
