// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parboil's cutcp: the potential of charged atoms on a lattice, counting atoms
// within a cutoff only. A block computes a region of 8 x 8 x 8 points, a thread
// four of them; a launch computes one layer of regions. The atoms are in bins
// of eight; a block stages 32 bins at a time in shared memory, and finds them
// by a list of neighbours in constant memory. Limited by arithmetic.
//
#include "common.h"

constexpr int DefaultRegionsX = bench::bySize(3, 26, 64);
constexpr int DefaultRegionsY = bench::bySize(3, 26, 64);
constexpr int DefaultRegionsZ = bench::bySize(2, 26, 8);
constexpr int BIN_DEPTH = 8;
constexpr int BIN_SIZE = 4 * BIN_DEPTH; // floats
constexpr int BIN_CACHE_MAXLEN = 32;
constexpr int NBRLIST_DIM = 11;
constexpr int NBRLIST_MAXLEN = NBRLIST_DIM * NBRLIST_DIM * NBRLIST_DIM;
constexpr int REGION_SIZE = 512;
constexpr int SUB_REGION_SIZE = 128;
constexpr float BinLength = 4.0f;
constexpr float Spacing = 0.5f;
constexpr float Cutoff = 12.0f;
constexpr int Padding = 3; // bins about the lattice
constexpr uint32_t SeedAtoms = 1;
constexpr uint32_t SeedCount = 2;

static_assert(8 * Spacing == BinLength, "a region is as large as a bin");
static_assert(Padding * BinLength >= Cutoff, "or a neighbour may be missing");

__constant__ int NbrListLen;
__constant__ int3 NbrList[NBRLIST_MAXLEN];

