// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parboil's lbm: a fluid by the lattice Boltzmann method D3Q19, in a cavity
// whose lid moves. A cell per thread, a row of cells per block; each of a
// cell's 19 densities and its flags has an array of its own. A step gathers the
// densities that stream in from the neighbours, and lets them collide. Limited
// by memory bandwidth, its occupancy by registers.
//
#include "common.h"

constexpr int SIZE_X = bench::bySize(32, 120, 128);
constexpr int SIZE_Y = bench::bySize(12, 120, 256);
constexpr int SIZE_Z = bench::bySize(10, 150, 256);
constexpr int PADDED_X = bench::bySize(32, 128, 128);
constexpr int PADDED_Y = SIZE_Y;
constexpr int PADDED_Z = SIZE_Z;
constexpr int TOTAL_PADDED_CELLS = PADDED_X * PADDED_Y * PADDED_Z;
/// Before and behind a grid, for what streams in through its walls.
constexpr int MARGIN = 2 * PADDED_X * PADDED_Y;
constexpr int Steps = bench::bySize(2, 8, 8);
constexpr float OMEGA = 1.95f;
constexpr float DFL1 = 1.0f / 3.0f;
constexpr float DFL2 = 1.0f / 18.0f;
constexpr float DFL3 = 1.0f / 36.0f;
constexpr float LidX = 0.005f;
constexpr float LidY = 0.002f;
constexpr uint32_t SeedDensity = 1;

// North is +y, east +x, top +z.
// clang-format off
enum Entry {
  C, N, S, E, W, T, B, NE, NW, SE, SW, NT, NB, ST, SB, ET, EB, WT, WB,
  FLAGS,
  N_CELL_ENTRIES
};
// clang-format on

enum Flag : unsigned int { OBSTACLE = 1, ACCEL = 2 };

/// The density e that streams from the cell (x, y, z) away.
__host__ __device__ inline int indexOf(int x, int y, int z, int e) {
  return x + y * PADDED_X + z * PADDED_X * PADDED_Y + e * TOTAL_PADDED_CELLS;
}

