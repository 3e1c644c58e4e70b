// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parboil's sgemm, C = alpha * A * B^T + beta * C, all column-major. A block of
// 16 x 8 threads computes 128 x 16 elements of C, a thread 16 of one row in
// registers; a tile of B is staged in shared memory, A is read coalesced.
// Limited by arithmetic, its occupancy by registers.
//
#include "common.h"

constexpr int DefaultM = bench::bySize(256, 1024, 4096);
constexpr int DefaultN = bench::bySize(64, 1056, 4096);
constexpr int DefaultK = bench::bySize(64, 992, 2048);
constexpr int TILE_N = 16;
constexpr int TILE_TB_HEIGHT = 8;
constexpr int TILE_M = TILE_N * TILE_TB_HEIGHT;
constexpr float Alpha = 1.5f;
constexpr float Beta = 0.75f;
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedB = 2;
constexpr uint32_t SeedC = 3;

__global__ void mysgemmNT(const float *BENCH_MAY_RESTRICT A, int lda,
                          const float *BENCH_MAY_RESTRICT B, int ldb,
                          float *BENCH_MAY_RESTRICT C, int ldc, int k,
                          float alpha, float beta) {
  __shared__ float b_s[TILE_TB_HEIGHT][TILE_N];
  float c[TILE_N] = {};
  int mid = threadIdx.y * blockDim.x + threadIdx.x;
  int m = blockIdx.x * TILE_M + mid;
  int n = blockIdx.y * TILE_N + threadIdx.x;

  for (int i = 0; i < k; i += TILE_TB_HEIGHT) {
    b_s[threadIdx.y][threadIdx.x] = B[n + (i + threadIdx.y) * ldb];
    __syncthreads();
    for (int j = 0; j < TILE_TB_HEIGHT; ++j) {
      float a = A[m + (i + j) * lda];
      for (int kk = 0; kk < TILE_N; ++kk)
        c[kk] += a * b_s[j][kk];
    }
    __syncthreads();
  }

  int t = ldc * blockIdx.y * TILE_N + m;
  for (int i = 0; i < TILE_N; ++i)
    C[t + i * ldc] = C[t + i * ldc] * beta + alpha * c[i];
}

int main(int ArgC, char **ArgV) {
  int M = bench::numberOption(ArgC, ArgV, "m", DefaultM);
  int N = bench::numberOption(ArgC, ArgV, "n", DefaultN);
  int K = bench::numberOption(ArgC, ArgV, "k", DefaultK);
  if (M % TILE_M || N % TILE_N || K % TILE_TB_HEIGHT) {
    std::fprintf(stderr,
                 "--m=, --n= and --k= need multiples of %d, %d and %d\n",
                 TILE_M, TILE_N, TILE_TB_HEIGHT);
    return 2;
  }
  bench::DeviceArray<float> A(size_t(M) * K, SeedA), B(size_t(N) * K, SeedB);
  bench::DeviceArray<float> C(size_t(M) * N, SeedC);

  mysgemmNT<<<dim3(M / TILE_M, N / TILE_N), dim3(TILE_N, TILE_TB_HEIGHT)>>>(
      A, M, B, N, C, M, K, Alpha, Beta);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("sgemm");
  Program.check("C", C, [&](size_t Index, float Got) {
    size_t Row = Index % M, Column = Index / M;
    double Sum = 0;
    for (int I = 0; I < K; ++I)
      Sum += double(bench::valueAt(SeedA, Row + size_t(I) * M)) *
             bench::valueAt(SeedB, Column + size_t(I) * N);
    return bench::isClose(Got,
                          Beta * bench::valueAt(SeedC, Index) + Alpha * Sum);
  });
  return Program.verdict();
}
