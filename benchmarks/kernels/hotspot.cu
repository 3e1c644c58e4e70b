// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's hotspot, the heat of a chip: a five-point stencil on a 2-D grid,
// one thread per cell of a 16 x 16 tile in shared memory. A launch takes
// several time steps; the cells of a tile that are still right shrink by one at
// each side with every step, so neighbouring tiles overlap. Limited by shared
// memory and barriers.
//
#include "common.h"

constexpr int Rows = bench::bySize(128, 1024, 4096);
constexpr int Columns = Rows;
constexpr int PyramidHeight = 2;
constexpr int Iterations = bench::bySize(5, 60, 8);
constexpr int BlockSize = 16;
constexpr uint32_t SeedTemperature = 1;
constexpr uint32_t SeedPower = 2;

// Rodinia's chip: 16 mm x 16 mm for 1024 x 1024 cells, half a millimetre thick.
// The cell's size stays as it is, for with smaller ones the steps diverge.
constexpr float MaxPowerDensity = 3.0e6f;
constexpr float Precision = 0.001f;
constexpr float SpecificHeat = 1.75e6f;
constexpr float Conductivity = 100;
constexpr float CapacitanceFactor = 0.5f;
constexpr float Thickness = 0.0005f;
constexpr float CellHeight = 0.016f / 1024;
constexpr float CellWidth = 0.016f / 1024;
constexpr float Ambient = 80.0f;
constexpr float Capacitance =
    CapacitanceFactor * SpecificHeat * Thickness * CellWidth * CellHeight;
constexpr float Rx = CellWidth / (2 * Conductivity * Thickness * CellHeight);
constexpr float Ry = CellHeight / (2 * Conductivity * Thickness * CellWidth);
constexpr float Rz = Thickness / (Conductivity * CellHeight * CellWidth);
constexpr float MaxSlope =
    MaxPowerDensity / (CapacitanceFactor * Thickness * SpecificHeat);
constexpr float Step = Precision / MaxSlope;

#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))

__global__ void calculate_temperature(int iterations,
                                      const float *BENCH_MAY_RESTRICT power,
                                      const float *BENCH_MAY_RESTRICT source,
                                      float *BENCH_MAY_RESTRICT destination,
                                      int columns, int rows, int border_columns,
                                      int border_rows, float capacitance,
                                      float rx, float ry, float rz,
                                      float step) {
  __shared__ float temp_on_chip[BlockSize][BlockSize];
  __shared__ float power_on_chip[BlockSize][BlockSize];
  __shared__ float result[BlockSize][BlockSize];

  float step_by_capacitance = step / capacitance;
  float rx_1 = 1 / rx;
  float ry_1 = 1 / ry;
  float rz_1 = 1 / rz;

  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;

  // The tile, its border included.
  int small_rows = BlockSize - iterations * 2;
  int small_columns = BlockSize - iterations * 2;
  int top = small_rows * by - border_rows;
  int left = small_columns * bx - border_columns;
  int bottom = top + BlockSize - 1;
  int right = left + BlockSize - 1;

  int y = top + ty;
  int x = left + tx;
  int index = columns * y + x;

  if (IN_RANGE(y, 0, rows - 1) && IN_RANGE(x, 0, columns - 1)) {
    temp_on_chip[ty][tx] = source[index];
    power_on_chip[ty][tx] = power[index];
  }
  __syncthreads();

  // The part of the tile that is on the chip.
  int min_y = top < 0 ? -top : 0;
  int max_y =
      bottom > rows - 1 ? BlockSize - 1 - (bottom - rows + 1) : BlockSize - 1;
  int min_x = left < 0 ? -left : 0;
  int max_x = right > columns - 1 ? BlockSize - 1 - (right - columns + 1)
                                  : BlockSize - 1;

  int north = ty - 1 < min_y ? min_y : ty - 1;
  int south = ty + 1 > max_y ? max_y : ty + 1;
  int west = tx - 1 < min_x ? min_x : tx - 1;
  int east = tx + 1 > max_x ? max_x : tx + 1;

  bool computed = false;
  for (int i = 0; i < iterations; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BlockSize - i - 2) &&
        IN_RANGE(ty, i + 1, BlockSize - i - 2) && IN_RANGE(tx, min_x, max_x) &&
        IN_RANGE(ty, min_y, max_y)) {
      computed = true;
      result[ty][tx] = temp_on_chip[ty][tx] +
                       step_by_capacitance *
                           (power_on_chip[ty][tx] +
                            (temp_on_chip[south][tx] + temp_on_chip[north][tx] -
                             2.0f * temp_on_chip[ty][tx]) *
                                ry_1 +
                            (temp_on_chip[ty][east] + temp_on_chip[ty][west] -
                             2.0f * temp_on_chip[ty][tx]) *
                                rx_1 +
                            (Ambient - temp_on_chip[ty][tx]) * rz_1);
    }
    __syncthreads();
    if (i == iterations - 1)
      break;
    if (computed)
      temp_on_chip[ty][tx] = result[ty][tx];
    __syncthreads();
  }

  if (computed)
    destination[index] = result[ty][tx];
}

