// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gridding kernel of Parboil's mri-gridding: spreads samples of k-space
// over a grid with a Kaiser-Bessel window. It gathers: a grid point per thread,
// which reads the samples that may reach it. They are sorted by bins of one
// grid cell; a block of 8 x 4 x 2 points stages them in shared memory, 64 at a
// time. Limited by arithmetic and by barriers.
//
#include "common.h"

constexpr int DefaultGrid = bench::bySize(16, 128, 128);
constexpr int DefaultSamples = bench::bySize(4096, 2655910, 4 << 20);
constexpr int BlockX = 8;
constexpr int BlockY = 4;
constexpr int BlockZ = 2;
constexpr int TILE = BlockX * BlockY * BlockZ;
constexpr int Reach = 2; // of the window, in grid cells
constexpr float Beta = 5.7f;
constexpr int Terms = 14; // of the window's series
constexpr uint32_t SeedSample = 1;

struct ReconstructionSample {
  float real;
  float imag;
  float kX;
  float kY;
  float kZ;
  float sdc; // compensates for the density of samples
};

/// The Bessel function I0 of Beta sqrt(1 - d^2 / Reach^2), by its power series
/// in a quarter of its argument's square.
template <typename T> __host__ __device__ inline T kernel_value(T distance2) {
  T z = T(Beta) * T(Beta) / 4 * (1 - distance2 / (Reach * Reach));
  T value = 1;
  for (int k = Terms; k > 0; --k)
    value = 1 + value * z * (T(1) / T(k * k));
  return value;
}

__global__ void
gridding(const ReconstructionSample *BENCH_MAY_RESTRICT sample_g,
         const int *BENCH_MAY_RESTRICT idx_g,
         float2 *BENCH_MAY_RESTRICT gridData_g,
         float *BENCH_MAY_RESTRICT sampleDensity_g, int size) {
  __shared__ ReconstructionSample sharedBin[TILE];

  int flatIdx =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int x0 = blockIdx.x * blockDim.x;
  int y0 = blockIdx.y * blockDim.y;
  int z0 = blockIdx.z * blockDim.z;
  int X = x0 + threadIdx.x;
  int Y = y0 + threadIdx.y;
  int Z = z0 + threadIdx.z;

  // The bins from which a sample may reach one of the block's points.
  int xL = max(x0 - Reach, 0);
  int yL = max(y0 - Reach, 0);
  int zL = max(z0 - Reach, 0);
  int xH = min(x0 + BlockX - 1 + Reach, size);
  int yH = min(y0 + BlockY - 1 + Reach, size);
  int zH = min(z0 + BlockZ - 1 + Reach, size);

  float2 pt = make_float2(0, 0);
  float density = 0;
  for (int z = zL; z < zH; ++z) {
    for (int y = yL; y < yH; ++y) {
      // A row of bins is contiguous.
      int row = (z * size + y) * size;
      int start = idx_g[row + xL];
      int end = idx_g[row + xH];
      for (int x = start; x < end; x += TILE) {
        int count = min(end - x, TILE);
        __syncthreads();
        if (flatIdx < count)
          sharedBin[flatIdx] = sample_g[x + flatIdx];
        __syncthreads();

        for (int j = 0; j < count; ++j) {
          float dX = sharedBin[j].kX - X;
          float dY = sharedBin[j].kY - Y;
          float dZ = sharedBin[j].kZ - Z;
          float distance2 = dX * dX + dY * dY + dZ * dZ;
          if (distance2 < Reach * Reach) {
            float w = kernel_value(distance2) * sharedBin[j].sdc;
            pt.x += w * sharedBin[j].real;
            pt.y += w * sharedBin[j].imag;
            density += w;
          }
        }
      }
    }
  }
  int idx = (Z * size + Y) * size + X;
  gridData_g[idx] = pt;
  sampleDensity_g[idx] = density;
}

