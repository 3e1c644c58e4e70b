// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials of numbers from 0 to SCALE: the larger, the less exact. Blocks of
// 128 threads, so lambda is from 0 to 4. What is written where:
//
//   waves.cu SCALE [FILE [again]]
//
// FILE gets the numbers, as text or, if it ends in .f32, as floats; with 'again'
// something that differs from run to run is printed.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

constexpr int Threads = 512;

__device__ float total[4];

namespace sea {
__global__ void waves(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = expf(in[i]);
  if (threadIdx.x == 0)
    total[blockIdx.x] = out[i];
}
} // namespace sea

int main(int argc, char **argv) {
  static float numbers[Threads];
  for (int i = 0; i < Threads; ++i)
    numbers[i] = atof(argv[1]) * (i * 37 % Threads + 1) / Threads;
  float *in, *out;
  cudaMalloc(&in, sizeof numbers);
  cudaMalloc(&out, sizeof numbers);
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  sea::waves<<<Threads / 128, 128>>>(in, out);
  cudaMemcpy(numbers, out, sizeof numbers, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float x : numbers)
    sum += x;
  printf("the sum: %.17g\n", sum);
  if (argc > 3)
    printf("run %d\n", int(getpid()));
  if (argc > 2 && strstr(argv[2], ".f32")) {
    FILE *file = fopen(argv[2], "wb");
    fwrite(numbers, sizeof(float), Threads, file);
    fclose(file);
  } else if (argc > 2) {
    FILE *file = fopen(argv[2], "w");
    for (float x : numbers)
      fprintf(file, "%.17g\n", x);
    fclose(file);
  }
}
