// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(const float *a, float *out) {
  int i = threadIdx.x;
  half x = __float2half(a[i]), y = __float2half(a[i + 1]);
  half2 v = __halves2half2(x, y), w = __hfma2(v, v, __float2half2_rn(1.5f));
  float *o = out + 8 * i;
  o[0] = __half2float(__hadd(x, y));
  o[1] = __half2float(__hmul(x, y));
  o[2] = __low2float(w);
  o[3] = __high2float(w);
  o[4] = __half2float(__hdiv(x, y));
  o[5] = __hlt(x, y) ? 1.f : 2.f;
  o[6] = (float)__half2int_rn(x);
  o[7] = __half2float(__hmax(x, __hneg(y)));
}

__global__ void bfloats(const float *a, float *out) {
  int i = threadIdx.x;
  __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16(a[i + 1]);
  __nv_bfloat162 v = __halves2bfloat162(x, y), w = __hmul2(v, v);
  float *o = out + 4 * i;
  o[0] = __bfloat162float(__hadd(x, y));
  o[1] = __bfloat162float(__hfma(x, y, x));
  o[2] = __low2float(w);
  o[3] = __high2float(__hadd2(w, v));
}

// Round to nearest even to a format with so many bits of fraction, in its normal
// range.
static float rounded(double x, int fraction) {
  if (x == 0)
    return 0;
  int e;
  std::frexp(x, &e);
  double unit = std::ldexp(1, e - 1 - fraction);
  return (float)(std::nearbyint(x / unit) * unit);
}

int main() {
  const int n = 64;
  Buffer<float> a(n + 1, [](size_t i) { return 0.37f + 0.731f * i; });
  Buffer<float> h(8 * n), b(4 * n);
  halves<<<1, n>>>(a, h);
  bfloats<<<1, n>>>(a, b);
  h.check("half", [&](size_t i) -> float {
    double x = rounded(a.host[i / 8], 10), y = rounded(a.host[i / 8 + 1], 10);
    switch (i % 8) {
    case 0: return rounded(x + y, 10);
    case 1: return rounded(x * y, 10);
    case 2: return rounded(x * x + 1.5, 10);
    case 3: return rounded(y * y + 1.5, 10);
    case 4: return rounded(x / y, 10);
    case 5: return x < y ? 1.f : 2.f;
    case 6: return (float)std::nearbyint(x);
    default: return (float)std::fmax(x, -y);
    }
  });
  b.check("bfloat16", [&](size_t i) -> float {
    double x = rounded(a.host[i / 4], 7), y = rounded(a.host[i / 4 + 1], 7);
    switch (i % 4) {
    case 0: return rounded(x + y, 7);
    case 1: return rounded(x * y + x, 7);
    case 2: return rounded(x * x, 7);
    default: return rounded(rounded(y * y, 7) + y, 7);
    }
  });
  return finish();
}