__global__ void
performStreamCollide_kernel(const float *BENCH_MAY_RESTRICT srcGrid,
                            float *BENCH_MAY_RESTRICT dstGrid) {
  int x = threadIdx.x;
  int y = blockIdx.x;
  int z = blockIdx.y;

  float tempC = srcGrid[indexOf(x, y, z, C)];
  float tempN = srcGrid[indexOf(x, y - 1, z, N)];
  float tempS = srcGrid[indexOf(x, y + 1, z, S)];
  float tempE = srcGrid[indexOf(x - 1, y, z, E)];
  float tempW = srcGrid[indexOf(x + 1, y, z, W)];
  float tempT = srcGrid[indexOf(x, y, z - 1, T)];
  float tempB = srcGrid[indexOf(x, y, z + 1, B)];
  float tempNE = srcGrid[indexOf(x - 1, y - 1, z, NE)];
  float tempNW = srcGrid[indexOf(x + 1, y - 1, z, NW)];
  float tempSE = srcGrid[indexOf(x - 1, y + 1, z, SE)];
  float tempSW = srcGrid[indexOf(x + 1, y + 1, z, SW)];
  float tempNT = srcGrid[indexOf(x, y - 1, z - 1, NT)];
  float tempNB = srcGrid[indexOf(x, y - 1, z + 1, NB)];
  float tempST = srcGrid[indexOf(x, y + 1, z - 1, ST)];
  float tempSB = srcGrid[indexOf(x, y + 1, z + 1, SB)];
  float tempET = srcGrid[indexOf(x - 1, y, z - 1, ET)];
  float tempEB = srcGrid[indexOf(x - 1, y, z + 1, EB)];
  float tempWT = srcGrid[indexOf(x + 1, y, z - 1, WT)];
  float tempWB = srcGrid[indexOf(x + 1, y, z + 1, WB)];
  unsigned int flags = __float_as_uint(srcGrid[indexOf(x, y, z, FLAGS)]);

  if (flags & OBSTACLE) {
    // Everything goes back where it came from.
    dstGrid[indexOf(x, y, z, C)] = tempC;
    dstGrid[indexOf(x, y, z, N)] = tempS;
    dstGrid[indexOf(x, y, z, S)] = tempN;
    dstGrid[indexOf(x, y, z, E)] = tempW;
    dstGrid[indexOf(x, y, z, W)] = tempE;
    dstGrid[indexOf(x, y, z, T)] = tempB;
    dstGrid[indexOf(x, y, z, B)] = tempT;
    dstGrid[indexOf(x, y, z, NE)] = tempSW;
    dstGrid[indexOf(x, y, z, NW)] = tempSE;
    dstGrid[indexOf(x, y, z, SE)] = tempNW;
    dstGrid[indexOf(x, y, z, SW)] = tempNE;
    dstGrid[indexOf(x, y, z, NT)] = tempSB;
    dstGrid[indexOf(x, y, z, NB)] = tempST;
    dstGrid[indexOf(x, y, z, ST)] = tempNB;
    dstGrid[indexOf(x, y, z, SB)] = tempNT;
    dstGrid[indexOf(x, y, z, ET)] = tempWB;
    dstGrid[indexOf(x, y, z, EB)] = tempWT;
    dstGrid[indexOf(x, y, z, WT)] = tempEB;
    dstGrid[indexOf(x, y, z, WB)] = tempET;
    return;
  }

  float rho = tempC + tempN + tempS + tempE + tempW + tempT + tempB + tempNE +
              tempNW + tempSE + tempSW + tempNT + tempNB + tempST + tempSB +
              tempET + tempEB + tempWT + tempWB;
  float ux = tempE - tempW + tempNE - tempNW + tempSE - tempSW + tempET +
             tempEB - tempWT - tempWB;
  float uy = tempN - tempS + tempNE + tempNW - tempSE - tempSW + tempNT +
             tempNB - tempST - tempSB;
  float uz = tempT - tempB + tempNT - tempNB + tempST - tempSB + tempET -
             tempEB + tempWT - tempWB;
  ux /= rho;
  uy /= rho;
  uz /= rho;
  if (flags & ACCEL) {
    ux = LidX;
    uy = LidY;
    uz = 0;
  }
  float u2 = 1.5f * (ux * ux + uy * uy + uz * uz) - 1.0f;
  float keep = 1.0f - OMEGA;
  float f1 = DFL1 * OMEGA * rho;
  float f2 = DFL2 * OMEGA * rho;
  float f3 = DFL3 * OMEGA * rho;

  dstGrid[indexOf(x, y, z, C)] = keep * tempC + f1 * (-u2);
  dstGrid[indexOf(x, y, z, N)] =
      keep * tempN + f2 * (uy * (4.5f * uy + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, S)] =
      keep * tempS + f2 * (uy * (4.5f * uy - 3.0f) - u2);
  dstGrid[indexOf(x, y, z, E)] =
      keep * tempE + f2 * (ux * (4.5f * ux + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, W)] =
      keep * tempW + f2 * (ux * (4.5f * ux - 3.0f) - u2);
  dstGrid[indexOf(x, y, z, T)] =
      keep * tempT + f2 * (uz * (4.5f * uz + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, B)] =
      keep * tempB + f2 * (uz * (4.5f * uz - 3.0f) - u2);
  dstGrid[indexOf(x, y, z, NE)] =
      keep * tempNE + f3 * ((ux + uy) * (4.5f * (ux + uy) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, NW)] =
      keep * tempNW + f3 * ((-ux + uy) * (4.5f * (-ux + uy) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, SE)] =
      keep * tempSE + f3 * ((ux - uy) * (4.5f * (ux - uy) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, SW)] =
      keep * tempSW + f3 * ((-ux - uy) * (4.5f * (-ux - uy) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, NT)] =
      keep * tempNT + f3 * ((uy + uz) * (4.5f * (uy + uz) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, NB)] =
      keep * tempNB + f3 * ((uy - uz) * (4.5f * (uy - uz) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, ST)] =
      keep * tempST + f3 * ((-uy + uz) * (4.5f * (-uy + uz) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, SB)] =
      keep * tempSB + f3 * ((-uy - uz) * (4.5f * (-uy - uz) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, ET)] =
      keep * tempET + f3 * ((ux + uz) * (4.5f * (ux + uz) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, EB)] =
      keep * tempEB + f3 * ((ux - uz) * (4.5f * (ux - uz) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, WT)] =
      keep * tempWT + f3 * ((-ux + uz) * (4.5f * (-ux + uz) + 3.0f) - u2);
  dstGrid[indexOf(x, y, z, WB)] =
      keep * tempWB + f3 * ((-ux - uz) * (4.5f * (-ux - uz) + 3.0f) - u2);
}

