// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's "naive" particle filter, which tracks a disk through a video. The
// CPU moves and weighs the particles; the kernel resamples them, one thread per
// new particle: each searches the cumulated weights from the start for the
// first that reaches its own threshold. A warp walks the same line of doubles,
// so it is limited by the latency of cache hits, N/2 of them a thread.
//
#include "common.h"

constexpr int Particles = bench::bySize(1024, 4000, 132 * 2048);
constexpr int Frames = bench::bySize(3, 10, 4);
constexpr int BlockSize = 128;
constexpr int Width = 128;
constexpr int Height = 128;
constexpr int Radius = 5;
constexpr uint32_t SeedFirst = 1;
constexpr uint32_t SeedSecond = 2;
constexpr uint32_t SeedThreshold = 3;
constexpr uint32_t SeedPixel = 100;

__global__ void find_index(const double *BENCH_MAY_RESTRICT arrayX,
                           const double *BENCH_MAY_RESTRICT arrayY,
                           const double *BENCH_MAY_RESTRICT CDF,
                           const double *BENCH_MAY_RESTRICT u,
                           double *BENCH_MAY_RESTRICT xj,
                           double *BENCH_MAY_RESTRICT yj, int count) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < count) {
    int index = -1;
    for (int x = 0; x < count; x++) {
      if (CDF[x] >= u[i]) {
        index = x;
        break;
      }
    }
    if (index == -1)
      index = count - 1;
    xj[i] = arrayX[index];
    yj[i] = arrayY[index];
  }
}

/// The disk's centre in a frame; it moves right by one and up by two.
static int diskX(int Frame) { return Width / 2 + Frame; }
static int diskY(int Frame) { return Height / 2 - 2 * Frame; }

/// A pixel of the noisy video: about 228 inside the disk, about 100 outside.
static int pixel(int X, int Y, int Frame) {
  int DX = X - diskX(Frame), DY = Y - diskY(Frame);
  int Level = DX * DX + DY * DY < Radius * Radius ? 218 : 90;
  return Level + bench::bitsAt(SeedPixel + Frame, Y * Width + X) % 21;
}

static double gaussian(size_t Index) {
  double First = 1 - double(bench::valueAt(SeedFirst, Index));
  double Second = bench::valueAt(SeedSecond, Index);
  return std::sqrt(-2 * std::log(First)) *
         std::cos(2 * 3.14159265358979323846 * Second);
}

/// How much better the disk around (CentreX, CentreY) fits the inside level
/// than the outside one, by the mean over its pixels.
static double logLikelihood(const std::vector<int> &Image, double CentreX,
                            double CentreY) {
  double Sum = 0;
  int Count = 0;
  int RoundedX = static_cast<int>(std::lround(CentreX));
  int RoundedY = static_cast<int>(std::lround(CentreY));
  for (int DY = -Radius + 1; DY < Radius; ++DY)
    for (int DX = -Radius + 1; DX < Radius; ++DX) {
      if (DX * DX + DY * DY >= Radius * Radius)
        continue;
      int X = std::clamp(RoundedX + DX, 0, Width - 1);
      int Y = std::clamp(RoundedY + DY, 0, Height - 1);
      int Value = Image[Y * Width + X];
      Sum += ((Value - 100) * (Value - 100) - (Value - 228) * (Value - 228)) /
             50.0;
      ++Count;
    }
  return Sum / Count;
}

int main(int ArgC, char **ArgV) {
  const int Count = bench::numberOption(ArgC, ArgV, "particles", Particles);
  std::vector<double> X(Count, diskX(0)), Y(Count, diskY(0));
  std::vector<double> Weight(Count, 1.0 / Count), CDF(Count), U(Count);
  std::vector<int> Image(Width * Height);
  bench::DeviceArray<double> ArrayX(Count), ArrayY(Count), DeviceCDF(Count),
      DeviceU(Count), XJ(Count), YJ(Count);
  bench::Program Program("particle_filter");

  for (int Frame = 1; Frame < Frames; ++Frame) {
    for (int J = 0; J < Height; ++J)
      for (int I = 0; I < Width; ++I)
        Image[J * Width + I] = pixel(I, J, Frame);

    // Move by the model with noise, then weigh. The best particle's exponent
    // is taken out, for else all weights could overflow.
    std::vector<double> Likelihood(Count);
    double Best = -1e300;
    for (int I = 0; I < Count; ++I) {
      size_t Draw = 2 * (size_t(Frame) * Count + I);
      X[I] += 1 + 5 * gaussian(Draw);
      Y[I] += -2 + 2 * gaussian(Draw + 1);
      Likelihood[I] = logLikelihood(Image, X[I], Y[I]) / 50;
      Best = std::max(Best, Likelihood[I]);
    }
    double Sum = 0;
    for (int I = 0; I < Count; ++I)
      Sum += Weight[I] *= std::exp(Likelihood[I] - Best);
    double Cumulated = 0;
    for (int I = 0; I < Count; ++I)
      CDF[I] = Cumulated += Weight[I] /= Sum;
    double Start = double(bench::valueAt(SeedThreshold, Frame)) / Count;
    for (int I = 0; I < Count; ++I)
      U[I] = Start + double(I) / Count;

    ArrayX.fromHost(X);
    ArrayY.fromHost(Y);
    DeviceCDF.fromHost(CDF);
    DeviceU.fromHost(U);
    find_index<<<(Count + BlockSize - 1) / BlockSize, BlockSize>>>(
        ArrayX, ArrayY, DeviceCDF, DeviceU, XJ, YJ, Count);
    CUDA_CHECK(cudaGetLastError());

    // The weights only grow when cumulated, so bisection finds the same.
    std::vector<double> ExpectedX(Count), ExpectedY(Count);
    for (int I = 0; I < Count; ++I) {
      size_t Index =
          std::lower_bound(CDF.begin(), CDF.end(), U[I]) - CDF.begin();
      Index = std::min<size_t>(Index, Count - 1);
      ExpectedX[I] = X[Index];
      ExpectedY[I] = Y[Index];
    }
    Program.check("xj", XJ, ExpectedX);
    Program.check("yj", YJ, ExpectedY);

    X = XJ.toHost();
    Y = YJ.toHost();
    std::fill(Weight.begin(), Weight.end(), 1.0 / Count);
  }

  // The mean of the particles follows the disk.
  double MeanX = 0, MeanY = 0;
  for (int I = 0; I < Count; ++I) {
    MeanX += X[I] / Count;
    MeanY += Y[I] / Count;
  }
  Program.check("track", std::abs(MeanX - diskX(Frames - 1)) < 3 &&
                             std::abs(MeanY - diskY(Frames - 1)) < 3);
  return Program.verdict();
}