__global__ void cutcp(int binDim_x, int binDim_y,
                      const float *BENCH_MAY_RESTRICT binZeroAddr, float h,
                      float cutoff2, float inv_cutoff2,
                      float *BENCH_MAY_RESTRICT regionZeroAddr,
                      int zRegionIndex) {
  __shared__ float AtomBinCache[BIN_CACHE_MAXLEN * BIN_SIZE];

  int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  float *mySubRegionAddr =
      regionZeroAddr +
      ((zRegionIndex * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) *
          REGION_SIZE;

  // The first of this thread's points, the others are 2 h apart along y; and
  // the bin that holds the region.
  float x = (8 * blockIdx.x + threadIdx.x) * h;
  float y = (8 * blockIdx.y + threadIdx.y) * h;
  float z = (8 * zRegionIndex + threadIdx.z) * h;
  const float *myBinAddr =
      binZeroAddr +
      static_cast<int>((zRegionIndex * binDim_y + blockIdx.y) * binDim_x +
                       blockIdx.x) *
          BIN_SIZE;

  float energy0 = 0;
  float energy1 = 0;
  float energy2 = 0;
  float energy3 = 0;
  for (int totalbins = 0; totalbins < NbrListLen;
       totalbins += BIN_CACHE_MAXLEN) {
    int numbins = min(NbrListLen - totalbins, BIN_CACHE_MAXLEN);
    __syncthreads();
    // A warp copies a bin at a time.
    for (int bin = tid / 32; bin < numbins; bin += SUB_REGION_SIZE / 32) {
      int3 nbr = NbrList[totalbins + bin];
      int offset = ((nbr.z * binDim_y + nbr.y) * binDim_x + nbr.x) * BIN_SIZE;
      AtomBinCache[bin * BIN_SIZE + tid % 32] = myBinAddr[offset + tid % 32];
    }
    __syncthreads();

    for (int bin = 0; bin < numbins; ++bin) {
      for (int i = 0; i < BIN_DEPTH; ++i) {
        int off = bin * BIN_SIZE + 4 * i;
        float aq = AtomBinCache[off + 3];
        if (aq == 0)
          break; // no more atoms in this bin
        float dx = AtomBinCache[off] - x;
        float dz = AtomBinCache[off + 2] - z;
        float dxdz2 = dx * dx + dz * dz;
        float dy = AtomBinCache[off + 1] - y;
        float r2 = dy * dy + dxdz2;
        if (r2 < cutoff2) {
          float s = 1 - r2 * inv_cutoff2;
          energy0 += aq * rsqrtf(r2) * s * s;
        }
        dy -= 2 * h;
        r2 = dy * dy + dxdz2;
        if (r2 < cutoff2) {
          float s = 1 - r2 * inv_cutoff2;
          energy1 += aq * rsqrtf(r2) * s * s;
        }
        dy -= 2 * h;
        r2 = dy * dy + dxdz2;
        if (r2 < cutoff2) {
          float s = 1 - r2 * inv_cutoff2;
          energy2 += aq * rsqrtf(r2) * s * s;
        }
        dy -= 2 * h;
        r2 = dy * dy + dxdz2;
        if (r2 < cutoff2) {
          float s = 1 - r2 * inv_cutoff2;
          energy3 += aq * rsqrtf(r2) * s * s;
        }
      }
    }
  }
  mySubRegionAddr[tid] = energy0;
  mySubRegionAddr[SUB_REGION_SIZE + tid] = energy1;
  mySubRegionAddr[2 * SUB_REGION_SIZE + tid] = energy2;
  mySubRegionAddr[3 * SUB_REGION_SIZE + tid] = energy3;
}

namespace {

struct Atom {
  float X, Y, Z, Charge;
};

/// Bins of atoms, with Padding empty ones on each side.
struct Bins {
  Bins(int RegionsX, int RegionsY, int RegionsZ)
      : DimX(RegionsX + 2 * Padding), DimY(RegionsY + 2 * Padding),
        DimZ(RegionsZ + 2 * Padding),
        Atoms(size_t(DimX) * DimY * DimZ * BIN_DEPTH) {
    for (int Z = 0; Z < RegionsZ; ++Z)
      for (int Y = 0; Y < RegionsY; ++Y)
        for (int X = 0; X < RegionsX; ++X) {
          size_t First = firstAtom(X, Y, Z);
          int Count = 4 + bench::bitsAt(SeedCount, First) % (BIN_DEPTH - 3);
          for (size_t I = First; I < First + Count; ++I)
            Atoms[I] = {BinLength * (X + bench::valueAt(SeedAtoms, 4 * I)),
                        BinLength * (Y + bench::valueAt(SeedAtoms, 4 * I + 1)),
                        BinLength * (Z + bench::valueAt(SeedAtoms, 4 * I + 2)),
                        0.5f + bench::valueAt(SeedAtoms, 4 * I + 3)};
        }
  }

  size_t firstAtom(int X, int Y, int Z) const {
    return ((size_t(Z + Padding) * DimY + Y + Padding) * DimX + X + Padding) *
           BIN_DEPTH;
  }

  int DimX, DimY, DimZ;
  std::vector<Atom> Atoms;
};

} // namespace

/// The bins that may hold an atom within the cutoff of a point in bin 0.
static std::vector<int3> neighbourBins() {
  auto leastDistance = [](int Bins) {
    return BinLength * std::max(std::abs(Bins) - 1, 0);
  };
  std::vector<int3> List;
  for (int Z = -Padding; Z <= Padding; ++Z)
    for (int Y = -Padding; Y <= Padding; ++Y)
      for (int X = -Padding; X <= Padding; ++X) {
        float DX = leastDistance(X), DY = leastDistance(Y);
        float DZ = leastDistance(Z);
        if (DX * DX + DY * DY + DZ * DZ < Cutoff * Cutoff)
          List.push_back(int3{X, Y, Z});
      }
  return List;
}

static double potentialAt(float X, float Y, float Z, const Bins &B) {
  double Sum = 0;
  int BinX = X / BinLength, BinY = Y / BinLength, BinZ = Z / BinLength;
  for (int DZ = -Padding; DZ <= Padding; ++DZ)
    for (int DY = -Padding; DY <= Padding; ++DY)
      for (int DX = -Padding; DX <= Padding; ++DX) {
        const Atom *Atoms =
            &B.Atoms[B.firstAtom(BinX + DX, BinY + DY, BinZ + DZ)];
        for (int I = 0; I < BIN_DEPTH; ++I) {
          double R2 = std::pow(double(Atoms[I].X) - X, 2) +
                      std::pow(double(Atoms[I].Y) - Y, 2) +
                      std::pow(double(Atoms[I].Z) - Z, 2);
          double Shift = 1 - R2 / (Cutoff * Cutoff);
          if (Atoms[I].Charge != 0 && Shift > 0)
            Sum += Atoms[I].Charge / std::sqrt(R2) * Shift * Shift;
        }
      }
  return Sum;
}

int main(int ArgC, char **ArgV) {
  int RegionsX = bench::numberOption(ArgC, ArgV, "regionsx", DefaultRegionsX);
  int RegionsY = bench::numberOption(ArgC, ArgV, "regionsy", DefaultRegionsY);
  int RegionsZ = bench::numberOption(ArgC, ArgV, "regionsz", DefaultRegionsZ);

  Bins HostBins(RegionsX, RegionsY, RegionsZ);
  bench::DeviceArray<Atom> Atoms(HostBins.Atoms);
  const float *BinZero =
      reinterpret_cast<const float *>(Atoms + HostBins.firstAtom(0, 0, 0));
  bench::DeviceArray<float> Lattice(size_t(RegionsX) * RegionsY * RegionsZ *
                                    REGION_SIZE);
  std::vector<int3> HostList = neighbourBins();
  int Length = static_cast<int>(HostList.size());
  CUDA_CHECK(cudaMemcpyToSymbol(NbrList, HostList.data(),
                                HostList.size() * sizeof(int3)));
  CUDA_CHECK(cudaMemcpyToSymbol(NbrListLen, &Length, sizeof(Length)));

  for (int Z = 0; Z < RegionsZ; ++Z)
    cutcp<<<dim3(RegionsX, RegionsY), dim3(8, 2, 8)>>>(
        HostBins.DimX, HostBins.DimY, BinZero, Spacing, Cutoff * Cutoff,
        1 / (Cutoff * Cutoff), Lattice, Z);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("cutcp");
  Program.check("lattice", Lattice, [&](size_t Index, float Got) {
    size_t Region = Index / REGION_SIZE, Point = Index % REGION_SIZE;
    size_t Sub = Point / SUB_REGION_SIZE, Thread = Point % SUB_REGION_SIZE;
    size_t X = Region % RegionsX * 8 + Thread % 8;
    size_t Y = Region / RegionsX % RegionsY * 8 + Thread / 8 % 2 + 2 * Sub;
    size_t Z = Region / RegionsX / RegionsY * 8 + Thread / 16;
    return bench::isClose(
        Got, potentialAt(X * Spacing, Y * Spacing, Z * Spacing, HostBins));
  });
  return Program.verdict();
}