/// The cavity's walls, and the cells that two of them drag along.
__host__ __device__ static unsigned int flagsOf(int X, int Y, int Z) {
  if (X == 0 || X == SIZE_X - 1 || Y == 0 || Y == SIZE_Y - 1 || Z == 0 ||
      Z == SIZE_Z - 1)
    return OBSTACLE;
  bool IsAtLid = (Z == 1 || Z == SIZE_Z - 2) && X > 1 && X < SIZE_X - 2 &&
                 Y > 1 && Y < SIZE_Y - 2;
  if (IsAtLid)
    return ACCEL;
  return 0;
}

/// Fluid at rest, disturbed by a few percent.
__host__ __device__ static float densityOf(int X, int Y, int Z, int Entry) {
  float Weight = Entry == C ? DFL1 : Entry <= B ? DFL2 : DFL3;
  return Weight *
         (0.95f + 0.1f * bench::valueAt(SeedDensity, indexOf(X, Y, Z, Entry)));
}

namespace bench {
__global__ void fillCells(float *Grid) {
  int X = threadIdx.x, Y = blockIdx.x, Z = blockIdx.y;
  for (int Entry = C; Entry < FLAGS; ++Entry)
    Grid[indexOf(X, Y, Z, Entry)] = densityOf(X, Y, Z, Entry);
  Grid[indexOf(X, Y, Z, FLAGS)] = __uint_as_float(flagsOf(X, Y, Z));
}
} // namespace bench

namespace {

struct Direction {
  int X, Y, Z;
};

/// In the order of Entry.
constexpr Direction Directions[FLAGS] = {
    {0, 0, 0},   {0, 1, 0},  {0, -1, 0}, {1, 0, 0},  {-1, 0, 0},
    {0, 0, 1},   {0, 0, -1}, {1, 1, 0},  {-1, 1, 0}, {1, -1, 0},
    {-1, -1, 0}, {0, 1, 1},  {0, 1, -1}, {0, -1, 1}, {0, -1, -1},
    {1, 0, 1},   {1, 0, -1}, {-1, 0, 1}, {-1, 0, -1}};

struct Cell {
  double Density[FLAGS] = {};
};

} // namespace

static int opposite(int Entry) {
  const Direction &D = Directions[Entry];
  for (int Other = C; Other < FLAGS; ++Other)
    if (Directions[Other].X == -D.X && Directions[Other].Y == -D.Y &&
        Directions[Other].Z == -D.Z)
      return Other;
  return C;
}

/// A cell's densities after they streamed in.
static Cell collide(const Cell &In, unsigned int Flags) {
  Cell Out;
  if (Flags & OBSTACLE) {
    static const std::vector<int> Opposites = [] {
      std::vector<int> Opposites;
      for (int Entry = C; Entry < FLAGS; ++Entry)
        Opposites.push_back(opposite(Entry));
      return Opposites;
    }();
    for (int Entry = C; Entry < FLAGS; ++Entry)
      Out.Density[Entry] = In.Density[Opposites[Entry]];
    return Out;
  }
  double Rho = 0, UX = 0, UY = 0, UZ = 0;
  for (int Entry = C; Entry < FLAGS; ++Entry) {
    Rho += In.Density[Entry];
    UX += In.Density[Entry] * Directions[Entry].X;
    UY += In.Density[Entry] * Directions[Entry].Y;
    UZ += In.Density[Entry] * Directions[Entry].Z;
  }
  UX /= Rho;
  UY /= Rho;
  UZ /= Rho;
  if (Flags & ACCEL) {
    UX = LidX;
    UY = LidY;
    UZ = 0;
  }
  for (int Entry = C; Entry < FLAGS; ++Entry) {
    const Direction &D = Directions[Entry];
    double Weight = Entry == C ? DFL1 : Entry <= B ? DFL2 : DFL3;
    double U = UX * D.X + UY * D.Y + UZ * D.Z;
    double Equilibrium =
        Weight * Rho *
        (1 + 3 * U + 4.5 * U * U - 1.5 * (UX * UX + UY * UY + UZ * UZ));
    Out.Density[Entry] =
        (1.0 - OMEGA) * In.Density[Entry] + OMEGA * Equilibrium;
  }
  return Out;
}

