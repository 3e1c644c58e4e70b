// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flow by which Rodinia's leukocyte tracks cells: the strength of the edges
// about each cell spreads along the direction in which the cell moves (N. Ray
// and S. Acton, "Motion Gradient Vector Flow"), until it hardly changes. A
// block per cell, whose small image stays in shared memory; a thread has eleven
// of its pixels and keeps their own strengths and new values in registers.
// Eight arc tangents for each pixel and step: limited by arithmetic and by
// registers.
//
#include "common.h"

constexpr int Cells = bench::bySize(2, 36, 4 * 132 * 6);
constexpr int MaxSteps = bench::bySize(8, 200, 40);
constexpr int Rows = 41;
constexpr int Columns = 81;
constexpr int Pixels = Rows * Columns;
constexpr int BlockSize = 320;
constexpr int PerThread = (Pixels + BlockSize - 1) / BlockSize;
constexpr float Spread = 0.1f;
constexpr float Hold = 0.2f;
constexpr float Sharpness = 20;
constexpr float Enough = 2e-4f; // mean change of a step
constexpr float Pi = 3.14159265f;
constexpr uint32_t SeedEdge = 1;
constexpr uint32_t SeedDirection = 2;

namespace bench {
/// An ellipse with noise about it.
__host__ __device__ inline float edgeAt(size_t I) {
  size_t Cell = I / Pixels;
  int X = I % Pixels % Columns - Columns / 2;
  int Y = I % Pixels / Columns - Rows / 2;
  int Distance = X * X + 4 * Y * Y;
  int Radius = 20 + bitsAt(SeedDirection, 3 * Cell + 2) % 16;
  bool OnEdge = Distance > Radius * Radius && Distance < 2 * Radius * Radius;
  return 0.2f * valueAt(SeedEdge, I) + (OnEdge ? 0.8f : 0.0f);
}

__host__ __device__ inline float2 directionAt(size_t Cell) {
  return {2 * valueAt(SeedDirection, 3 * Cell) - 1,
          2 * valueAt(SeedDirection, 3 * Cell + 1) - 1};
}

__global__ void fillCells(float *Edges, float2 *Directions) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Cells * Pixels)
    Edges[I] = edgeAt(I);
  if (I < Cells)
    Directions[I] = directionAt(I);
}
} // namespace bench

/// A step from 0 to 1, softened.
__device__ inline float heaviside(float x) {
  return 0.5f + atanf(x * Sharpness) / Pi;
}

/// How much comes from the neighbour at (dx, dy).
__device__ inline float flowFrom(const float *image, int x, int y, int dx,
                                 int dy, float2 direction) {
  int column = min(max(x + dx, 0), Columns - 1);
  int row = min(max(y + dy, 0), Rows - 1);
  float difference = image[row * Columns + column] - image[y * Columns + x];
  float along = direction.x * dx + direction.y * dy;
  return heaviside(difference * along) * difference;
}

__global__ void leukocyte_flow(const float *BENCH_MAY_RESTRICT edges,
                               const float2 *BENCH_MAY_RESTRICT directions,
                               float *BENCH_MAY_RESTRICT flow, int maxSteps,
                               float spread, float hold, float enough) {
  __shared__ float image[Pixels];
  __shared__ float changes[BlockSize];
  const int thread = threadIdx.x;
  const float2 direction = directions[blockIdx.x];
  float edge[PerThread];
#pragma unroll
  for (int i = 0; i < PerThread; ++i) {
    int pixel = thread + i * BlockSize;
    if (pixel < Pixels) {
      edge[i] = edges[blockIdx.x * Pixels + pixel];
      image[pixel] = edge[i];
    }
  }
  __syncthreads();

  for (int step = 0; step < maxSteps; ++step) {
    float next[PerThread];
    float change = 0;
#pragma unroll
    for (int i = 0; i < PerThread; ++i) {
      int pixel = thread + i * BlockSize;
      if (pixel < Pixels) {
        int x = pixel % Columns, y = pixel / Columns;
        float sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0)
              sum += flowFrom(image, x, y, dx, dy, direction);
        float old = image[pixel];
        next[i] = old + spread * sum - hold * edge[i] * (old - edge[i]);
        change += fabsf(next[i] - old);
      }
    }
    __syncthreads();

#pragma unroll
    for (int i = 0; i < PerThread; ++i)
      if (thread + i * BlockSize < Pixels)
        image[thread + i * BlockSize] = next[i];
    changes[thread] = change;
    __syncthreads();
    for (int count = BlockSize; count > 1; count = (count + 1) / 2) {
      int half = (count + 1) / 2;
      if (thread + half < count)
        changes[thread] += changes[thread + half];
      __syncthreads();
    }
    if (changes[0] < enough * Pixels)
      break;
  }

  for (int pixel = thread; pixel < Pixels; pixel += BlockSize)
    flow[blockIdx.x * Pixels + pixel] = image[pixel];
}

/// A cell's image when it hardly changes.
static std::vector<double> flowOf(size_t Cell) {
  std::vector<double> Edge(Pixels), Image, Next(Pixels);
  for (size_t I = 0; I < Pixels; ++I)
    Edge[I] = bench::edgeAt(Cell * Pixels + I);
  Image = Edge;
  float2 Direction = bench::directionAt(Cell);
  for (int Step = 0; Step < MaxSteps; ++Step) {
    double Change = 0;
    for (int Y = 0; Y < Rows; ++Y)
      for (int X = 0; X < Columns; ++X) {
        double Old = Image[Y * Columns + X], E = Edge[Y * Columns + X], Sum = 0;
        for (int DY = -1; DY <= 1; ++DY)
          for (int DX = -1; DX <= 1; ++DX) {
            double Difference =
                Image[std::clamp(Y + DY, 0, Rows - 1) * Columns +
                      std::clamp(X + DX, 0, Columns - 1)] -
                Old;
            double Along = double(Direction.x) * DX + double(Direction.y) * DY;
            Sum += Difference *
                   (0.5 + std::atan(Sharpness * Difference * Along) / M_PI);
          }
        double &New = Next[Y * Columns + X];
        New = Old + Spread * Sum - Hold * E * (Old - E);
        Change += std::abs(New - Old);
      }
    Image.swap(Next);
    if (Change < double(Enough) * Pixels)
      break;
  }
  return Image;
}

int main() {
  bench::DeviceArray<float> Edges(size_t(Cells) * Pixels);
  bench::DeviceArray<float> Flow(size_t(Cells) * Pixels);
  bench::DeviceArray<float2> Directions(Cells);
  bench::fillCells<<<(Cells * Pixels + 255) / 256, 256>>>(Edges, Directions);
  CUDA_CHECK(cudaGetLastError());

  leukocyte_flow<<<Cells, BlockSize>>>(Edges, Directions, Flow, MaxSteps,
                                       Spread, Hold, Enough);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("leukocyte_flow");
  std::vector<float> Got = Flow.toHost();
  bool Right = true;
  for (size_t Cell : {0, Cells / 2, Cells - 1}) {
    std::vector<double> Expected = flowOf(Cell);
    // A sum just at what is enough may make for one step more.
    for (size_t I = 0; I < Pixels; ++I)
      Right &= std::abs(Got[Cell * Pixels + I] - Expected[I]) < 2e-3;
  }
  Program.check("flow", Right);
  return Program.verdict();
}
