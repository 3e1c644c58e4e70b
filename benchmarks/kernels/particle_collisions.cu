// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collisions of the CUDA SDK's particles: balls that lie sorted by the
// cells of a uniform grid, one per thread, each of which meets those of the 27
// cells about it; balls that touch are pushed apart by springs and slowed by
// dampers and friction (the discrete element method). The CPU sorts.
// Neighbouring threads meet much the same balls: limited by the latency of
// caches.
//
#include "common.h"

constexpr int GridWidth = bench::bySize(8, 64, 128);
constexpr int GridDepth = bench::bySize(8, 64, 64);
constexpr int GridCells = GridWidth * GridWidth * GridDepth;
constexpr int Particles = bench::bySize(2048, 65536, 4 * GridCells);
constexpr int BlockSize = 256;
constexpr float Radius = 0.45f; // a cell's width is 1
constexpr uint32_t SeedPosition = 1;
constexpr uint32_t SeedVelocity = 2;

struct Material {
  float radius, spring, damping, shear, attraction;
};

namespace bench {
inline float4 positionAt(size_t I) {
  return {GridWidth * valueAt(SeedPosition, 3 * I),
          GridWidth * valueAt(SeedPosition, 3 * I + 1),
          GridDepth * valueAt(SeedPosition, 3 * I + 2), 1};
}
inline float4 velocityAt(size_t I) {
  return {valueAt(SeedVelocity, 3 * I) - 0.5f,
          valueAt(SeedVelocity, 3 * I + 1) - 0.5f,
          valueAt(SeedVelocity, 3 * I + 2) - 0.5f, 0};
}
} // namespace bench

__host__ __device__ inline float3 operator+(float3 a, float3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__host__ __device__ inline float3 operator-(float3 a, float3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__host__ __device__ inline float3 operator*(float a, float3 b) {
  return {a * b.x, a * b.y, a * b.z};
}
__host__ __device__ inline float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__host__ __device__ inline float3 xyz(float4 a) { return {a.x, a.y, a.z}; }

/// What a ball at b does to one at a.
__host__ __device__ inline float3 collide(float3 a, float3 b, float3 velocityA,
                                          float3 velocityB,
                                          const Material &material) {
  float3 between = b - a;
  float distance = sqrtf(dot(between, between));
  float reach = 2 * material.radius;
  if (distance >= reach)
    return {0, 0, 0};
  float3 normal = (1 / distance) * between;
  float3 velocity = velocityB - velocityA;
  float3 sliding = velocity - dot(velocity, normal) * normal;
  return (-material.spring * (reach - distance)) * normal +
         material.damping * velocity + material.shear * sliding +
         material.attraction * between;
}

__global__ void particle_collisions(const float4 *BENCH_MAY_RESTRICT positions,
                                    const float4 *BENCH_MAY_RESTRICT velocities,
                                    const int *BENCH_MAY_RESTRICT cellBegin,
                                    const int *BENCH_MAY_RESTRICT cellEnd,
                                    float4 *BENCH_MAY_RESTRICT newVelocities,
                                    int particles, int width, int depth,
                                    Material material) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles)
    return;
  float3 position = xyz(positions[i]);
  float3 velocity = xyz(velocities[i]);
  int cellX = int(position.x), cellY = int(position.y), cellZ = int(position.z);

  float3 force = {0, 0, 0};
  for (int z = max(cellZ - 1, 0); z <= min(cellZ + 1, depth - 1); ++z)
    for (int y = max(cellY - 1, 0); y <= min(cellY + 1, width - 1); ++y)
      for (int x = max(cellX - 1, 0); x <= min(cellX + 1, width - 1); ++x) {
        int cell = (z * width + y) * width + x;
        int end = cellEnd[cell];
        for (int j = cellBegin[cell]; j < end; ++j)
          if (j != i)
            force = force + collide(position, xyz(positions[j]), velocity,
                                    xyz(velocities[j]), material);
      }
  newVelocities[i] = {velocity.x + force.x, velocity.y + force.y,
                      velocity.z + force.z, 0};
}

static int cellOf(float4 P) {
  return (int(P.z) * GridWidth + int(P.y)) * GridWidth + int(P.x);
}

int main() {
  // Sorted by counting.
  std::vector<int> Begin(GridCells), End(GridCells);
  for (size_t I = 0; I < Particles; ++I)
    ++End[cellOf(bench::positionAt(I))];
  for (int Cell = 0, Sum = 0; Cell < GridCells; ++Cell) {
    Begin[Cell] = Sum;
    Sum += End[Cell];
    End[Cell] = Begin[Cell];
  }
  std::vector<float4> Position(Particles), Velocity(Particles);
  for (size_t I = 0; I < Particles; ++I) {
    float4 P = bench::positionAt(I);
    int Place = End[cellOf(P)]++;
    Position[Place] = P;
    Velocity[Place] = bench::velocityAt(I);
  }
  bench::DeviceArray<float4> Positions(Position), Velocities(Velocity);
  bench::DeviceArray<float4> NewVelocities(Particles);
  bench::DeviceArray<int> CellBegin(Begin), CellEnd(End);
  const Material Steel = {Radius, 0.5f, 0.02f, 0.1f, 0.01f};

  particle_collisions<<<(Particles + BlockSize - 1) / BlockSize, BlockSize>>>(
      Positions, Velocities, CellBegin, CellEnd, NewVelocities, Particles,
      GridWidth, GridDepth, Steel);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("particle_collisions");
  Program.check("velocities", NewVelocities, [&](size_t I, float4 Got) {
    float4 P = Position[I];
    float3 Sum = xyz(Velocity[I]);
    float Size = 1;
    // All in the cells about it, found by their places.
    for (int Z = -1; Z <= 1; ++Z)
      for (int Y = -1; Y <= 1; ++Y)
        for (int X = -1; X <= 1; ++X) {
          int CX = int(P.x) + X, CY = int(P.y) + Y, CZ = int(P.z) + Z;
          if (CX < 0 || CY < 0 || CZ < 0 || CX >= GridWidth ||
              CY >= GridWidth || CZ >= GridDepth)
            continue;
          int Cell = (CZ * GridWidth + CY) * GridWidth + CX;
          for (int J = Begin[Cell]; J < End[Cell]; ++J) {
            if (size_t(J) == I)
              continue;
            float3 Force = collide(xyz(P), xyz(Position[J]), xyz(Velocity[I]),
                                   xyz(Velocity[J]), Steel);
            Sum = Sum + Force;
            Size += std::sqrt(dot(Force, Force));
          }
        }
    auto isClose = [&](float A, float B) {
      return std::abs(A - B) < 1e-4f * Size;
    };
    return isClose(Got.x, Sum.x) && isClose(Got.y, Sum.y) &&
           isClose(Got.z, Sum.z) && Got.w == 0;
  });
  return Program.verdict();
}
