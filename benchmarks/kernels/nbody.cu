// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA SDK's nbody: one body per thread, the forces of all bodies on it,
// whose positions go through shared memory in tiles of a block's size. A dozen
// arithmetic instructions and a reciprocal root per pair: limited by these.
//
#include "common.h"

#ifndef UNROLLED
#define UNROLLED 128
#endif

constexpr int BlockSize = 256;
constexpr int Unrolled = UNROLLED; // iterations, as the SDK's
constexpr float TimeStep = 0.016f;
constexpr float Damping = 0.995f;
constexpr float Softening = 0.1f;
constexpr uint32_t SeedPosition = 1;
constexpr uint32_t SeedVelocity = 2;

namespace bench {
/// In [-1, 1)^3; w is the mass.
__host__ __device__ inline float4 positionAt(size_t Body) {
  return {2 * valueAt(SeedPosition, 4 * Body) - 1,
          2 * valueAt(SeedPosition, 4 * Body + 1) - 1,
          2 * valueAt(SeedPosition, 4 * Body + 2) - 1,
          0.5f + valueAt(SeedPosition, 4 * Body + 3)};
}
__host__ __device__ inline float4 velocityAt(size_t Body) {
  return {valueAt(SeedVelocity, 4 * Body), valueAt(SeedVelocity, 4 * Body + 1),
          valueAt(SeedVelocity, 4 * Body + 2), 0};
}

__global__ void fillBodies(float4 *Position, float4 *Velocity, int Bodies) {
  int Body = blockIdx.x * blockDim.x + threadIdx.x;
  if (Body < Bodies) {
    Position[Body] = positionAt(Body);
    Velocity[Body] = velocityAt(Body);
  }
}
} // namespace bench

/// The acceleration of a body at a by the body at b, added to sum.
__device__ inline float3 interact(float3 sum, float4 a, float4 b) {
  float x = b.x - a.x;
  float y = b.y - a.y;
  float z = b.z - a.z;
  float squared = x * x + y * y + z * z + Softening * Softening;
  float inverse = rsqrtf(squared);
  float scale = b.w * inverse * inverse * inverse;
  sum.x += x * scale;
  sum.y += y * scale;
  sum.z += z * scale;
  return sum;
}

__global__ void nbody(float4 *BENCH_RESTRICT newPosition,
                      const float4 *BENCH_RESTRICT position,
                      float4 *BENCH_RESTRICT velocity, int bodies,
                      float timeStep, float damping) {
  __shared__ float4 tile[BlockSize];
  int body = blockIdx.x * blockDim.x + threadIdx.x;
  float4 p = position[body];
  float3 acceleration = {0, 0, 0};
  for (int begin = 0; begin < bodies; begin += BlockSize) {
    tile[threadIdx.x] = position[begin + threadIdx.x];
    __syncthreads();
#pragma unroll Unrolled
    for (int i = 0; i < BlockSize; ++i)
      acceleration = interact(acceleration, p, tile[i]);
    __syncthreads();
  }

  float4 v = velocity[body];
  v.x = (v.x + acceleration.x * timeStep) * damping;
  v.y = (v.y + acceleration.y * timeStep) * damping;
  v.z = (v.z + acceleration.z * timeStep) * damping;
  p.x += v.x * timeStep;
  p.y += v.y * timeStep;
  p.z += v.z * timeStep;
  newPosition[body] = p;
  velocity[body] = v;
}

static bool isRight(size_t Body, float4 Got, const std::vector<float4> &All) {
  float4 P = All[Body], V = bench::velocityAt(Body);
  double X = 0, Y = 0, Z = 0;
  for (const float4 &Other : All) {
    double DX = double(Other.x) - P.x, DY = double(Other.y) - P.y,
           DZ = double(Other.z) - P.z;
    double Squared = DX * DX + DY * DY + DZ * DZ + Softening * Softening;
    double Scale = Other.w / (Squared * std::sqrt(Squared));
    X += DX * Scale;
    Y += DY * Scale;
    Z += DZ * Scale;
  }
  // The forces from both sides all but cancel, so what counts is the error
  // beside their size: as many bodies' pull at a distance of one.
  double Tolerance = 5e-5 * All.size() * TimeStep;
  auto IsClose = [&](float Got, float V, double Sum) {
    return std::abs(Got - (V + Sum * TimeStep) * Damping) < Tolerance;
  };
  return IsClose(Got.x, V.x, X) && IsClose(Got.y, V.y, Y) &&
         IsClose(Got.z, V.z, Z);
}

int main(int ArgC, char **ArgV) {
  int Bodies = bench::numberOption(ArgC, ArgV, "bodies",
                                   bench::bySize(1024, 16384, 132 * 2048));
  Bodies = Bodies / BlockSize * BlockSize;
  int Blocks = Bodies / BlockSize;
  bench::DeviceArray<float4> Position(Bodies), NewPosition(Bodies);
  bench::DeviceArray<float4> Velocity(Bodies);
  bench::fillBodies<<<Blocks, BlockSize>>>(Position, Velocity, Bodies);
  CUDA_CHECK(cudaGetLastError());

  nbody<<<Blocks, BlockSize>>>(NewPosition, Position, Velocity, Bodies,
                               TimeStep, Damping);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("nbody");
  std::vector<float4> All = Position.toHost();
  std::vector<float4> Velocities = Velocity.toHost();
  Program.check("velocity", Velocity, [&](size_t Body, float4 Got) {
    return isRight(Body, Got, All);
  });
  Program.check("position", NewPosition, [&](size_t Body, float4 Got) {
    float4 P = All[Body], V = Velocities[Body];
    auto IsClose = [](float Got, float P, float V) {
      return std::abs(Got - (P + double(V) * TimeStep)) <
             1e-5 * (1 + std::abs(V));
    };
    return IsClose(Got.x, P.x, V.x) && IsClose(Got.y, P.y, V.y) &&
           IsClose(Got.z, P.z, V.z) && Got.w == P.w;
  });
  return Program.verdict();
}
