// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's gramschmidt, the modified Gram-Schmidt process A = Q R. For each
// column k: one thread takes its norm; a thread per row divides by it; and a
// thread per column behind it, j, takes the part along q_k out of a_j, going
// down the rows twice, coalesced. The memory's bandwidth limits the last.
//
// At full size the matrix is wide, and only its first columns are divided out
// of the others.
//
#include "common.h"

constexpr int Rows = bench::bySize(96, 2048, 512);
constexpr int Columns = bench::bySize(320, 2048, 132 * 2048);
constexpr int Vectors = bench::bySize(8, 2048, 8);
constexpr int BlockSize = 256;
constexpr uint32_t SeedA = 1;

__global__ void gramschmidtNorm(const float *BENCH_MAY_RESTRICT a,
                                float *BENCH_MAY_RESTRICT r, int k) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid == 0) {
    float norm = 0;
    for (int i = 0; i < Rows; ++i)
      norm += a[i * Columns + k] * a[i * Columns + k];
    r[k * Columns + k] = sqrtf(norm);
  }
}

__global__ void gramschmidtScale(const float *BENCH_MAY_RESTRICT a,
                                 const float *BENCH_MAY_RESTRICT r,
                                 float *BENCH_MAY_RESTRICT q, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Rows)
    q[i * Columns + k] = a[i * Columns + k] / r[k * Columns + k];
}

__global__ void gramschmidtProject(float *BENCH_MAY_RESTRICT a,
                                   float *BENCH_MAY_RESTRICT r,
                                   const float *BENCH_MAY_RESTRICT q, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j > k && j < Columns) {
    r[k * Columns + j] = 0;
    for (int i = 0; i < Rows; ++i)
      r[k * Columns + j] += q[i * Columns + k] * a[i * Columns + j];
    for (int i = 0; i < Rows; ++i)
      a[i * Columns + j] -= q[i * Columns + k] * r[k * Columns + j];
  }
}

static std::vector<float> columnToHost(const float *Matrix, int Height,
                                       int Column) {
  std::vector<float> Host(Height);
  CUDA_CHECK(cudaMemcpy2D(Host.data(), sizeof(float), Matrix + Column,
                          Columns * sizeof(float), sizeof(float), Height,
                          cudaMemcpyDeviceToHost));
  return Host;
}

static double dot(const std::vector<float> &X, const std::vector<float> &Y) {
  double Sum = 0;
  for (size_t I = 0; I < X.size(); ++I)
    Sum += double(X[I]) * Y[I];
  return Sum;
}

int main() {
  bench::DeviceArray<float> A(size_t(Rows) * Columns, SeedA);
  bench::DeviceArray<float> Q(size_t(Rows) * Columns);
  bench::DeviceArray<float> R(size_t(Vectors) * Columns);

  constexpr int RowBlocks = (Rows + BlockSize - 1) / BlockSize;
  constexpr int ColumnBlocks = (Columns + BlockSize - 1) / BlockSize;
  for (int K = 0; K < Vectors; ++K) {
    gramschmidtNorm<<<1, BlockSize>>>(A, R, K);
    gramschmidtScale<<<RowBlocks, BlockSize>>>(A, R, Q, K);
    gramschmidtProject<<<ColumnBlocks, BlockSize>>>(A, R, Q, K);
  }
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("gramschmidt");
  std::vector<std::vector<float>> HostQ;
  for (int K = 0; K < Vectors; ++K)
    HostQ.push_back(columnToHost(Q, Rows, K));

  // Q's columns are orthonormal, which in single precision is true of a large
  // matrix's last to three or four digits.
  constexpr int Step = (Vectors + 31) / 32;
  bool Right = true;
  for (int K1 = 0; K1 < Vectors; K1 += Step)
    for (int K2 = 0; K2 <= K1; K2 += Step)
      Right &= std::abs(dot(HostQ[K1], HostQ[K2]) - (K1 == K2)) <= 1e-3;
  Program.check("q", Right);

  // A is Q R and what is left of it, which is orthogonal to Q.
  bool IsProduct = true, IsOrthogonal = true;
  for (int Sample = 0; Sample < 32; ++Sample) {
    int J = Sample == 0 ? Columns - 1 : Sample * 10007 % Columns;
    std::vector<float> HostR = columnToHost(R, Vectors, J);
    std::vector<float> Rest = columnToHost(A, Rows, J);
    for (int I = 0; I < Rows; ++I) {
      double Sum = J < Vectors ? 0 : Rest[I];
      for (int K = 0; K < Vectors && K <= J; ++K)
        Sum += double(HostQ[K][I]) * HostR[K];
      IsProduct &=
          std::abs(Sum - bench::valueAt(SeedA, size_t(I) * Columns + J)) <=
          1e-4;
    }
    for (int K = 0; K < Vectors && J >= Vectors; K += Step)
      IsOrthogonal &= std::abs(dot(HostQ[K], Rest)) <= 1e-3;
  }
  Program.check("q r", IsProduct);
  Program.check("a", IsOrthogonal);
  return Program.verdict();
}