/// Degrees, or watts in a cell.
static float temperatureAt(size_t I) {
  return 323.0f + 10.0f * bench::valueAt(SeedTemperature, I);
}
static float powerAt(size_t I) { return 1e-2f * bench::valueAt(SeedPower, I); }

/// A cell after all steps. With each step its value depends on a square that is
/// wider by one at each side.
static double temperatureAfter(int Row, int Column) {
  constexpr int Size = 2 * Iterations + 1;
  std::vector<double> Now(Size * Size), Next(Size * Size);
  auto inside = [&](int Y, int X) {
    return Row + Y - Iterations >= 0 && Row + Y - Iterations < Rows &&
           Column + X - Iterations >= 0 && Column + X - Iterations < Columns;
  };
  auto indexOf = [&](int Y, int X) {
    return size_t(Row + Y - Iterations) * Columns + (Column + X - Iterations);
  };
  for (int Y = 0; Y < Size; ++Y)
    for (int X = 0; X < Size; ++X)
      if (inside(Y, X))
        Now[Y * Size + X] = temperatureAt(indexOf(Y, X));
  for (int T = 1; T <= Iterations; ++T) {
    for (int Y = T; Y < Size - T; ++Y)
      for (int X = T; X < Size - T; ++X) {
        if (!inside(Y, X))
          continue;
        double Here = Now[Y * Size + X];
        auto neighbour = [&](int NY, int NX) {
          return inside(NY, NX) ? Now[NY * Size + NX] : Here;
        };
        double Flow =
            (neighbour(Y - 1, X) + neighbour(Y + 1, X) - 2 * Here) / Ry +
            (neighbour(Y, X - 1) + neighbour(Y, X + 1) - 2 * Here) / Rx +
            (Ambient - Here) / Rz + powerAt(indexOf(Y, X));
        Next[Y * Size + X] = Here + Step / Capacitance * Flow;
      }
    std::swap(Now, Next);
  }
  return Now[Iterations * Size + Iterations];
}

int main() {
  constexpr size_t Count = size_t(Rows) * Columns;
  constexpr int SmallSize = BlockSize - PyramidHeight * 2;
  std::vector<float> HostTemperature(Count), HostPower(Count);
  for (size_t I = 0; I < Count; ++I) {
    HostTemperature[I] = temperatureAt(I);
    HostPower[I] = powerAt(I);
  }
  bench::DeviceArray<float> Power(HostPower), Even(HostTemperature), Odd(Count);

  constexpr int GridColumns = (Columns + SmallSize - 1) / SmallSize;
  constexpr int GridRows = (Rows + SmallSize - 1) / SmallSize;
  const dim3 Grid(GridColumns, GridRows), Block(BlockSize, BlockSize);
  float *Source = Even, *Destination = Odd;
  for (int T = 0; T < Iterations; T += PyramidHeight) {
    calculate_temperature<<<Grid, Block>>>(
        std::min(PyramidHeight, Iterations - T), Power, Source, Destination,
        Columns, Rows, PyramidHeight, PyramidHeight, Capacitance, Rx, Ry, Rz,
        Step);
    CUDA_CHECK(cudaGetLastError());
    std::swap(Source, Destination);
  }

  bench::Program Program("hotspot");
  bool OddIsLast = Source == Odd;
  Program.check("temperature", OddIsLast ? Odd : Even, [](size_t I, float Got) {
    return std::abs(Got - temperatureAfter(I / Columns, I % Columns)) < 2e-3;
  });
  return Program.verdict();
}
