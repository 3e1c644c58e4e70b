// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Every body pulls every other: float4 positions through shared memory, tile by tile.
#include "Inputs/check.h"

const int Threads = 64;

__global__ void accelerate(const float4 *bodies, float4 *speed, int n, float time) {
  __shared__ float4 tile[Threads];
  int i = blockIdx.x * Threads + threadIdx.x;
  float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float ax = 0, ay = 0, az = 0;
  for (int at = 0; at < n; at += Threads) {
    tile[threadIdx.x] = at + threadIdx.x < n ? bodies[at + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < Threads; ++j) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float pull = tile[j].w * inverse * inverse * inverse;
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    __syncthreads();
  }
  if (i < n) {
    speed[i].x += ax * time;
    speed[i].y += ay * time;
    speed[i].z += az * time;
  }
}

__global__ void move(float4 *bodies, const float4 *speed, int n, float time) {
  int i = blockIdx.x * Threads + threadIdx.x;
  if (i < n) {
    bodies[i].x += speed[i].x * time;
    bodies[i].y += speed[i].y * time;
    bodies[i].z += speed[i].z * time;
  }
}

int main() {
  const int n = 300, steps = 3;
  const float time = 0.01f;
  std::vector<float4> bodies(n), speed(n, float4{0, 0, 0, 0});
  for (int i = 0; i < n; ++i)
    bodies[i] = {std::sin(i * 1.f), std::cos(i * 2.f), std::sin(i * 3.f), 1.f / (1 + i % 5)};
  float4 *b, *s;
  CUDA(cudaMalloc((void **)&b, n * sizeof(float4)));
  CUDA(cudaMalloc((void **)&s, n * sizeof(float4)));
  CUDA(cudaMemcpy(b, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(s, speed.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
  for (int step = 0; step < steps; ++step) {
    accelerate<<<(n + Threads - 1) / Threads, Threads>>>(b, s, n, time);
    move<<<(n + Threads - 1) / Threads, Threads>>>(b, s, n, time);
    for (int i = 0; i < n; ++i) {
      double a[3] = {};
      for (int j = 0; j < n; ++j) {
        double d[3] = {bodies[j].x - bodies[i].x, bodies[j].y - bodies[i].y,
                       bodies[j].z - bodies[i].z};
        double inverse = 1 / std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01);
        for (int k = 0; k < 3; ++k)
          a[k] += d[k] * bodies[j].w * inverse * inverse * inverse;
      }
      speed[i].x += a[0] * time;
      speed[i].y += a[1] * time;
      speed[i].z += a[2] * time;
    }
    for (int i = 0; i < n; ++i) {
      bodies[i].x += speed[i].x * time;
      bodies[i].y += speed[i].y * time;
      bodies[i].z += speed[i].z * time;
    }
  }
  Buffer<float> got(4 * n);
  CUDA(cudaMemcpy(got, b, n * sizeof(float4), cudaMemcpyDeviceToDevice));
  got.near("bodies", 1e-4, [&](size_t i) { return ((float *)bodies.data())[i]; });
  CUDA(cudaMemcpy(got, s, n * sizeof(float4), cudaMemcpyDeviceToDevice));
  got.near("speed", 1e-4, [&](size_t i) { return ((float *)speed.data())[i]; });
  CUDA(cudaFree(b));
  CUDA(cudaFree(s));
  return finish();
}
