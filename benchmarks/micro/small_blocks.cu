// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a grid of small blocks takes, and the same work in fewer, larger
// blocks: as launched, and with 2, 4, ... blocks as layers of one (xN). For
// gelu of floats, bytes that become others, and a copy in two dimensions. Bytes
// also by blocks that take several in turn (loopN), or that load four first
// (first4). Milliseconds, the least of seven.
//
//   nvcc -O3 -arch=sm_90 small_blocks.cu && ./a.out
//
#include <algorithm>
#include <cmath>
#include <cstdio>

struct Merged {
  int Blocks; ///< Of the grid as it was, in x; 0: it is.
  __device__ int block() const {
    return Blocks ? blockIdx.x * blockDim.z + threadIdx.z : blockIdx.x;
  }
  __device__ bool isEmpty() const { return Blocks && block() >= Blocks; }
};

__global__ void gelu(const float *in, float *out, int n, Merged m) {
  int i = m.block() * blockDim.x + threadIdx.x;
  if (m.isEmpty() || i >= n)
    return;
  float x = in[i];
  out[i] = 0.5f * x * (1 + tanhf(0.8f * (x + 0.04f * x * x * x)));
}

__global__ void convert(const unsigned char *in, signed char *out, int n,
                        Merged m) {
  int i = m.block() * blockDim.x + threadIdx.x;
  if (!m.isEmpty() && i < n)
    out[i] = in[i];
}

__global__ void convertInTurn(const unsigned char *__restrict__ in,
                              signed char *__restrict__ out, int n,
                              int blocks) {
  for (int b = blockIdx.x; b < blocks; b += gridDim.x) {
    int i = b * blockDim.x + threadIdx.x;
    if (i < n)
      out[i] = in[i];
  }
}

__global__ void convertFour(const unsigned char *__restrict__ in,
                            signed char *__restrict__ out, int n) {
  unsigned char value[4];
  auto place = [](int k) {
    return (blockIdx.x * 4 + k) * blockDim.x + threadIdx.x;
  };
#pragma unroll
  for (int k = 0; k < 4; ++k)
    value[k] = place(k) < n ? in[place(k)] : 0;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (place(k) < n)
      out[place(k)] = value[k];
}

__global__ void copy(const float *in, float *out, int width, int height,
                     Merged m) {
  int x = m.block() * blockDim.x + threadIdx.x,
      y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!m.isEmpty() && x < width && y < height)
    out[y * width + x] = in[y * width + x];
}

template <class LaunchT> float least(LaunchT Launch) {
  cudaEvent_t Start, Stop;
  cudaEventCreate(&Start);
  cudaEventCreate(&Stop);
  float Least = INFINITY;
  for (int Round = 0; Round < 7; ++Round) {
    cudaEventRecord(Start);
    Launch();
    cudaEventRecord(Stop);
    cudaEventSynchronize(Stop);
    float Ms;
    cudaEventElapsedTime(&Ms, Start, Stop);
    Least = std::min(Least, Ms);
  }
  return Least;
}

/// Launch(grid in x, layers, what the kernel is told) with 1, 2, ... layers.
template <class LaunchT>
void report(int Blocks, int Threads, int MostThreads, LaunchT Launch) {
  printf(" as launched %.4f", least([&] { Launch(Blocks, 1, Merged{0}); }));
  for (int N = 2; N * Threads <= MostThreads && N <= 64; N *= 2)
    printf(" x%d %.4f", N,
           least([&] { Launch((Blocks + N - 1) / N, N, Merged{Blocks}); }));
}

int main() {
  constexpr int Most = 64 << 20;
  float *In, *Out;
  cudaMalloc(&In, Most * sizeof(float));
  cudaMalloc(&Out, Most * sizeof(float));
  cudaMemset(In, 0, Most * sizeof(float));
  for (int N : {6 << 20, Most})
    for (int Threads : {8, 16, 32, 64, 128, 256}) {
      printf("gelu of %d floats, blocks of %d:", N, Threads);
      report(N / Threads, Threads, 512, [&](int Grid, int Layers, Merged M) {
        gelu<<<Grid, dim3(Threads, 1, Layers)>>>(In, Out, N, M);
      });
      printf("\n");
    }
  const auto *Bytes = reinterpret_cast<const unsigned char *>(In);
  auto *Signed = reinterpret_cast<signed char *>(Out);
  constexpr int MostBytes = 256 << 20;
  for (int Threads : {64, 128, 256}) {
    const int Blocks = MostBytes / Threads;
    printf("%d bytes, blocks of %d:", MostBytes, Threads);
    report(Blocks, Threads, 1024, [&](int Grid, int Layers, Merged M) {
      convert<<<Grid, dim3(Threads, 1, Layers)>>>(Bytes, Signed, MostBytes, M);
    });
    for (int N : {2, 4, 8})
      printf(" loop%d %.4f", N, least([&] {
               convertInTurn<<<Blocks / N, Threads>>>(Bytes, Signed, MostBytes,
                                                      Blocks);
             }));
    printf(" first4 %.4f\n", least([&] {
             convertFour<<<Blocks / 4, Threads>>>(Bytes, Signed, MostBytes);
           }));
  }
  constexpr int Side = 4096;
  for (int Rows : {4, 8}) {
    printf("copy by 8 x %d:", Rows);
    report(Side / 8, 8 * Rows, 512, [&](int Grid, int Layers, Merged M) {
      copy<<<dim3(Grid, Side / Rows), dim3(8, Rows, Layers)>>>(In, Out, Side,
                                                               Side, M);
    });
    printf("\n");
  }
  const cudaError_t Error = cudaDeviceSynchronize();
  if (Error != cudaSuccess)
    fprintf(stderr, "%s\n", cudaGetErrorString(Error));
  return Error != cudaSuccess;
}
