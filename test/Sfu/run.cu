// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function in each precision, on the emulator. The kernel 'partly' is
// 'exactly' under another name: warps from LAMBDA on give the same bits, those
// below it differ, and are as close to the C library's double precision as the
// recipes of docs/passes/sfu.md can be. Barriers, shared memory and a function that
// is not inlined go along. The two planted faults are noticed.
//
// RUN: %sluicexx %s -O3 --cuda-gpu-arch=sm_90 --sluice-sfu=2 --sluice-sfu-kernels=partly -c -o %t.o -Rpass=sluice-sfu 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
//
// RUN: %sluice emulate %s -O3 --check=memory,races --sluice-sfu=2 --sluice-sfu-kernels=partly -- 2 | FileCheck %s
// RUN: %sluice emulate %s -O1 --sluice-sfu=2 --sluice-sfu-kernels=partly -- 2 | FileCheck %s
// RUN: %sluice emulate %s -O3 -fgpu-rdc --sluice-sfu=2 --sluice-sfu-kernels=partly -- 2 | FileCheck %s
// RUN: %sluice emulate %s -O3 --sluice-sfu=32 --sluice-sfu-kernels=partly -- 4 | FileCheck %s
// RUN: %sluice emulate %s -O3 --sluice-sfu=0 --sluice-sfu-kernels=partly -- 0 | FileCheck %s
// RUN: %sluice emulate %s -O3 --sluice-sfu=symbol --sluice-sfu-kernels=partly -- 3 | FileCheck %s
// RUN: %sluice emulate %s -O3 --sluice-sfu=symbol --sluice-sfu-kernels=partly -- 0 | FileCheck %s
// CHECK-NOT: {{wrong|far}}
// CHECK: as it should be
//
// RUN: not %sluice emulate %s -O3 --sluice-sfu=2 --sluice-sfu-kernels=partly --sluice-test-wrong-rewrite=all-approximate -- 2 | FileCheck %s --check-prefix=WRONG
// RUN: not %sluice emulate %s -O3 --sluice-sfu=2 --sluice-sfu-kernels=partly --sluice-test-wrong-rewrite=lost-version -- 2 | FileCheck %s --check-prefix=WRONG
// WRONG: wrong

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ unsigned sluice_sfu_warps = 7;

constexpr int Approximate = 25; // functions; behind them exact ones
constexpr int Threads = 128, Blocks = 8, All = Threads * Blocks, Of = 27;

__device__ __noinline__ float apart(float x) { return sinf(x) + logf(x); }

__device__ inline void compute(const float *in, double *out) {
  __shared__ float neighbours[Threads];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int i = blockIdx.x * Threads + thread;
  neighbours[thread] = in[i];
  __syncthreads();
  const float x = neighbours[thread], y = neighbours[Threads - 1 - thread];
  const double d = x, e = y;
  float sine, cosine;
  sincosf(x, &sine, &cosine);
  const double all[Of] = {
      x / y,     1 / x,      sqrtf(x),  1 / sqrtf(x), rsqrtf(x), powf(x, y),
      expf(x),   exp2f(x),   exp10f(x), logf(x),      log2f(x),  log10f(x),
      sinf(x),   cosf(x),    sine,      cosine,       tanf(x),   tanhf(x),
      d / e,     1 / d,      sqrt(d),   1 / sqrt(d),  rsqrt(d),  apart(x),
      // clang fuses the product and the sum.
      x * y + sinf(y),
      // Exact in all warps, as the source asks for it or has no other way.
      __fdiv_rn(x, y), x / 4};
  for (int k = 0; k < Of; ++k) {
    __syncthreads();
    neighbours[Threads - 1 - thread] = float(all[k]);
    __syncthreads();
    out[k * All + i] = all[k] + (neighbours[thread] != neighbours[thread]);
  }
}

__global__ void exactly(const float *in, double *out) { compute(in, out); }
// REMARK: run.cu:[[#@LINE+1]]:1: remark: {{[0-9]+}} functions computed approximately by the first 2 warps of a block: division 2, reciprocal 4, sqrt 4, rsqrt 2, pow 1, exp 1, exp2 1, exp10 1, log 2, log2 1, log10 1, sin 3, cos 1, sincos 1, tan 1, tanh 1
__global__ void partly(const float *in, double *out) { compute(in, out); }

static double reference(int k, double x, double y) {
  const double values[Of] = {
      x / y,       1 / x,        sqrt(x),     1 / sqrt(x), 1 / sqrt(x),
      pow(x, y),   exp(x),       exp2(x),     pow(10, x),  log(x),
      log2(x),     log10(x),     sin(x),      cos(x),      sin(x),
      cos(x),      tan(x),       tanh(x),     x / y,       1 / x,
      sqrt(x),     1 / sqrt(x),  1 / sqrt(x), sin(x) + log(x), x * y + sin(y),
      double(float(x) / float(y)), x / 4};
  return values[k];
}

// Relative, of values below 0.1 absolute. An .approx instruction is rounded to
// nearest by the emulator; what several of them lose is the recipe's.
static const double bounds[Of] = {
    6e-8, 6e-8, 6e-8, 6e-8, 6e-8, 3e-7, 3e-7, 6e-8, 6e-7,
    1.2e-7, 6e-8, 1.8e-7, 6e-8, 6e-8, 6e-8, 6e-8, 1.8e-7, 6e-8,
    1e-6, 1e-6, 1.5e-6, 1e-6, 1e-6, 1e-6, 3e-7, 0, 0};

int main(int argc, char **argv) {
  const unsigned lambda = atoi(argv[1]);
  static float in[All];
  static double exact[Of][All], part[Of][All];
  srand(1);
  for (float &x : in)
    x = 0.05f + 3 * (rand() / float(RAND_MAX));
  float *deviceIn;
  double *deviceOut;
  cudaMalloc(&deviceIn, sizeof in);
  cudaMalloc(&deviceOut, sizeof exact);
  cudaMemcpy(deviceIn, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(sluice_sfu_warps, &lambda, sizeof lambda);
  const dim3 block(16, Threads / 16);
  cudaMemset(deviceOut, 0, sizeof exact);
  exactly<<<Blocks, block>>>(deviceIn, deviceOut);
  cudaMemcpy(exact, deviceOut, sizeof exact, cudaMemcpyDeviceToHost);
  cudaMemset(deviceOut, 0, sizeof exact);
  partly<<<Blocks, block>>>(deviceIn, deviceOut);
  cudaMemcpy(part, deviceOut, sizeof part, cudaMemcpyDeviceToHost);
  bool fails = false;
  for (int k = 0; k < Of; ++k) {
    int differ = 0, wrong = 0;
    double farthest = 0;
    for (int i = 0; i < All; ++i) {
      const bool isApproximate = i % Threads / 32 < int(lambda) && k < Approximate;
      const bool isSame = !memcmp(&exact[k][i], &part[k][i], sizeof(double));
      wrong += !isApproximate && !isSame;
      differ += !isSame;
      const double want =
          reference(k, in[i], in[i / Threads * Threads + Threads - 1 - i % Threads]);
      if (isApproximate)
        farthest = std::max(farthest, fabs(part[k][i] - want) /
                                          std::max(fabs(want), 0.1));
    }
    printf("%d: %d differ, at most %.2g\n", k, differ, farthest);
    if (wrong || farthest > bounds[k]) {
      printf("%d: %d wrong, %g far\n", k, wrong, farthest);
      fails = true;
    }
  }
  if (!fails)
    printf("as it should be\n");
  return fails;
}