namespace {

/// The samples sorted by bins; First has one more element than there are bins.
struct BinnedSamples {
  BinnedSamples(int Size, int Count)
      : First(size_t(Size) * Size * Size + 1), Samples(Count) {
    auto coordinate = [&](int I, int Axis) {
      return bench::valueAt(SeedSample, size_t(I) * 6 + Axis) * (Size - 1);
    };
    std::vector<int> Bins(Count);
    for (int I = 0; I < Count; ++I) {
      int X = coordinate(I, 0), Y = coordinate(I, 1), Z = coordinate(I, 2);
      Bins[I] = (Z * Size + Y) * Size + X;
      ++First[Bins[I] + 1];
    }
    for (size_t I = 1; I < First.size(); ++I)
      First[I] += First[I - 1];
    std::vector<int> Next = First;
    for (int I = 0; I < Count; ++I)
      Samples[Next[Bins[I]]++] = {
          bench::valueAt(SeedSample, size_t(I) * 6 + 3),
          bench::valueAt(SeedSample, size_t(I) * 6 + 4),
          coordinate(I, 0),
          coordinate(I, 1),
          coordinate(I, 2),
          bench::valueAt(SeedSample, size_t(I) * 6 + 5)};
  }

  std::vector<int> First;
  std::vector<ReconstructionSample> Samples;
};

struct GridPoint {
  double Real = 0, Imag = 0, Density = 0;
};

} // namespace

static GridPoint gather(int X, int Y, int Z, int Size,
                        const BinnedSamples &Binned) {
  GridPoint Sum;
  for (int BinZ = std::max(Z - Reach, 0); BinZ < std::min(Z + Reach, Size);
       ++BinZ)
    for (int BinY = std::max(Y - Reach, 0); BinY < std::min(Y + Reach, Size);
         ++BinY)
      for (int BinX = std::max(X - Reach, 0); BinX < std::min(X + Reach, Size);
           ++BinX) {
        size_t Bin = (size_t(BinZ) * Size + BinY) * Size + BinX;
        for (int I = Binned.First[Bin]; I < Binned.First[Bin + 1]; ++I) {
          const ReconstructionSample &S = Binned.Samples[I];
          double DX = double(S.kX) - X, DY = double(S.kY) - Y;
          double DZ = double(S.kZ) - Z;
          double Distance2 = DX * DX + DY * DY + DZ * DZ;
          if (Distance2 >= Reach * Reach)
            continue;
          double Weight = kernel_value(Distance2) * S.sdc;
          Sum.Real += Weight * S.real;
          Sum.Imag += Weight * S.imag;
          Sum.Density += Weight;
        }
      }
  return Sum;
}

int main(int ArgC, char **ArgV) {
  int Size = bench::numberOption(ArgC, ArgV, "grid", DefaultGrid);
  int Count = bench::numberOption(ArgC, ArgV, "samples", DefaultSamples);
  if (Size <= 0 || Size % BlockX) {
    std::fprintf(stderr, "--grid= needs a multiple of %d\n", BlockX);
    return 2;
  }
  size_t Points = size_t(Size) * Size * Size;
  BinnedSamples Binned(Size, Count);
  bench::DeviceArray<ReconstructionSample> Samples(Binned.Samples);
  bench::DeviceArray<int> First(Binned.First);
  bench::DeviceArray<float2> GridData(Points);
  bench::DeviceArray<float> Density(Points);

  gridding<<<dim3(Size / BlockX, Size / BlockY, Size / BlockZ),
             dim3(BlockX, BlockY, BlockZ)>>>(Samples, First, GridData, Density,
                                             Size);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("mri_gridding");
  std::vector<float> HostDensity = Density.toHost();
  Program.check("grid", GridData, [&](size_t I, float2 Got) {
    GridPoint Expected =
        gather(I % Size, I / Size % Size, static_cast<int>(I / Size / Size),
               Size, Binned);
    // A sample at the window's edge may be in or out; it weighs 1 or less
    // where one in the middle weighs 50.
    auto isClose = [&](double A, double B) {
      return std::abs(A - B) <= 1e-4 * (Expected.Density + 1);
    };
    return isClose(Got.x, Expected.Real) && isClose(Got.y, Expected.Imag) &&
           isClose(HostDensity[I], Expected.Density);
  });
  return Program.verdict();
}
