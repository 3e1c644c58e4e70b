// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parboil's stencil: seven points in three dimensions, again and again. Blocks
// are two-dimensional; each thread walks along z, keeping its own column's
// three values in registers and reading the four beside it. Limited by memory
// bandwidth.
//
#include "common.h"

constexpr int DefaultX = bench::bySize(64, 512, 1024);
constexpr int DefaultY = bench::bySize(32, 512, 512);
constexpr int DefaultZ = bench::bySize(16, 64, 256);
constexpr int DefaultIterations = bench::bySize(4, 10, 10);
constexpr int BlockX = 32;
constexpr int BlockY = 4;
// A weighted mean, so that the values neither grow nor die out.
constexpr float C0 = -0.25f;
constexpr float C1 = 0.125f;
constexpr uint32_t SeedA = 1;

__global__ void block2D_stencil(float c0, float c1,
                                const float *BENCH_MAY_RESTRICT A0,
                                float *BENCH_MAY_RESTRICT Anext, int nx, int ny,
                                int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < nx - 1 && j < ny - 1) {
    float bottom = A0[i + nx * j];
    float current = A0[i + nx * (j + ny)];
    for (int k = 1; k < nz - 1; ++k) {
      float top = A0[i + nx * (j + ny * (k + 1))];
      Anext[i + nx * (j + ny * k)] =
          (top + bottom + A0[i + nx * (j + 1 + ny * k)] +
           A0[i + nx * (j - 1 + ny * k)] + A0[i + 1 + nx * (j + ny * k)] +
           A0[i - 1 + nx * (j + ny * k)]) *
              c1 -
          current * c0;
      bottom = current;
      current = top;
    }
  }
}

namespace {

struct Grid {
  int X, Y, Z;

  size_t size() const { return size_t(X) * Y * Z; }
  size_t at(int I, int J, int K) const {
    return I + size_t(X) * (J + size_t(Y) * K);
  }
  bool isBorder(int I, int J, int K) const {
    return I == 0 || J == 0 || K == 0 || I == X - 1 || J == Y - 1 || K == Z - 1;
  }
};

} // namespace

/// The value of a cell after Iterations: only cells that are at most so far
/// away count.
static double valueAfter(const Grid &G, int Iterations, size_t Index) {
  int I = Index % G.X, J = Index / G.X % G.Y, K = Index / G.X / G.Y;
  int Side = 2 * Iterations + 1;
  auto at = [&](int DI, int DJ, int DK) {
    return (DI + Iterations) +
           Side * ((DJ + Iterations) + Side * (DK + Iterations));
  };
  auto forCells = [&](int Far, auto Do) {
    for (int DK = -Far; DK <= Far; ++DK)
      for (int DJ = -Far; DJ <= Far; ++DJ)
        for (int DI = -Far; DI <= Far; ++DI)
          if (I + DI >= 0 && I + DI < G.X && J + DJ >= 0 && J + DJ < G.Y &&
              K + DK >= 0 && K + DK < G.Z)
            Do(DI, DJ, DK);
  };

  std::vector<double> Now(size_t(Side) * Side * Side), Next;
  forCells(Iterations, [&](int DI, int DJ, int DK) {
    Now[at(DI, DJ, DK)] = bench::valueAt(SeedA, G.at(I + DI, J + DJ, K + DK));
  });
  Next = Now;
  for (int Far = Iterations; Far-- > 0;) {
    forCells(Far, [&](int DI, int DJ, int DK) {
      if (G.isBorder(I + DI, J + DJ, K + DK))
        return;
      int C = at(DI, DJ, DK);
      double Sum = Now[C - 1] + Now[C + 1] + Now[C - Side] + Now[C + Side] +
                   Now[C - Side * Side] + Now[C + Side * Side];
      Next[C] = Sum * C1 - Now[C] * C0;
    });
    std::swap(Now, Next);
  }
  return Now[at(0, 0, 0)];
}

int main(int ArgC, char **ArgV) {
  Grid G;
  G.X = bench::numberOption(ArgC, ArgV, "nx", DefaultX);
  G.Y = bench::numberOption(ArgC, ArgV, "ny", DefaultY);
  G.Z = bench::numberOption(ArgC, ArgV, "nz", DefaultZ);
  int Iterations =
      bench::numberOption(ArgC, ArgV, "iterations", DefaultIterations);

  // The borders stay as they are, in both.
  bench::DeviceArray<float> A(G.size(), SeedA), B(G.size(), SeedA);
  dim3 Block(BlockX, BlockY);
  dim3 Blocks((G.X + BlockX - 1) / BlockX, (G.Y + BlockY - 1) / BlockY);
  bool SourceIsA = true;
  for (int Iteration = 0; Iteration < Iterations; ++Iteration) {
    block2D_stencil<<<Blocks, Block>>>(C0, C1, SourceIsA ? A : B,
                                       SourceIsA ? B : A, G.X, G.Y, G.Z);
    SourceIsA = !SourceIsA;
  }
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("stencil");
  Program.check("grid", SourceIsA ? A : B, [&](size_t Index, float Got) {
    return bench::isClose(Got, valueAfter(G, Iterations, Index), 1e-5);
  });
  return Program.verdict();
}
