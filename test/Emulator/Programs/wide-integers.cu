// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __int128, in all but division.
//
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"

using Wide = unsigned __int128;

__host__ __device__ Wide compute(int which, Wide a, Wide b) {
  unsigned n = unsigned(b) % 128;
  switch (which) {
  case 0:
    return a + b;
  case 1:
    return a - b;
  case 2:
    return a * b;
  case 3:
    return a << n;
  case 4:
    return a >> n;
  case 5:
    return Wide(__int128(a) >> n);
  case 6:
    return (a & b) ^ (a | ~b);
  case 7:
    return a < b;
  case 8:
    return __int128(a) < __int128(b) ? a : b;
  case 9:
    return Wide(__int128((long long)(a)));
  default:
    return a == b || unsigned(a) > unsigned(b >> 64);
  }
}

__global__ void run(const Wide *values, Wide *out, int n) {
  int i = threadIdx.x, which = blockIdx.x;
  for (int j = 0; j < n; ++j)
    out[(which * n + i) * n + j] = compute(which, values[i], values[j]);
}

int main() {
  const int n = 32, kinds = 11;
  Buffer<Wide> values(n, [](size_t i) {
    Wide v = Wide(0x9e3779b97f4a7c15) * (i + 1);
    return i % 4 == 0 ? v << 64 | i : i % 4 == 1 ? v * v : i % 4 == 2 ? i : ~v;
  });
  Buffer<Wide> out(kinds * n * n);
  run<<<kinds, n>>>(values, out, n);
  out.check("wide", [&](size_t i) {
    return compute(int(i / (n * n)), values.host[i / n % n], values.host[i % n]);
  });
  return finish();
}
