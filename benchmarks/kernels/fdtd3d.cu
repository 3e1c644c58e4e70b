// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA SDK's FDTD3d: a symmetric stencil of radius 4 over a padded volume.
// A thread has a column along z, with the nine values around its place in
// registers, and a block's plane is in shared memory with its border. Limited
// by the memory's bandwidth, and by registers.
//
#include "common.h"

constexpr int Radius = 4;
constexpr int SizeX = bench::bySize(32, 376, 704);
constexpr int SizeY = bench::bySize(24, 376, 768);
constexpr int SizeZ = bench::bySize(12, 376, 128);
constexpr int TimeSteps = bench::bySize(2, 5, 5);
constexpr int BlockX = 32;
constexpr int BlockY = 16;
constexpr int OuterX = SizeX + 2 * Radius;
constexpr int OuterY = SizeY + 2 * Radius;
constexpr int OuterZ = SizeZ + 2 * Radius;
constexpr float HostCoefficients[Radius + 1] = {0.1f, 0.15f, 0.1f, 0.08f,
                                                0.05f};
constexpr uint32_t SeedVolume = 1;

__constant__ float stencil[Radius + 1];

__global__ void fdtd3d(float *BENCH_MAY_RESTRICT output,
                       const float *BENCH_MAY_RESTRICT input, int sizeX,
                       int sizeY, int sizeZ) {
  __shared__ float tile[BlockY + 2 * Radius][BlockX + 2 * Radius];
  const int x = blockIdx.x * BlockX + threadIdx.x;
  const int y = blockIdx.y * BlockY + threadIdx.y;
  const int tx = threadIdx.x + Radius;
  const int ty = threadIdx.y + Radius;
  const int strideY = sizeX + 2 * Radius;
  const int strideZ = strideY * (sizeY + 2 * Radius);
  const bool reads = x < sizeX + Radius && y < sizeY + Radius;
  const bool writes = x < sizeX && y < sizeY;

  int in = (y + Radius) * strideY + x + Radius;
  float front[Radius] = {}, behind[Radius] = {}, current = 0;
#pragma unroll
  for (int i = Radius - 2; i >= 0; --i) {
    if (reads)
      behind[i] = input[in];
    in += strideZ;
  }
  if (reads)
    current = input[in];
  int out = in;
  in += strideZ;
#pragma unroll
  for (int i = 0; i < Radius; ++i) {
    if (reads)
      front[i] = input[in];
    in += strideZ;
  }

  for (int z = 0; z < sizeZ; ++z) {
#pragma unroll
    for (int i = Radius - 1; i > 0; --i)
      behind[i] = behind[i - 1];
    behind[0] = current;
    current = front[0];
#pragma unroll
    for (int i = 0; i < Radius - 1; ++i)
      front[i] = front[i + 1];
    if (reads)
      front[Radius - 1] = input[in];
    in += strideZ;
    out += strideZ;
    __syncthreads();

    if (threadIdx.y < Radius && reads) {
      tile[threadIdx.y][tx] = input[out - Radius * strideY];
      if (y + BlockY < sizeY + Radius)
        tile[threadIdx.y + BlockY + Radius][tx] = input[out + BlockY * strideY];
    }
    if (threadIdx.x < Radius && reads) {
      tile[ty][threadIdx.x] = input[out - Radius];
      if (x + BlockX < sizeX + Radius)
        tile[ty][threadIdx.x + BlockX + Radius] = input[out + BlockX];
    }
    tile[ty][tx] = current;
    __syncthreads();

    float value = stencil[0] * current;
#pragma unroll
    for (int i = 1; i <= Radius; ++i)
      value +=
          stencil[i] * (front[i - 1] + behind[i - 1] + tile[ty - i][tx] +
                        tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]);
    if (writes)
      output[out] = value;
  }
}

/// The value at (X, Y, Z), padding included, after all time steps: of the cube
/// that it depends on, which shrinks by the radius with each step.
static double valueAfter(int X, int Y, int Z) {
  constexpr int Reach = Radius * TimeSteps;
  constexpr int Edge = 2 * Reach + 1;
  auto At = [](int I, int J, int K) {
    return (size_t(K) * Edge + J) * Edge + I;
  };
  auto IsWithin = [](int Place, int Outer) {
    return Place >= 0 && Place < Outer;
  };
  auto IsInner = [](int Place, int Outer) {
    return Place >= Radius && Place < Outer - Radius;
  };
  static std::vector<double> Now, Next;
  Now.assign(size_t(Edge) * Edge * Edge, 0);
  for (int K = 0; K < Edge; ++K)
    for (int J = 0; J < Edge; ++J)
      for (int I = 0; I < Edge; ++I) {
        int GlobalX = X - Reach + I, GlobalY = Y - Reach + J,
            GlobalZ = Z - Reach + K;
        if (IsWithin(GlobalX, OuterX) && IsWithin(GlobalY, OuterY) &&
            IsWithin(GlobalZ, OuterZ))
          Now[At(I, J, K)] = bench::valueAt(
              SeedVolume,
              (size_t(GlobalZ) * OuterY + GlobalY) * OuterX + GlobalX);
      }
  Next = Now;
  for (int Step = 1; Step <= TimeSteps; ++Step) {
    int Low = Step * Radius, High = Edge - Low;
    for (int K = Low; K < High; ++K)
      for (int J = Low; J < High; ++J)
        for (int I = Low; I < High; ++I) {
          if (!IsInner(X - Reach + I, OuterX) ||
              !IsInner(Y - Reach + J, OuterY) ||
              !IsInner(Z - Reach + K, OuterZ))
            continue;
          double Value = HostCoefficients[0] * Now[At(I, J, K)];
          for (int R = 1; R <= Radius; ++R)
            Value += HostCoefficients[R] *
                     (Now[At(I - R, J, K)] + Now[At(I + R, J, K)] +
                      Now[At(I, J - R, K)] + Now[At(I, J + R, K)] +
                      Now[At(I, J, K - R)] + Now[At(I, J, K + R)]);
          Next[At(I, J, K)] = Value;
        }
    std::swap(Now, Next);
  }
  return Now[At(Reach, Reach, Reach)];
}

int main() {
  CUDA_CHECK(
      cudaMemcpyToSymbol(stencil, HostCoefficients, sizeof(HostCoefficients)));
  constexpr size_t Volume = size_t(OuterX) * OuterY * OuterZ;
  // The padding keeps its values, so both volumes need them.
  bench::DeviceArray<float> Even(Volume, SeedVolume), Odd(Volume, SeedVolume);
  dim3 Block(BlockX, BlockY);
  dim3 Grid((SizeX + BlockX - 1) / BlockX, (SizeY + BlockY - 1) / BlockY);
  for (int Step = 0; Step < TimeSteps; ++Step) {
    if (Step % 2 == 0)
      fdtd3d<<<Grid, Block>>>(Odd, Even, SizeX, SizeY, SizeZ);
    else
      fdtd3d<<<Grid, Block>>>(Even, Odd, SizeX, SizeY, SizeZ);
    CUDA_CHECK(cudaGetLastError());
  }

  bench::Program Program("fdtd3d");
  Program.check("volume", TimeSteps % 2 ? Odd : Even,
                [](size_t Index, float Got) {
                  int X = Index % OuterX, Y = Index / OuterX % OuterY;
                  int Z = Index / (size_t(OuterX) * OuterY);
                  return bench::isClose(Got, valueAfter(X, Y, Z));
                });
  return Program.verdict();
}
