// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to make a float of a byte of a word, in four ways: as the
// assembler has it for `(word >> 8 & 255)` with clang (I2F.U8, of the unit for
// special functions), by a shift, a mask and I2FP as with nvcc, by PRMT and
// I2FP, and by PRMT and a sum; alone, with an exponential beside each, and with
// 8 and 24 multiply-adds beside each. Prints conversions of an SM in a cycle,
// and whether all ways gave the same.
//
//   clang++ -O3 --cuda-gpu-arch=sm_90 byte_conversions.cu -lcudart_static
//
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int Threads = 256, Blocks = 8 * 132, Steps = 2048;

enum Way { Special, Shifted, Permuted, Summed };

template <Way W, int Byte> __device__ float convert(unsigned word) {
  unsigned bits;
  if (W == Special)
    asm("bfe.u32 %0, %1, %2, 8;" : "=r"(bits) : "r"(word), "n"(8 * Byte));
  else if (W == Shifted)
    asm("{ .reg .b32 t; shr.u32 t, %1, %2; and.b32 %0, t, 255; }"
        : "=r"(bits)
        : "r"(word), "n"(8 * Byte));
  else if (W == Permuted)
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(bits) : "r"(word), "n"(0x7770 | Byte));
  else
    asm("prmt.b32 %0, %1, 0x4b000000, %2;"
        : "=r"(bits)
        : "r"(word), "n"(0x7440 | Byte));
  return W == Summed ? __uint_as_float(bits) - 8388608.0f : float(bits);
}

/// Two conversions a step, of which the next step's word depends on one.
template <Way W, bool HasExp, int Sums>
__global__ void conversions(const unsigned *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned word = in[i];
  float sum = 0, x = 1, y = 2;
#pragma unroll 4
  for (int step = 0; step < Steps; ++step) {
    float one = convert<W, 1>(word), two = convert<W, 2>(word);
    if (HasExp) {
      one = exp2f(one * 0x1p-9f);
      two = exp2f(two * 0x1p-9f);
    }
#pragma unroll
    for (int j = 0; j < Sums; ++j) {
      x = x * one + 0.5f;
      y = y * two + 0.5f;
    }
    sum += one * two;
    word = word * 1664525u + 1013904223u;
  }
  out[i] = sum + x + y;
}

static unsigned *In;
static float *Out;

template <Way W, bool HasExp, int Sums>
static double rate(std::vector<float> &results) {
  int clock, sms;
  cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float best = 1e9f;
  for (int round = 0; round < 6; ++round) {
    cudaEventRecord(begin);
    conversions<W, HasExp, Sums><<<Blocks, Threads>>>(In, Out);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    best = std::min(best, ms);
  }
  results.resize(size_t(Blocks) * Threads);
  cudaMemcpy(results.data(), Out, results.size() * sizeof(float),
             cudaMemcpyDefault);
  return 2.0 * Steps * Threads * Blocks / sms / (double(best) * clock);
}

template <bool HasExp, int Sums> static void row() {
  std::vector<float> a, b, c, d;
  double special = rate<Special, HasExp, Sums>(a),
         shifted = rate<Shifted, HasExp, Sums>(b),
         permuted = rate<Permuted, HasExp, Sums>(c),
         summed = rate<Summed, HasExp, Sums>(d);
  auto same = [](const std::vector<float> &x, const std::vector<float> &y) {
    return std::equal(x.begin(), x.end(), y.begin(), [](float p, float q) {
      return p == q || (p != p && q != q);
    });
  };
  std::printf("%s,%d,%.2f,%.2f,%.2f,%.2f,%s\n", HasExp ? "yes" : "no", Sums,
              special, shifted, permuted, summed,
              same(a, b) && same(a, c) && same(a, d) ? "yes" : "NO");
}

int main() {
  std::vector<unsigned> in(size_t(Blocks) * Threads);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = i * 2654435761u;
  cudaMalloc(&In, in.size() * sizeof(unsigned));
  cudaMalloc(&Out, in.size() * sizeof(float));
  cudaMemcpy(In, in.data(), in.size() * sizeof(unsigned), cudaMemcpyDefault);
  std::printf("exp2f,multiply-adds,I2F.U8,shift and I2FP,PRMT and I2FP,PRMT "
              "and sum,the same\n");
  row<false, 0>();
  row<false, 2>();
  row<false, 4>();
  row<false, 8>();
  row<false, 24>();
  row<true, 0>();
  row<true, 4>();
  row<true, 8>();
  row<true, 24>();
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
