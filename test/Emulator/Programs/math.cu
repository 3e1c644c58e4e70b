// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// libdevice and the approximate instructions, within their documented errors.
#include "Inputs/check.h"

__global__ void functions(const float *a, float *out, double *doubles) {
  float x = a[threadIdx.x];
  double d = x;
  float *o = out + 12 * threadIdx.x;
  o[0] = sinf(x);
  o[1] = expf(x / 4);
  o[2] = logf(x);
  o[3] = powf(x, 1.3f);
  o[4] = erff(x / 8);
  o[5] = tanhf(x / 8);
  o[6] = cosf(x * 100000);
  o[7] = cbrtf(x);
  o[8] = __expf(x / 4);
  o[9] = __fdividef(x, 3);
  o[10] = rsqrtf(x);
  o[11] = __logf(x);
  double *e = doubles + 6 * threadIdx.x;
  e[0] = sin(d);
  e[1] = exp(d);
  e[2] = log(d);
  e[3] = pow(d, 2.7);
  e[4] = lgamma(d);
  e[5] = atan2(d, 3.0);
}

int main() {
  const int n = 128;
  Buffer<float> a(n, [](size_t i) { return 0.1f + 0.173f * i; });
  Buffer<float> out(12 * n);
  Buffer<double> doubles(6 * n);
  functions<<<1, n>>>(a, out, doubles);
  out.near("float", 5e-6, [&](size_t i) -> double {
    double x = a.host[i / 12];
    switch (i % 12) {
    case 0: return std::sin(x);
    case 1: case 8: return std::exp(float(x) / 4);
    case 2: case 11: return std::log(x);
    case 3: return std::pow(x, 1.3f);
    case 4: return std::erf(x / 8);
    case 5: return std::tanh(x / 8);
    case 6: return std::cos(double(float(x) * 100000));
    case 7: return std::cbrt(x);
    case 9: return x / 3;
    default: return 1 / std::sqrt(x);
    }
  });
  doubles.near("double", 1e-14, [&](size_t i) -> double {
    double x = a.host[i / 6];
    switch (i % 6) {
    case 0: return std::sin(x);
    case 1: return std::exp(x);
    case 2: return std::log(x);
    case 3: return std::pow(x, 2.7);
    case 4: return std::lgamma(x);
    default: return std::atan2(x, 3.0);
    }
  });
  return finish();
}
