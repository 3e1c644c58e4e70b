// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose results depend on the special function units, for the searches
// of `sluice tune --qos`: with blocks of 1,024 threads, so that 33 numbers of
// approximate warps are there to choose from, and with numbers made from a seed,
// so that some inputs can be held back.
//
//   quality KERNEL SEED BLOCKS     KERNEL: one of the kernels below
//
// Each thread adds up PER_THREAD results. A warp, which is approximate or not as
// a whole, writes one number: what comes back from a GPU is small.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef PER_THREAD
#define PER_THREAD 16
#endif

constexpr int BlockSize = 1024;

// In (0, 1].
__device__ inline float uniform(unsigned seed, int step) {
  unsigned x = (blockIdx.x * BlockSize + threadIdx.x) * PER_THREAD + step;
  x = (x ^ seed * 0x9e3779b9u) * 0x85ebca6bu;
  x = (x ^ x >> 15) * 0xc2b2ae35u;
  x ^= x >> 16;
  return ((x >> 8) + 1) / 16777216.0f;
}

__device__ inline void store(double *out, double sum) {
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0)
    out[(blockIdx.x * BlockSize + threadIdx.x) / 32] = sum;
}

// Pairs of uniform numbers become pairs of normal ones.
__global__ void __launch_bounds__(BlockSize)
    normals(double *out, unsigned seed) {
  double sum = 0;
  for (int step = 0; step < PER_THREAD; step += 2) {
    const float radius = sqrtf(-2 * logf(uniform(seed, step)));
    float sine, cosine;
    sincosf(6.2831853f * uniform(seed, step + 1), &sine, &cosine);
    sum += fabsf(radius * cosine) + fabsf(radius * sine);
  }
  store(out, sum);
}

// The logistic map of neurons, and a softplus.
__global__ void __launch_bounds__(BlockSize)
    neurons(double *out, unsigned seed) {
  double sum = 0;
  for (int step = 0; step < PER_THREAD; ++step) {
    const float x = 12 * uniform(seed, step) - 6;
    sum += 1 / (1 + expf(-x)) + logf(1 + expf(x));
  }
  store(out, sum);
}

// Powers of numbers, as gamma correction has them.
__global__ void __launch_bounds__(BlockSize)
    gamma_of(double *out, unsigned seed) {
  double sum = 0;
  for (int step = 0; step < PER_THREAD; ++step)
    sum += powf(uniform(seed, step), 0.45f);
  store(out, sum);
}

// Sums of waves, as magnetic resonance imaging has them.
__global__ void __launch_bounds__(BlockSize) waves(double *out, unsigned seed) {
  double sum = 0;
  for (int step = 0; step < PER_THREAD; ++step) {
    const float x = uniform(seed, step);
    float wave = 0;
    for (int k = 1; k <= 4; ++k) {
      float sine, cosine;
      sincosf(6.2831853f * k * x, &sine, &cosine);
      wave += cosine / k + sine / (k + 1);
    }
    sum += fabsf(wave);
  }
  store(out, sum);
}

// Newton's method for a cubic root, in double precision.
__global__ void __launch_bounds__(BlockSize)
    newton(double *out, unsigned seed) {
  double sum = 0;
  for (int step = 0; step < PER_THREAD; ++step) {
    const double a = 1 + uniform(seed, step);
    double x = a;
    for (int k = 0; k < 4; ++k)
      x -= (x * x * x - a) / (3 * x * x);
    sum += sqrt(x) / a;
  }
  store(out, sum);
}

static const struct {
  const char *name;
  void (*kernel)(double *, unsigned);
} Kernels[] = {{"normals", normals},
               {"neurons", neurons},
               {"gamma_of", gamma_of},
               {"waves", waves},
               {"newton", newton}};

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: quality KERNEL SEED BLOCKS\n");
    return 2;
  }
  const unsigned seed = std::atoi(argv[2]);
  const int blocks = std::atoi(argv[3]);
  double *out;
  cudaMalloc(&out, sizeof(double) * blocks * BlockSize / 32);
  for (const auto &known : Kernels)
    if (!std::strcmp(known.name, argv[1]))
      known.kernel<<<blocks, BlockSize>>>(out, seed);
  const bool isRight = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(out);
  return !isRight;
}
