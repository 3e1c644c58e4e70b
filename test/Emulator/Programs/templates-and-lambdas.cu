// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s -std=c++17 --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// What C++ brings to kernels: lambdas of device and both sides as arguments, generic and
// recursive ones, packs, if constexpr, template template parameters, expression trees.
#include "Inputs/check.h"

template <class F> __global__ void forEach(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    f(i);
}
template <class F> void parallel(int n, F f) {
  forEach<<<3, 64>>>(n, f);
  CUDA(cudaGetLastError());
}

template <class... T> __global__ void sum(long long *out, T... values) { *out = (0 + ... + values); }

// How often f is applied is part of the type.
template <int N, class F> __host__ __device__ int repeated(F f, int x) {
  if constexpr (N == 0)
    return x;
  else
    return repeated<N - 1>(f, f(x));
}

template <class T, int N> struct Vector {
  T v[N];
  __host__ __device__ T &operator[](int i) { return v[i]; }
  __host__ __device__ const T &operator[](int i) const { return v[i]; }
};
template <template <class, int> class V, class T, int N, class F>
__host__ __device__ V<T, N> mapped(const V<T, N> &a, F f) {
  V<T, N> b{};
  for (int i = 0; i < N; ++i)
    b[i] = f(a[i], i);
  return b;
}

// An expression is a type; one kernel evaluates it without temporaries.
struct Expression {};
struct Array : Expression {
  const int *p;
  explicit Array(const int *p) : p(p) {}
  __host__ __device__ int at(int i) const { return p[i]; }
};
template <class A, class B, class Op> struct Binary : Expression {
  A a;
  B b;
  Binary(A a, B b) : a(a), b(b) {}
  __host__ __device__ int at(int i) const { return Op()(a.at(i), b.at(i)); }
};
struct Plus {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct Times {
  __host__ __device__ int operator()(int a, int b) const { return a * b; }
};
template <class A, class B> Binary<A, B, Plus> operator+(A a, B b) { return {a, b}; }
template <class A, class B> Binary<A, B, Times> operator*(A a, B b) { return {a, b}; }

int main() {
  const int n = 500;
  Buffer<int> a(n, [](size_t i) { return int(i) - 250; });
  Buffer<int> b(n, [](size_t i) { return int(i * i % 91); });
  Buffer<int> c(n), d(n), e(n), f(4 * n);
  int *pa = a, *pb = b, *pc = c, *pd = d, *pf = f, offset = 17;

  parallel(n, [=] __device__(int i) { pc[i] = pa[i] * pb[i] + offset; });
  c.check("captured", [&](size_t i) { return a.host[i] * b.host[i] + offset; });

  auto collatz = [] __host__ __device__(int x) { return x % 2 ? 3 * x + 1 : x / 2; };
  parallel(n, [=] __device__(int i) { pd[i] = repeated<9>(collatz, pb[i]); });
  d.check("repeated", [&](size_t i) { return repeated<9>(collatz, b.host[i]); });

  auto twisted = [] __host__ __device__(auto x, auto i) { return x * 2 + i; };
  parallel(n, [=] __device__(int i) {
    Vector<int, 4> v{{i, i + 1, pa[i], pb[i]}};
    v = mapped(mapped(v, twisted), [&v](int x, int k) { return x - v[3 - k]; });
    for (int k = 0; k < 4; ++k)
      pf[4 * i + k] = v[k];
  });
  f.check("vectors", [&](size_t j) {
    int i = int(j) / 4, first[] = {i, i + 1, a.host[i], b.host[i]};
    return first[j % 4] * 2 + int(j % 4) - first[3 - j % 4];
  });

  auto tree = Array(pa) * Array(pb) + (Array(pc) + Array(pa)) * Array(pd);
  int *pe = e;
  parallel(n, [=] __device__(int i) { pe[i] = tree.at(i); });
  e.check("expression", [&](size_t i) {
    return a.host[i] * b.host[i] + (c.host[i] + a.host[i]) * d.host[i];
  });

  Buffer<long long> total(1);
  sum<<<1, 1>>>(total, 1, 2u, (short)-3, 4ll << 40, 'a', true);
  total.check("pack", [](size_t) { return 1 + 2 - 3 + (4ll << 40) + 'a' + 1; });
  return finish();
}
