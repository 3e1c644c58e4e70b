// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward substitution for a batch of complex systems (I + A / n) x = b, A
// lower triangular, real and imaginary parts in planes of their own: a block
// for each system, a row per thread. In step k the thread of row k shows x[k]
// to the others, so the loop has two barriers, and its warps cannot take turns.
// Two cache lines a thread, 2.3 times what an H100's L1 holds at full
// occupancy.
//
#include "common.h"

#ifndef SYSTEMS
#define SYSTEMS bench::bySize(2, 1056, 2112)
#endif

constexpr int Systems = SYSTEMS;
constexpr int Size = 256; // rows of a system, threads of a block
constexpr float Scale = 1.0f / Size;
constexpr uint32_t SeedRe = 1;
constexpr uint32_t SeedIm = 2;
constexpr uint32_t SeedB = 3;

__global__ void triangularSolve(const float *BENCH_MAY_RESTRICT Re,
                                const float *BENCH_MAY_RESTRICT Im,
                                const float *BENCH_MAY_RESTRICT B,
                                float *BENCH_MAY_RESTRICT X) {
  __shared__ float2 Solved;
  int i = threadIdx.x;
  int Row = blockIdx.x * Size + i;
  float XRe = B[Row], XIm = 0;
  for (int k = 0; k < Size; ++k) {
    if (i == k)
      Solved = make_float2(XRe, XIm);
    __syncthreads();
    if (i > k) {
      float ARe = Scale * Re[Row * Size + k], AIm = Scale * Im[Row * Size + k];
      XRe -= ARe * Solved.x - AIm * Solved.y;
      XIm -= ARe * Solved.y + AIm * Solved.x;
    }
    __syncthreads();
  }
  X[2 * Row] = XRe;
  X[2 * Row + 1] = XIm;
}

/// Element Index of X, from the CPU's solution of its system.
static double solutionAt(size_t Index) {
  static std::vector<double> X(2 * Size);
  static size_t Known = ~size_t(0);
  size_t System = Index / (2 * Size);
  for (size_t i = 0; System != Known && i < Size; ++i) {
    size_t Row = System * Size + i;
    double Re = bench::valueAt(SeedB, Row), Im = 0;
    for (size_t k = 0; k < i; ++k) {
      double ARe = bench::valueAt(SeedRe, Row * Size + k) / Size;
      double AIm = bench::valueAt(SeedIm, Row * Size + k) / Size;
      Re -= ARe * X[2 * k] - AIm * X[2 * k + 1];
      Im -= ARe * X[2 * k + 1] + AIm * X[2 * k];
    }
    X[2 * i] = Re;
    X[2 * i + 1] = Im;
  }
  Known = System;
  return X[Index % (2 * Size)];
}

int main() {
  constexpr size_t Elements = size_t(Systems) * Size * Size;
  bench::DeviceArray<float> Re(Elements, SeedRe), Im(Elements, SeedIm),
      B(size_t(Systems) * Size, SeedB), X(size_t(Systems) * Size * 2);

  triangularSolve<<<Systems, Size>>>(Re, Im, B, X);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("triangular_solve");
  Program.check("x", X, [](size_t Element, float Got) {
    return std::abs(Got - solutionAt(Element)) < 1e-4;
  });
  return Program.verdict();
}
