// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many sums of `double`, and conversions between integers and `double` or
// `float`, an SM computes in a cycle: one block of 1,024 threads, eight
// independent chains in each.
//
//   clang++ -O3 --cuda-gpu-arch=sm_90 conversions.cu -lcudart_static
//
#include <cstdio>

constexpr int Threads = 1024, Chains = 8, Steps = 1000;

enum Kind { Sum, ToInt, Near };

template <Kind K> __global__ void convert(double *data, long long *cycles) {
  double x[Chains];
  float f[Chains];
  for (int i = 0; i < Chains; ++i) {
    x[i] = data[threadIdx.x + i];
    f[i] = float(x[i]);
  }
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int step = 0; step < Steps; ++step)
#pragma unroll
    for (int i = 0; i < Chains; ++i) {
      // There and back. The step is in it so that each is computed.
      if (K == Sum)
        x[i] += 1;
      else if (K == ToInt)
        x[i] = int(x[i]) ^ step;
      else
        f[i] = float(int(f[i]) ^ step);
    }
  __syncthreads();
  const long long end = clock64();
  double sum = 0;
  for (int i = 0; i < Chains; ++i)
    sum += x[i] + f[i];
  data[threadIdx.x] = sum;
  if (threadIdx.x == 0)
    *cycles = end - start;
}

template <Kind K> static void measure(const char *what, int each) {
  double *data;
  long long *cycles, taken = 0;
  cudaMalloc(&data, (Threads + Chains) * sizeof(double));
  cudaMalloc(&cycles, sizeof(long long));
  cudaMemset(data, 0, (Threads + Chains) * sizeof(double));
  for (int run = 0; run < 2; ++run) // the first loads the code
    convert<K><<<1, Threads>>>(data, cycles);
  cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost);
  std::printf("%-20s %5.1f in a cycle\n", what,
              double(each) * Steps * Chains * Threads / double(taken));
  cudaFree(data);
  cudaFree(cycles);
}

int main() {
  measure<Sum>("double + double", 1);
  measure<ToInt>("int <-> double", 2);
  measure<Near>("int <-> float", 2);
}
