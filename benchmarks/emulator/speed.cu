// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What benchmarks/emulator-speed.sh measures the emulator with.
//
//   speed gesummv      65536 rows of 512 columns: memory
//   speed mandelbrot   each thread iterates for as long as its point stays:
//                      divergent arithmetic
//   speed tiles        a matrix product through shared memory
//   speed threads      8388608 threads, each with one element

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *y, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0, b = 0;
  for (int j = 0; j < columns; ++j) {
    a += A[row * columns + j] * x[j];
    b += B[row * columns + j] * x[j];
  }
  y[row] = 1.5f * a + 0.5f * b;
}

__global__ void mandelbrot(int *steps, int width, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float cx = -2.0f + 3.0f * float(i % width) / float(width);
  float cy = -1.5f + 3.0f * float(i / width) / float(width);
  float x = 0, y = 0;
  int n = 0;
  while (n < limit && x * x + y * y < 4) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++n;
  }
  steps[i] = n;
}

constexpr int Tile = 16;
__global__ void tiles(const float *A, const float *B, float *C, int n) {
  __shared__ float a[Tile][Tile], b[Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y;
  int column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += Tile) {
    a[threadIdx.y][threadIdx.x] = A[row * n + k + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int t = 0; t < Tile; ++t)
      sum += a[threadIdx.y][t] * b[t][threadIdx.x];
    __syncthreads();
  }
  C[row * n + column] = sum;
}

__global__ void threads(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i] + 1;
}

static float *floats(size_t n) {
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  cudaMemset(p, 0x3c, n * sizeof(float));
  return p;
}

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "";
  if (!std::strcmp(which, "gesummv")) {
    const int rows = 65536, columns = 512;
    gesummv<<<rows / 256, 256>>>(floats(size_t(rows) * columns),
                                 floats(size_t(rows) * columns),
                                 floats(columns), floats(rows), columns);
  } else if (!std::strcmp(which, "mandelbrot")) {
    const int width = 1024;
    mandelbrot<<<width * width / 256, 256>>>(
        reinterpret_cast<int *>(floats(width * width)), width, 300);
  } else if (!std::strcmp(which, "tiles")) {
    const int n = 768;
    tiles<<<dim3(n / Tile, n / Tile), dim3(Tile, Tile)>>>(
        floats(n * n), floats(n * n), floats(n * n), n);
  } else if (!std::strcmp(which, "threads")) {
    const int n = 8388608;
    threads<<<n / 256, 256>>>(floats(n), floats(n));
  } else {
    std::fprintf(stderr, "usage: speed gesummv|mandelbrot|tiles|threads\n");
    return 2;
  }
  return cudaDeviceSynchronize();
}
