// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's hotspot3D, the heat of a stacked chip: a seven-point stencil, one
// thread per column of cells. A thread goes up its column and keeps the cells
// below and above in registers. Limited by memory.
//
#include "common.h"

constexpr int Columns = bench::bySize(64, 512, 2048);
constexpr int Rows = bench::bySize(16, 512, 2048);
constexpr int Layers = bench::bySize(8, 8, 16);
constexpr int Iterations = bench::bySize(4, 20, 6);
constexpr int BlockColumns = 64;
constexpr int BlockRows = 4;
constexpr uint32_t SeedTemperature = 1;
constexpr uint32_t SeedPower = 2;

// Rodinia's chip: 16 mm x 16 mm for 512 x 512 cells, half a millimetre thick
// for 8 layers. The cell's size stays as it is.
constexpr float MaxPowerDensity = 3.0e6f;
constexpr float Precision = 0.001f;
constexpr float SpecificHeat = 1.75e6f;
constexpr float Conductivity = 100;
constexpr float CapacitanceFactor = 0.5f;
constexpr float Thickness = 0.0005f;
constexpr float CellWidth = 0.016f / 512;
constexpr float CellHeight = 0.016f / 512;
constexpr float CellDepth = Thickness / 8;
constexpr float Ambient = 80.0f;

constexpr float Capacitance =
    CapacitanceFactor * SpecificHeat * Thickness * CellWidth * CellHeight;
constexpr float Rx = CellHeight / (2 * Conductivity * Thickness * CellWidth);
constexpr float Ry = CellWidth / (2 * Conductivity * Thickness * CellHeight);
constexpr float Rz = CellDepth / (Conductivity * CellHeight * CellWidth);
constexpr float MaxSlope =
    MaxPowerDensity / (CapacitanceFactor * Thickness * SpecificHeat);
constexpr float Step = Precision / MaxSlope;

constexpr float StepByCapacitance = Step / Capacitance;
constexpr float East = StepByCapacitance / Rx;
constexpr float North = StepByCapacitance / Ry;
constexpr float Top = StepByCapacitance / Rz;
constexpr float Centre = 1 - (2 * East + 2 * North + 3 * Top);

__global__ void hotspot_columns(const float *BENCH_MAY_RESTRICT power,
                                const float *BENCH_MAY_RESTRICT source,
                                float *BENCH_MAY_RESTRICT destination,
                                float step_by_capacitance, int nx, int ny,
                                int nz, float ce, float cw, float cn, float cs,
                                float ct, float cb, float cc) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  int j = blockDim.y * blockIdx.y + threadIdx.y;
  int c = i + j * nx;
  int xy = nx * ny;

  int w = i == 0 ? c : c - 1;
  int e = i == nx - 1 ? c : c + 1;
  int n = j == 0 ? c : c - nx;
  int s = j == ny - 1 ? c : c + nx;

  float below, here, above;
  below = here = source[c];
  above = source[c + xy];
  destination[c] = cc * here + cw * source[w] + ce * source[e] +
                   cs * source[s] + cn * source[n] + cb * below + ct * above +
                   step_by_capacitance * power[c] + ct * Ambient;
  c += xy;
  w += xy;
  e += xy;
  n += xy;
  s += xy;

  for (int k = 1; k < nz - 1; ++k) {
    below = here;
    here = above;
    above = source[c + xy];
    destination[c] = cc * here + cw * source[w] + ce * source[e] +
                     cs * source[s] + cn * source[n] + cb * below + ct * above +
                     step_by_capacitance * power[c] + ct * Ambient;
    c += xy;
    w += xy;
    e += xy;
    n += xy;
    s += xy;
  }

  below = here;
  here = above;
  destination[c] = cc * here + cw * source[w] + ce * source[e] +
                   cs * source[s] + cn * source[n] + cb * below + ct * above +
                   step_by_capacitance * power[c] + ct * Ambient;
}

/// A cell after all steps. With each step its value depends on a square of the
/// grid that is wider by one at each side.
static double temperatureAfter(int Layer, int Row, int Column) {
  constexpr int Size = 2 * Iterations + 1;
  std::vector<double> Now(Layers * Size * Size), Next(Now.size());
  auto inside = [&](int Y, int X) {
    return Row + Y - Iterations >= 0 && Row + Y - Iterations < Rows &&
           Column + X - Iterations >= 0 && Column + X - Iterations < Columns;
  };
  auto indexOf = [&](int Z, int Y, int X) {
    return (size_t(Z) * Rows + (Row + Y - Iterations)) * Columns +
           (Column + X - Iterations);
  };
  for (int Z = 0; Z < Layers; ++Z)
    for (int Y = 0; Y < Size; ++Y)
      for (int X = 0; X < Size; ++X)
        if (inside(Y, X))
          Now[(Z * Size + Y) * Size + X] =
              bench::valueAt(SeedTemperature, indexOf(Z, Y, X));
  for (int T = 1; T <= Iterations; ++T) {
    for (int Z = 0; Z < Layers; ++Z)
      for (int Y = T; Y < Size - T; ++Y)
        for (int X = T; X < Size - T; ++X) {
          if (!inside(Y, X))
            continue;
          double Here = Now[(Z * Size + Y) * Size + X];
          auto neighbour = [&](int NZ, int NY, int NX) {
            return NZ >= 0 && NZ < Layers && inside(NY, NX)
                       ? Now[(NZ * Size + NY) * Size + NX]
                       : Here;
          };
          Next[(Z * Size + Y) * Size + X] =
              Centre * Here +
              East * (neighbour(Z, Y, X - 1) + neighbour(Z, Y, X + 1)) +
              North * (neighbour(Z, Y - 1, X) + neighbour(Z, Y + 1, X)) +
              Top *
                  (neighbour(Z - 1, Y, X) + neighbour(Z + 1, Y, X) + Ambient) +
              StepByCapacitance * bench::valueAt(SeedPower, indexOf(Z, Y, X));
        }
    std::swap(Now, Next);
  }
  return Now[(Layer * Size + Iterations) * Size + Iterations];
}

int main() {
  constexpr size_t Count = size_t(Columns) * Rows * Layers;
  bench::DeviceArray<float> Power(Count, SeedPower);
  bench::DeviceArray<float> Even(Count, SeedTemperature), Odd(Count);

  const dim3 Grid(Columns / BlockColumns, Rows / BlockRows);
  const dim3 Block(BlockColumns, BlockRows);
  float *Source = Even, *Destination = Odd;
  for (int T = 0; T < Iterations; ++T) {
    hotspot_columns<<<Grid, Block>>>(
        Power, Source, Destination, StepByCapacitance, Columns, Rows, Layers,
        East, East, North, North, Top, Top, Centre);
    CUDA_CHECK(cudaGetLastError());
    std::swap(Source, Destination);
  }

  bench::Program Program("hotspot3d");
  bool OddIsLast = Source == Odd;
  Program.check("temperature", OddIsLast ? Odd : Even, [](size_t I, float Got) {
    return bench::isClose(Got,
                          temperatureAfter(I / (size_t(Rows) * Columns),
                                           I / Columns % Rows, I % Columns));
  });
  return Program.verdict();
}
