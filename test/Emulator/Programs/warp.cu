// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"

__global__ void exchange(int *out, double *doubles) {
  int t = threadIdx.x;
  int *o = out + 12 * t;
  o[0] = __shfl_sync(~0u, t * t, 5);
  o[1] = __shfl_up_sync(~0u, t, 3, 8);
  o[2] = __shfl_down_sync(~0u, t, 4);
  o[3] = __shfl_xor_sync(~0u, t * 3, 5);
  o[4] = __ballot_sync(~0u, t % 3 == 0);
  o[5] = __any_sync(~0u, t == 40) + 2 * __all_sync(~0u, t < 40);
  o[6] = __match_any_sync(~0u, t / 4 % 3);
  int same;
  o[7] = __match_all_sync(~0u, t / 32, &same) + same;
  o[8] = __reduce_add_sync(~0u, t) + __reduce_max_sync(~0u, t) * 10000;
  o[9] = 0;
  if (t % 32 < 16)
    o[9] = __shfl_sync(0xffff, t, 7);
  else
    o[9] = __shfl_sync(0xffff0000, t, 20);
  // Lanes of one shuffle at two places of the code.
  if (t & 1)
    o[10] = __shfl_xor_sync(~0u, t, 1);
  else
    o[10] = __shfl_xor_sync(~0u, t + 100, 1);
  o[11] = t & 4 ? (int)__activemask() : 0;
  doubles[t] = __shfl_down_sync(~0u, t * 1.5, 2);
}

int main() {
  const int n = 64;
  Buffer<int> out(12 * n);
  Buffer<double> doubles(n);
  exchange<<<1, n>>>(out, doubles);
  out.fetch();
  for (int i = 0; i < n; ++i)
    out.host[12 * i + 11] = 0; // the hardware may choose
  out.device ? (void)cudaMemcpy(out.device, out.host.data(), 48 * n, cudaMemcpyHostToDevice) : (void)0;
  out.check("exchange", [](size_t k) -> int {
    int t = k / 12, w = t / 32 * 32, l = t % 32;
    auto at = [&](int lane) { return w + lane; };
    switch (k % 12) {
    case 0: return at(5) * at(5);
    case 1: return l % 8 >= 3 ? t - 3 : t;
    case 2: return l + 4 < 32 ? t + 4 : t;
    case 3: return (w + (l ^ 5)) * 3;
    case 4: {
      unsigned m = 0;
      for (int j = 0; j < 32; ++j)
        m |= unsigned(at(j) % 3 == 0) << j;
      return m;
    }
    case 5: return (w == 32) + 2 * (w == 0);
    case 6: {
      unsigned m = 0;
      for (int j = 0; j < 32; ++j)
        m |= unsigned(at(j) / 4 % 3 == t / 4 % 3) << j;
      return m;
    }
    case 7: return -1 + 1;
    case 8: return 32 * w + 496 + (w + 31) * 10000;
    case 9: return l < 16 ? at(7) : at(20);
    case 10: return t & 1 ? t - 1 + 100 : t + 1;
    default: return 0;
    }
  });
  doubles.check("doubles", [](size_t i) { return (i % 32 + 2 < 32 ? i + 2 : i) * 1.5; });
  return finish();
}
