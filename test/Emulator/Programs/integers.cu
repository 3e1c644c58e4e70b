// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"

template <class T> __global__ void arithmetic(const T *a, const T *b, T *out) {
  int i = threadIdx.x;
  T x = a[i], y = b[i];
  T *o = out + 10 * i;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = x / y;
  o[4] = x % y;
  o[5] = x & y;
  o[6] = x ^ (T)(x >> 2);
  o[7] = (T)(x << 3);
  o[8] = x < y ? x : y;
  o[9] = (T)~x;
}

template <class T> void test(const char *name) {
  const int n = 200;
  auto value = [](size_t i, uint64_t k) {
    uint64_t v = (i + 1) * k;
    return (T)(v ^ v >> 29);
  };
  Buffer<T> a(n, [&](size_t i) { return value(i, 0x9E3779B97F4A7C15u); });
  Buffer<T> b(n, [&](size_t i) {
    T y = value(i, 0xC2B2AE3D27D4EB4Fu);
    return y == 0 || y == (T)-1 ? (T)3 : y;
  });
  Buffer<T> out(10 * n);
  arithmetic<T><<<1, n>>>(a, b, out);
  out.check(name, [&](size_t i) -> T {
    T x = a.host[i / 10], y = b.host[i / 10];
    using U = std::make_unsigned_t<T>;
    switch (i % 10) {
    case 0: return (T)((U)x + (U)y);
    case 1: return (T)((U)x - (U)y);
    case 2: return (T)((U)((uint64_t)x * (uint64_t)y));
    case 3: return (T)(x / y);
    case 4: return (T)(x % y);
    case 5: return x & y;
    case 6: return x ^ (T)(x >> 2);
    case 7: return (T)((U)x << 3);
    case 8: return x < y ? x : y;
    default: return (T)~x;
    }
  });
}

__global__ void bits(const unsigned *a, int *out) {
  unsigned x = a[threadIdx.x], y = a[(threadIdx.x + 7) % blockDim.x];
  int *o = out + 10 * threadIdx.x;
  o[0] = __clz(x);
  o[1] = __popc(x);
  o[2] = __brev(x);
  o[3] = __ffs(x);
  o[4] = __byte_perm(x, y, 0x5410);
  o[5] = __funnelshift_l(x, y, 9);
  o[6] = __mulhi((int)x, (int)y);
  o[7] = __umulhi(x, y);
  o[8] = __clzll((unsigned long long)x << 20);
  o[9] = __sad((int)x, (int)y, 5u);
}

static unsigned reversed(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i)
    r |= (x >> i & 1) << (31 - i);
  return r;
}

int main() {
  test<int8_t>("int8");
  test<uint8_t>("uint8");
  test<int16_t>("int16");
  test<uint16_t>("uint16");
  test<int32_t>("int32");
  test<uint32_t>("uint32");
  test<int64_t>("int64");
  test<uint64_t>("uint64");
  const int n = 96;
  Buffer<unsigned> a(n, [](size_t i) { return unsigned(i * i * 2654435761u); });
  Buffer<int> out(10 * n);
  bits<<<1, n>>>(a, out);
  out.check("bits", [&](size_t i) -> int {
    unsigned x = a.host[i / 10], y = a.host[(i / 10 + 7) % n];
    switch (i % 10) {
    case 0: return x ? __builtin_clz(x) : 32;
    case 1: return __builtin_popcount(x);
    case 2: return reversed(x);
    case 3: return __builtin_ffs(x);
    case 4: return (x & 0xffff) | y << 16;
    case 5: return y << 9 | x >> 23;
    case 6: return ((int64_t)(int)x * (int)y) >> 32;
    case 7: return ((uint64_t)x * y) >> 32;
    case 8: return x ? __builtin_clzll((uint64_t)x << 20) : 64;
    default: {
      int64_t d = (int64_t)(int)x - (int)y;
      return (int)(uint32_t)((uint64_t)(d < 0 ? -d : d) + 5);
    }
    }
  });
  return finish();
}
