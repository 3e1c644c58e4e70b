// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast -w --check=memory,races | FileCheck %s
// CHECK: PASS
// Recursion, virtual functions, function pointers, lambdas, local arrays.
#include "Inputs/check.h"

__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

struct Shape {
  __device__ virtual int area(int x) const = 0;
};
struct Square : Shape {
  __device__ int area(int x) const override { return x * x; }
};
struct Strip : Shape {
  int width;
  __device__ Strip(int width) : width(width) {}
  __device__ int area(int x) const override { return x * width; }
};

using Function = int (*)(int);
__device__ int up(int x) { return x + 10; }
__device__ int down(int x) { return x - 10; }
__device__ int times(int x) { return x * 3; }
__device__ Function table[] = {up, down, times};

struct Pair {
  int a;
  double b;
};
__device__ __attribute__((noinline)) Pair swapped(Pair p) {
  p.a += 1;
  return {int(p.b), double(p.a)};
}

template <class F> __global__ void apply(int *out, F f) { out[threadIdx.x] = f(threadIdx.x); }

__global__ void calls(int *out, Pair p) {
  int t = threadIdx.x;
  Square square;
  Strip strip(t + 1);
  const Shape *shape = t & 1 ? (const Shape *)&square : &strip;
  p.a += t;
  Pair q = swapped(p);
  int digits[16];
  for (int i = 0; i < 16; ++i)
    digits[i] = i * t;
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += digits[(i * 5 + t) % 16] * (i + 1);
  out[5 * t] = fibonacci(t % 12);
  out[5 * t + 1] = shape->area(t);
  out[5 * t + 2] = table[t % 3](t);
  out[5 * t + 3] = q.a * 1000 + int(q.b);
  out[5 * t + 4] = sum;
}

int main() {
  const int n = 64;
  Buffer<int> out(5 * n), lambda(n);
  calls<<<1, n>>>(out, {7, 3.5});
  int k = 5;
  apply<<<1, n>>>(lambda, [k] __device__(int x) { return x * k + 1; });
  out.check("calls", [](size_t i) {
    int t = i / 5, f[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    switch (i % 5) {
    case 0: return f[t % 12];
    case 1: return t & 1 ? t * t : t * (t + 1);
    case 2: return t % 3 == 0 ? t + 10 : t % 3 == 1 ? t - 10 : t * 3;
    case 3: return 3000 + 7 + t + 1;
    default: {
      int sum = 0;
      for (int j = 0; j < 16; ++j)
        sum += (j * 5 + t) % 16 * t * (j + 1);
      return sum;
    }
    }
  });
  lambda.check("lambda", [](size_t i) { return int(i) * 5 + 1; });
  return finish();
}
