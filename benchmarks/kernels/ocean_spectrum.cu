// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The spectrum of an ocean's surface at one time, as the CUDA SDK's oceanFFT
// makes it before the Fourier transform: one thread per wave vector turns the
// waves that run with it and against it by their angle (J. Tessendorf,
// "Simulating Ocean Water"), and writes the heights and the two horizontal
// displacements, which are real and go as one complex number. A sine, a
// cosine, two roots and a reciprocal for 32 bytes: limited by memory.
//
#include "common.h"

constexpr int Size = bench::bySize(64, 256, 4096);
constexpr int BlockWidth = 32;
constexpr int BlockHeight = 8;
constexpr float PatchSize = 400; // metres
constexpr float Gravity = 9.81f;
constexpr float Pi = 3.14159265f;
constexpr float Time = 7.5f;
constexpr uint32_t SeedReal = 1;
constexpr uint32_t SeedImaginary = 2;

namespace bench {
/// The waves at time 0: any complex numbers will do.
__host__ __device__ inline float2 waveAt(size_t I) {
  return {valueAt(SeedReal, I) - 0.5f, valueAt(SeedImaginary, I) - 0.5f};
}

__global__ void fillWaves(float2 *Waves) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  Waves[I] = waveAt(I);
}
} // namespace bench

__device__ inline float2 multiply(float2 a, float2 b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

__global__ void ocean_spectrum(const float2 *BENCH_MAY_RESTRICT waves,
                               float2 *BENCH_MAY_RESTRICT height,
                               float2 *BENCH_MAY_RESTRICT displacement,
                               int size, float patch, float time) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size)
    return;

  float kx = (x - size / 2) * (2 * Pi / patch);
  float ky = (y - size / 2) * (2 * Pi / patch);
  float length = sqrtf(kx * kx + ky * ky);
  float angle = sqrtf(Gravity * length) * time;
  float2 turn;
  sincosf(angle, &turn.y, &turn.x);

  // The opposite vector's place; the first row and column are their own.
  int there = (size - y) % size * size + (size - x) % size;
  float2 with = multiply(waves[y * size + x], turn);
  float2 wave = waves[there];
  float2 against = multiply({wave.x, -wave.y}, {turn.x, -turn.y});
  float2 sum = {with.x + against.x, with.y + against.y};
  height[y * size + x] = sum;

  float inverse = length > 0 ? 1 / length : 0;
  displacement[y * size + x] = multiply(sum, {ky * inverse, -kx * inverse});
}

/// Height, then displacement, in double precision.
static void spectrumOf(size_t I, double Result[4]) {
  int X = I % Size, Y = I / Size;
  double KX = (X - Size / 2) * 2 * M_PI / PatchSize;
  double KY = (Y - Size / 2) * 2 * M_PI / PatchSize;
  double Length = std::hypot(KX, KY);
  double Angle = std::sqrt(double(Gravity) * Length) * Time;
  double Cos = std::cos(Angle), Sin = std::sin(Angle);
  float2 A = bench::waveAt(I);
  float2 B =
      bench::waveAt(size_t(Size - Y) % Size * Size + size_t(Size - X) % Size);
  Result[0] = A.x * Cos - A.y * Sin + B.x * Cos - B.y * Sin;
  Result[1] = A.x * Sin + A.y * Cos - B.x * Sin - B.y * Cos;
  double UX = Length > 0 ? KX / Length : 0, UY = Length > 0 ? KY / Length : 0;
  Result[2] = Result[0] * UY + Result[1] * UX;
  Result[3] = Result[1] * UY - Result[0] * UX;
}

int main() {
  constexpr size_t Count = size_t(Size) * Size;
  bench::DeviceArray<float2> Waves(Count), Height(Count), Displacement(Count);
  bench::fillWaves<<<Count / 256, 256>>>(Waves);
  CUDA_CHECK(cudaGetLastError());

  dim3 Block(BlockWidth, BlockHeight);
  dim3 Grid((Size + BlockWidth - 1) / BlockWidth,
            (Size + BlockHeight - 1) / BlockHeight);
  ocean_spectrum<<<Grid, Block>>>(Waves, Height, Displacement, Size, PatchSize,
                                  Time);
  CUDA_CHECK(cudaGetLastError());

  // The waves are about 1, and their angle up to 200.
  auto isClose = [](float2 Got, const double *Expected) {
    return std::abs(Got.x - Expected[0]) < 1e-4 &&
           std::abs(Got.y - Expected[1]) < 1e-4;
  };
  bench::Program Program("ocean_spectrum");
  Program.check("height", Height, [&](size_t I, float2 Got) {
    double Expected[4];
    spectrumOf(I, Expected);
    return isClose(Got, Expected);
  });
  Program.check("displacement", Displacement, [&](size_t I, float2 Got) {
    double Expected[4];
    spectrumOf(I, Expected);
    return isClose(Got, Expected + 2);
  });
  return Program.verdict();
}
