// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the approximate path gives for zeros, subnormal numbers, infinities, NaN
// and numbers out of range, on the emulator: the table of docs/passes/sfu.md.
//
// RUN: %sluice emulate %s -O3 --sluice-sfu=32 | FileCheck %s
//      x: +0 -0 +subnormal -subnormal +inf -inf nan -1 1e38 (d: 1e300)
// CHECK: 1/x: +inf -inf +inf -inf +0 -0 nan -1 +0
// CHECK-NEXT: x/x: nan nan nan nan nan nan nan 1 +0
// CHECK-NEXT: sqrt: +0 -0 +0 -0 +inf nan nan nan 1e+19
// CHECK-NEXT: 1/sqrt: +inf -inf +inf -inf +0 nan nan nan 1e-19
// CHECK-NEXT: rsqrt: +inf -inf +inf -inf +0 nan nan nan 1e-19
// CHECK-NEXT: x^2: +0 +0 +0 +0 +inf nan nan nan +inf
// CHECK-NEXT: 2^x: 1 1 1 1 +inf +0 nan 0.5 +inf
// CHECK-NEXT: exp: 1 1 1 1 +inf +0 nan 0.368 +inf
// CHECK-NEXT: exp2: 1 1 1 1 +inf +0 nan 0.5 +inf
// CHECK-NEXT: exp10: 1 1 1 1 +inf +0 nan 0.1 +inf
// CHECK-NEXT: log: -inf -inf -inf -inf +inf nan nan nan 87.5
// CHECK-NEXT: log2: -inf -inf -inf -inf +inf nan nan nan 126
// CHECK-NEXT: log10: -inf -inf -inf -inf +inf nan nan nan 38
// CHECK-NEXT: sin: +0 -0 +0 -0 nan nan nan -0.841 0.989
// CHECK-NEXT: cos: 1 1 1 1 nan nan nan 0.54 0.147
// CHECK-NEXT: tan: +0 -0 +0 -0 nan nan nan -1.56 6.74
// CHECK-NEXT: tanh: +0 -0 1e-39 -1e-39 1 -1 nan -0.762 1
// CHECK-NEXT: 1/d: +inf -inf +inf -inf +0 -0 nan -1 1e-300
// CHECK-NEXT: d/d: nan nan +inf +inf nan nan nan 1 1
// CHECK-NEXT: sqrt d: +0 -0 +0 -0 +inf nan nan nan 1e+150
// CHECK-NEXT: 1/sqrt d: +inf -inf +inf -inf +0 nan nan nan 1e-150
// CHECK-NEXT: rsqrt d: +inf -inf +inf -inf +0 nan nan nan 1e-150

#include <cmath>
#include <cstdio>

constexpr int Of = 22, Inputs = 9;

__global__ void compute(const float *in, double *out) {
  const float x = in[threadIdx.x];
  const double d = threadIdx.x == 2   ? 1e-310
                   : threadIdx.x == 3 ? -1e-310
                   : threadIdx.x == 8 ? 1e300
                                      : double(x);
  const double all[Of] = {1 / x,
                          x / x,
                          sqrtf(x),
                          1 / sqrtf(x),
                          rsqrtf(x),
                          powf(x, 2),
                          powf(2, x),
                          expf(x),
                          exp2f(x),
                          exp10f(x),
                          logf(x),
                          log2f(x),
                          log10f(x),
                          sinf(x),
                          cosf(x),
                          tanf(x),
                          tanhf(x),
                          1 / d,
                          d / d,
                          sqrt(d),
                          1 / sqrt(d),
                          rsqrt(d)};
  for (int k = 0; k < Of; ++k)
    out[k * Inputs + threadIdx.x] = all[k];
}

static void print(double x) {
  if (std::isnan(x))
    printf("%9s", "nan");
  else if (std::isinf(x) || x == 0)
    printf("%6s%s", std::signbit(x) ? "-" : "+", x == 0 ? "0  " : "inf");
  else
    printf("%9.3g", x);
}

int main() {
  static const float in[Inputs] = {0.0f,  -0.0f,   1e-39f, -1e-39f, INFINITY,
                                   -INFINITY, NAN, -1,     1e38f};
  static const char *const names[Of] = {
      "1/x",   "x/x",    "sqrt", "1/sqrt", "rsqrt", "x^2",  "2^x", "exp",
      "exp2",  "exp10",  "log",  "log2",   "log10", "sin",  "cos", "tan",
      "tanh",  "1/d",    "d/d",  "sqrt d", "1/sqrt d", "rsqrt d"};
  static double out[Of][Inputs];
  float *deviceIn;
  double *deviceOut;
  cudaMalloc(&deviceIn, sizeof in);
  cudaMalloc(&deviceOut, sizeof out);
  cudaMemcpy(deviceIn, in, sizeof in, cudaMemcpyHostToDevice);
  compute<<<1, Inputs>>>(deviceIn, deviceOut);
  cudaMemcpy(out, deviceOut, sizeof out, cudaMemcpyDeviceToHost);
  for (int k = 0; k < Of; ++k) {
    printf("%s:", names[k]);
    for (double x : out[k])
      print(x);
    printf("\n");
  }
}