/// A cell inside the walls after all steps: only cells that are at most so many
/// steps away count. What streams in through the walls from outside is sent
/// back there.
static Cell cellAfterSteps(int X, int Y, int Z) {
  constexpr int Side = 2 * Steps + 1;
  auto at = [](int DX, int DY, int DZ) {
    return (DX + Steps) + Side * ((DY + Steps) + Side * (DZ + Steps));
  };
  auto forCells = [&](int Far, auto Do) {
    for (int DZ = -Far; DZ <= Far; ++DZ)
      for (int DY = -Far; DY <= Far; ++DY)
        for (int DX = -Far; DX <= Far; ++DX)
          if (X + DX >= 0 && X + DX < SIZE_X && Y + DY >= 0 &&
              Y + DY < SIZE_Y && Z + DZ >= 0 && Z + DZ < SIZE_Z)
            Do(DX, DY, DZ);
  };

  std::vector<Cell> Now(Side * Side * Side), Next;
  forCells(Steps, [&](int DX, int DY, int DZ) {
    for (int Entry = C; Entry < FLAGS; ++Entry)
      Now[at(DX, DY, DZ)].Density[Entry] =
          densityOf(X + DX, Y + DY, Z + DZ, Entry);
  });
  Next = Now;
  for (int Far = Steps; Far-- > 0;) {
    forCells(Far, [&](int DX, int DY, int DZ) {
      Cell In;
      for (int Entry = C; Entry < FLAGS; ++Entry) {
        const Direction &D = Directions[Entry];
        In.Density[Entry] =
            Now[at(DX - D.X, DY - D.Y, DZ - D.Z)].Density[Entry];
      }
      Next[at(DX, DY, DZ)] = collide(In, flagsOf(X + DX, Y + DY, Z + DZ));
    });
    std::swap(Now, Next);
  }
  return Now[at(0, 0, 0)];
}

int main() {
  bench::DeviceArray<float> GridA(size_t(N_CELL_ENTRIES) * TOTAL_PADDED_CELLS +
                                  2 * MARGIN);
  bench::DeviceArray<float> GridB(GridA.size());
  float *Source = GridA + MARGIN;
  float *Target = GridB + MARGIN;
  dim3 Blocks(SIZE_Y, SIZE_Z);
  // The flags are the same in both.
  for (float *Grid : {Source, Target})
    bench::fillCells<<<Blocks, SIZE_X>>>(Grid);
  CUDA_CHECK(cudaGetLastError());

  for (int Step = 0; Step < Steps; ++Step) {
    performStreamCollide_kernel<<<Blocks, SIZE_X>>>(Source, Target);
    std::swap(Source, Target);
  }
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("lbm");
  bool Right = true;
  for (int Sample = 0; Right && Sample < 64; ++Sample) {
    // Two corners, a place at the lid, and others.
    int X = 1, Y = 1, Z = 1;
    if (Sample == 1) {
      X = SIZE_X - 2;
      Y = SIZE_Y - 2;
      Z = SIZE_Z - 2;
    } else if (Sample == 2) {
      X = SIZE_X / 2;
      Y = SIZE_Y / 2;
    } else if (Sample > 2) {
      X = 1 + Sample * 7919 % (SIZE_X - 2);
      Y = 1 + Sample * 104729 % (SIZE_Y - 2);
      Z = 1 + Sample * 1299709 % (SIZE_Z - 2);
    }
    Cell Expected = cellAfterSteps(X, Y, Z);
    for (int Entry = C; Entry < FLAGS; ++Entry) {
      float Got;
      CUDA_CHECK(cudaMemcpy(&Got, Source + indexOf(X, Y, Z, Entry), sizeof(Got),
                            cudaMemcpyDeviceToHost));
      Right &= bench::isClose(Got, Expected.Density[Entry]);
    }
  }
  Program.check("densities", Right);
  return Program.verdict();
}
