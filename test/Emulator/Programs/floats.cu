// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"

// clang's sqrtf is sqrt.approx, which is not what a CPU gives.
__device__ float root(float x) { return __fsqrt_rn(x); }
__device__ double root(double x) { return __dsqrt_rn(x); }

template <class T> __global__ void arithmetic(const T *a, const T *b, T *out) {
  int i = threadIdx.x;
  T x = a[i], y = b[i];
  T *o = out + 8 * i;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = x / y;
  o[4] = root(fabs(x));
  o[5] = fma(x, y, (T)1.5);
  o[6] = fmin(x, y);
  o[7] = floor(x) + trunc(y);
}

template <class T> void test(const char *name, T tiny) {
  const int n = 128;
  T special[] = {0, (T)-0.0, 1, -1, tiny, -tiny, tiny / 3, (T)1e30, (T)INFINITY, (T)0.1};
  auto value = [&](size_t i, unsigned k) -> T {
    return i < 100 ? special[k == 3 ? i / 10 : i % 10] : (T)((int)(i * k % 1000) - 500) / (T)7;
  };
  Buffer<T> a(n, [&](size_t i) { return value(i, 3); });
  Buffer<T> b(n, [&](size_t i) { return value(i, 17); });
  Buffer<T> out(8 * n);
  arithmetic<T><<<1, n>>>(a, b, out);
  out.fetch();
  for (size_t i = 0; i < 8 * n; ++i) {
    volatile T x = a.host[i / 8], y = b.host[i / 8];
    T want;
    switch (i % 8) {
    case 0: want = x + y; break;
    case 1: want = x - y; break;
    case 2: want = x * y; break;
    case 3: want = x / y; break;
    case 4: want = std::sqrt(std::fabs(x)); break;
    case 5: want = std::fma((T)x, (T)y, (T)1.5); break;
    case 6: want = std::fmin((T)x, (T)y); break;
    default: want = std::floor(x) + std::trunc(y);
    }
    T got = out.host[i];
    bool zeros = i % 8 == 6 && got == 0 && want == 0; // either sign
    if (!zeros && !(std::isnan(got) && std::isnan(want)) &&
        std::memcmp(&got, &want, sizeof(T))) {
      std::printf("%s[%zu]: %.17g not %.17g\n", name, i, (double)got, (double)want);
      ++failures;
    }
  }
  out.hash(name);
}

__global__ void rounded(const float *a, float *out) {
  float x = a[threadIdx.x], y = a[threadIdx.x + 1];
  float *o = out + 6 * threadIdx.x;
  o[0] = __fadd_rd(x, y);
  o[1] = __fadd_ru(x, y);
  o[2] = __fmul_rz(x, y);
  o[3] = __fmaf_ru(x, y, 1.f);
  o[4] = (float)__float2int_rn(x) + __float2uint_rz(fabsf(y));
  o[5] = __int2float_rd(__float_as_int(x));
}

int main() {
  test<float>("float", 1.1754943508222875e-38f);
  test<double>("double", 2.2250738585072014e-308);
  const int n = 64;
  Buffer<float> a(n + 1, [](size_t i) { return std::sin(float(i)) * 1000; });
  Buffer<float> out(6 * n);
  rounded<<<1, n>>>(a, out);
  out.fetch();
  for (int i = 0; i < n; ++i)
    if (!(out.host[6 * i] <= out.host[6 * i + 1]))
      ++failures;
  out.hash("rounded");
  return finish();
}
