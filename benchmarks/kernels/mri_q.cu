// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parboil's mri-q: the matrix Q that scanner reconstructions need. A voxel per
// thread, which sums over the trajectory in k-space; the trajectory is in
// constant memory, a chunk per launch. Limited by sine and cosine.
//
#include "common.h"

constexpr int DefaultVoxels =
    bench::bySize(4096, 64 * 64 * 64, 128 * 128 * 128);
constexpr int DefaultSamples = bench::bySize(96, 2048, 2048);
constexpr int PhiMagBlockSize = 512;
constexpr int QBlockSize = 256;
constexpr int SamplesPerLaunch = bench::bySize(64, 1024, 1024);
constexpr float PIx2 = 6.2831853071795864769252867665590058f;
constexpr uint32_t SeedPhiR = 1;
constexpr uint32_t SeedPhiI = 2;
constexpr uint32_t SeedK = 3;
constexpr uint32_t SeedX = 4;
constexpr uint32_t SeedY = 5;
constexpr uint32_t SeedZ = 6;

struct kValues {
  float Kx;
  float Ky;
  float Kz;
  float PhiMag;
};

__constant__ kValues ck[SamplesPerLaunch];

__global__ void ComputePhiMag_GPU(const float *BENCH_MAY_RESTRICT phiR,
                                  const float *BENCH_MAY_RESTRICT phiI,
                                  float *BENCH_MAY_RESTRICT phiMag, int numK) {
  int indexK = blockIdx.x * PhiMagBlockSize + threadIdx.x;
  if (indexK < numK) {
    float real = phiR[indexK];
    float imag = phiI[indexK];
    phiMag[indexK] = real * real + imag * imag;
  }
}

__global__ void ComputeQ_GPU(int numK, int kGlobalIndex, int numX,
                             const float *BENCH_MAY_RESTRICT x,
                             const float *BENCH_MAY_RESTRICT y,
                             const float *BENCH_MAY_RESTRICT z,
                             float *BENCH_MAY_RESTRICT Qr,
                             float *BENCH_MAY_RESTRICT Qi) {
  int xIndex = blockIdx.x * QBlockSize + threadIdx.x;
  if (xIndex >= numX)
    return;
  float sX = x[xIndex];
  float sY = y[xIndex];
  float sZ = z[xIndex];
  float sQr = Qr[xIndex];
  float sQi = Qi[xIndex];

  for (int kIndex = 0; kIndex < SamplesPerLaunch && kGlobalIndex < numK;
       ++kIndex, ++kGlobalIndex) {
    float expArg =
        PIx2 * (ck[kIndex].Kx * sX + ck[kIndex].Ky * sY + ck[kIndex].Kz * sZ);
    sQr += ck[kIndex].PhiMag * cosf(expArg);
    sQi += ck[kIndex].PhiMag * sinf(expArg);
  }
  Qr[xIndex] = sQr;
  Qi[xIndex] = sQi;
}

int main(int ArgC, char **ArgV) {
  int NumX = bench::numberOption(ArgC, ArgV, "voxels", DefaultVoxels);
  int NumK = bench::numberOption(ArgC, ArgV, "samples", DefaultSamples);
  bench::DeviceArray<float> PhiR(NumK, SeedPhiR), PhiI(NumK, SeedPhiI);
  bench::DeviceArray<float> PhiMag(NumK);
  bench::DeviceArray<float> X(NumX, SeedX), Y(NumX, SeedY), Z(NumX, SeedZ);
  bench::DeviceArray<float> Qr(NumX), Qi(NumX);

  ComputePhiMag_GPU<<<(NumK + PhiMagBlockSize - 1) / PhiMagBlockSize,
                      PhiMagBlockSize>>>(PhiR, PhiI, PhiMag, NumK);
  CUDA_CHECK(cudaGetLastError());

  std::vector<float> HostPhiMag = PhiMag.toHost();
  std::vector<kValues> HostK(NumK);
  for (int I = 0; I < NumK; ++I)
    HostK[I] = {bench::valueAt(SeedK, 3 * I), bench::valueAt(SeedK, 3 * I + 1),
                bench::valueAt(SeedK, 3 * I + 2), HostPhiMag[I]};
  for (int First = 0; First < NumK; First += SamplesPerLaunch) {
    int Count = std::min(SamplesPerLaunch, NumK - First);
    CUDA_CHECK(cudaMemcpyToSymbol(ck, &HostK[First], Count * sizeof(kValues)));
    ComputeQ_GPU<<<(NumX + QBlockSize - 1) / QBlockSize, QBlockSize>>>(
        NumK, First, NumX, X, Y, Z, Qr, Qi);
    CUDA_CHECK(cudaGetLastError());
  }

  bench::Program Program("mri_q");
  Program.check("phiMag", PhiMag, [](size_t I, float Got) {
    double Real = bench::valueAt(SeedPhiR, I);
    double Imag = bench::valueAt(SeedPhiI, I);
    return bench::isClose(Got, Real * Real + Imag * Imag);
  });
  std::vector<float> HostQi = Qi.toHost();
  Program.check("Q", Qr, [&](size_t I, float Got) {
    double Real = 0, Imag = 0, Sum = 0;
    for (const kValues &K : HostK) {
      double Argument = 2 * M_PI *
                        (double(K.Kx) * bench::valueAt(SeedX, I) +
                         double(K.Ky) * bench::valueAt(SeedY, I) +
                         double(K.Kz) * bench::valueAt(SeedZ, I));
      Real += K.PhiMag * std::cos(Argument);
      Imag += K.PhiMag * std::sin(Argument);
      Sum += K.PhiMag;
    }
    // The terms cancel, their sizes do not.
    return std::abs(Got - Real) <= 1e-5 * Sum &&
           std::abs(HostQi[I] - Imag) <= 1e-5 * Sum;
  });
  return Program.verdict();
}
