// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread has a row, of elements of several types and sizes, and reads it,
// writes it, or both. Launches and sizes come from the command line, so a
// compiler knows neither the blocks nor how long rows are or how far apart. By
// default the rows are odd in length and in distance, so that neighbours begin
// at different places of a line, and the last block has one thread with a row.
//
//   row_types [--rows=R] [--columns=C] [--pitch=ELEMENTS] [--block=THREADS]
//
// With --columns and no --pitch, rows follow one another without a gap. The CPU
// adds up in the same order, so results must be equal, not close, and what lies
// between rows must be as it was.
//
#include "common.h"
#include <cuda_fp16.h>
#include <type_traits>

struct Particle {
  float x, y, z;
};

__global__ void sumFloats(const float *BENCH_MAY_RESTRICT data,
                          float *BENCH_MAY_RESTRICT sums, int rows, int columns,
                          int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += data[i * pitch + j];
  sums[i] = sum;
}

__global__ void sumDoubles(const double *BENCH_MAY_RESTRICT data,
                           double *BENCH_MAY_RESTRICT sums, int rows,
                           int columns, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  double sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += data[i * pitch + j];
  sums[i] = sum;
}

__global__ void sumHalves(const __half *BENCH_MAY_RESTRICT data,
                          float *BENCH_MAY_RESTRICT sums, int rows, int columns,
                          int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += __half2float(data[i * pitch + j]);
  sums[i] = sum;
}

__global__ void sumBytes(const signed char *BENCH_MAY_RESTRICT data,
                         int *BENCH_MAY_RESTRICT sums, int rows, int columns,
                         int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  int sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += data[i * pitch + j];
  sums[i] = sum;
}

/// Two of three fields.
__global__ void sumFields(const Particle *BENCH_MAY_RESTRICT data,
                          float *BENCH_MAY_RESTRICT sums, int rows, int columns,
                          int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < columns; ++j) {
    const Particle &p = data[i * pitch + j];
    sum += p.x + p.z;
  }
  sums[i] = sum;
}

__global__ void sumStrided(const float *BENCH_MAY_RESTRICT data,
                           float *BENCH_MAY_RESTRICT sums, int rows,
                           int columns, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < columns; j += 2)
    sum += data[i * pitch + j];
  sums[i] = sum;
}

__global__ void scaleRows(const float *BENCH_MAY_RESTRICT data,
                          float *BENCH_MAY_RESTRICT result, int rows,
                          int columns, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  for (int j = 0; j < columns; ++j)
    result[i * pitch + j] = 2 * data[i * pitch + j] + 1;
}

__global__ void scaleInPlace(float *data, int rows, int columns, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  for (int j = 0; j < columns; ++j)
    data[i * pitch + j] = 2 * data[i * pitch + j] + 1;
}

__global__ void fillRows(float *result, int rows, int columns, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  for (int j = 0; j < columns; ++j)
    result[i * pitch + j] = static_cast<float>(i % 4096) + 0.25f * j;
}

/// Where a row begins is loaded.
__global__ void sumLoadedRows(const float *BENCH_MAY_RESTRICT data,
                              const int *BENCH_MAY_RESTRICT offsets,
                              float *BENCH_MAY_RESTRICT sums, int rows,
                              int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  const float *row = data + offsets[i];
  float sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += row[j];
  sums[i] = sum;
}

/// Where a row begins and ends is loaded: a warp's rows are of all lengths.
__global__ void shortRows(const float *BENCH_MAY_RESTRICT data,
                          const int *BENCH_MAY_RESTRICT offsets,
                          float *BENCH_MAY_RESTRICT sums, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = offsets[i]; j < offsets[i + 1]; ++j)
    sum += data[j];
  sums[i] = sum;
}

/// Only every second lane has a row, and every second row is read.
__global__ void evenLanes(const float *BENCH_MAY_RESTRICT data,
                          float *BENCH_MAY_RESTRICT sums, int rows, int columns,
                          int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 != 0 || i >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += data[i * pitch + j];
  sums[i] = sum;
}

constexpr uint32_t SeedData = 1;
constexpr uint32_t SeedOffset = 2;
constexpr uint32_t SeedLength = 3;
constexpr int UsualRows = bench::bySize(2 * 256, 64 * 1024, 132 * 2048) + 1;
constexpr int UsualColumns = bench::bySize(319, 511, 511);
constexpr int UsualPitch = UsualColumns + 2;
constexpr int MostShort = 80;

namespace bench {
/// Element Index of the input.
template <typename T> __host__ __device__ T elementAt(size_t Index) {
  if constexpr (std::is_same_v<T, signed char>)
    return static_cast<signed char>(bitsAt(SeedData, Index) >> 24);
  else if constexpr (std::is_same_v<T, Particle>)
    return {valueAt(SeedData, 3 * Index), valueAt(SeedData, 3 * Index + 1),
            valueAt(SeedData, 3 * Index + 2)};
  else
    return static_cast<T>(valueAt(SeedData, Index));
}

template <typename T> __global__ void fillElements(T *Data, size_t Count) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Count; I += Step)
    Data[I] = elementAt<T>(I);
}
} // namespace bench

namespace {

template <typename T> class Input : public bench::DeviceArray<T> {
public:
  explicit Input(size_t Count) : bench::DeviceArray<T>(Count) {
    bench::fillElements<<<1024, 256>>>(static_cast<T *>(*this), Count);
    CUDA_CHECK(cudaGetLastError());
  }
};

class RowTypes {
public:
  RowTypes(int ArgC, char **ArgV) : Program("row_types") {
    auto Number = [&](const char *Name, int Default) {
      return bench::numberOption(ArgC, ArgV, Name, Default);
    };
    bool HasColumns = bench::option(ArgC, ArgV, "columns", nullptr);
    Rows = Number("rows", UsualRows);
    Columns = Number("columns", UsualColumns);
    Pitch = Number("pitch", HasColumns ? Columns : UsualPitch);
    Block = Number("block", 256);
    if (Rows < 1 || Columns < 1 || Pitch < Columns || Block < 1) {
      std::fprintf(stderr, "row_types: there is at least one row, column and "
                           "thread, and a pitch is no less than the columns\n");
      std::exit(2);
    }
    Grid = (Rows + Block - 1) / Block;
  }

  int run() {
    sums();
    written();
    loadedRows();
    lengths();
    return Program.verdict();
  }

private:
  size_t elements() const { return size_t(Rows) * Pitch; }

  static void launched() { CUDA_CHECK(cudaGetLastError()); }

  /// IsRight(row) of all rows at small sizes, else of some, the last among
  /// them. Their distance is odd, so that all lanes have their turn.
  template <typename IsRightT>
  void checkSample(const char *What, IsRightT IsRight) {
    const int Some = (Rows / 64) | 1;
    const int Step = bench::bySize(1, Some, Some);
    bool Right = IsRight(Rows - 1);
    for (int Row = 0; Right && Row < Rows; Row += Step)
      Right = IsRight(Row);
    Program.check(What, Right);
  }

  /// Sums against those of `Take(Sum, element)` over every Step-th element of
  /// Length(row) from Begin(row) on.
  template <typename T, typename SumT, typename BeginT, typename LengthT,
            typename TakeT>
  void check(const char *What, const bench::DeviceArray<SumT> &Sums,
             BeginT Begin, LengthT Length, TakeT Take, int Step = 1) {
    std::vector<SumT> Got = Sums.toHost();
    checkSample(What, [&](size_t Row) {
      SumT Sum = 0;
      for (size_t J = 0; J < size_t(Length(Row)); J += Step)
        Take(Sum, bench::elementAt<T>(Begin(Row) + J));
      return Got[Row] == Sum;
    });
  }

  /// Rows at a fixed distance.
  template <typename T, typename SumT, typename TakeT>
  void check(const char *What, const bench::DeviceArray<SumT> &Sums, TakeT Take,
             int Step = 1) {
    check<T>(
        What, Sums, [&](size_t Row) { return Row * Pitch; },
        [&](size_t) { return Columns; }, Take, Step);
  }

  template <typename T, typename SumT> static void add(SumT &Sum, T Value) {
    Sum += static_cast<SumT>(Value);
  }

  void sums() {
    {
      Input<float> Data(elements());
      bench::DeviceArray<float> Sums(Rows), Strided(Rows), Even(Rows);
      sumFloats<<<Grid, Block>>>(Data, Sums, Rows, Columns, Pitch);
      launched();
      sumStrided<<<Grid, Block>>>(Data, Strided, Rows, Columns, Pitch);
      launched();
      evenLanes<<<Grid, Block>>>(Data, Even, Rows, Columns, Pitch);
      launched();
      check<float>("sumFloats", Sums, add<float, float>);
      check<float>("sumStrided", Strided, add<float, float>, 2);
      check<float>(
          "evenLanes", Even, [&](size_t Row) { return Row * Pitch; },
          [&](size_t Row) { return Row % 2 ? 0 : Columns; }, add<float, float>);
    }
    {
      Input<double> Data(elements());
      bench::DeviceArray<double> Sums(Rows);
      sumDoubles<<<Grid, Block>>>(Data, Sums, Rows, Columns, Pitch);
      launched();
      check<double>("sumDoubles", Sums, add<double, double>);
    }
    {
      Input<__half> Data(elements());
      bench::DeviceArray<float> Sums(Rows);
      sumHalves<<<Grid, Block>>>(Data, Sums, Rows, Columns, Pitch);
      launched();
      check<__half>("sumHalves", Sums, add<__half, float>);
    }
    {
      Input<signed char> Data(elements());
      bench::DeviceArray<int> Sums(Rows);
      sumBytes<<<Grid, Block>>>(Data, Sums, Rows, Columns, Pitch);
      launched();
      check<signed char>("sumBytes", Sums, add<signed char, int>);
    }
    Input<Particle> Data(elements());
    bench::DeviceArray<float> Sums(Rows);
    sumFields<<<Grid, Block>>>(Data, Sums, Rows, Columns, Pitch);
    launched();
    check<Particle>("sumFields", Sums,
                    [](float &Sum, Particle P) { Sum += P.x + P.z; });
  }

  /// Rows that were written, and what lies between them.
  template <typename ValueT, typename BetweenT>
  void checkRows(const char *What, const float *Result, ValueT Value,
                 BetweenT Between) {
    std::vector<float> Got(Pitch);
    checkSample(What, [&](size_t Row) {
      CUDA_CHECK(cudaMemcpy(Got.data(), Result + Row * Pitch,
                            Pitch * sizeof(float), cudaMemcpyDeviceToHost));
      bool Right = true;
      for (int J = 0; J < Pitch; ++J)
        Right &=
            Got[J] == (J < Columns ? Value(Row, J) : Between(Row * Pitch + J));
      return Right;
    });
  }

  void written() {
    auto Scaled = [&](size_t Row, int J) {
      return 2 * bench::elementAt<float>(Row * Pitch + J) + 1;
    };
    auto Zero = [](size_t) { return 0.0f; };
    Input<float> Data(elements());
    bench::DeviceArray<float> Result(elements());
    scaleRows<<<Grid, Block>>>(Data, Result, Rows, Columns, Pitch);
    launched();
    checkRows("scaleRows", Result, Scaled, Zero);

    scaleInPlace<<<Grid, Block>>>(Data, Rows, Columns, Pitch);
    launched();
    checkRows("scaleInPlace", Data, Scaled, bench::elementAt<float>);

    Result.clear();
    fillRows<<<Grid, Block>>>(Result, Rows, Columns, Pitch);
    launched();
    checkRows(
        "fillRows", Result,
        [](size_t Row, int J) { return float(Row % 4096) + 0.25f * float(J); },
        Zero);
  }

  /// Each row begins somewhere in its pitch.
  void loadedRows() {
    std::vector<int> Begins(Rows);
    for (int Row = 0; Row < Rows; ++Row)
      Begins[Row] =
          Row * Pitch + bench::bitsAt(SeedOffset, Row) % (Pitch - Columns + 1);
    Input<float> Data(elements());
    bench::DeviceArray<int> Offsets(Begins);
    bench::DeviceArray<float> Sums(Rows);
    sumLoadedRows<<<Grid, Block>>>(Data, Offsets, Sums, Rows, Columns);
    launched();
    check<float>(
        "sumLoadedRows", Sums, [&](size_t Row) { return Begins[Row]; },
        [&](size_t) { return Columns; }, add<float, float>);
  }

  /// Rows of 0 to MostShort elements, without gaps.
  void lengths() {
    std::vector<int> Begins(Rows + 1);
    for (int Row = 0; Row < Rows; ++Row)
      Begins[Row + 1] =
          Begins[Row] + bench::bitsAt(SeedLength, Row) % (MostShort + 1);
    Input<float> Data(Begins.back() + 1);
    bench::DeviceArray<int> Offsets(Begins);
    bench::DeviceArray<float> Sums(Rows);
    shortRows<<<Grid, Block>>>(Data, Offsets, Sums, Rows);
    launched();
    check<float>(
        "shortRows", Sums, [&](size_t Row) { return Begins[Row]; },
        [&](size_t Row) { return Begins[Row + 1] - Begins[Row]; },
        add<float, float>);
  }

  int Rows, Columns, Pitch, Block, Grid;
  bench::Program Program;
};

} // namespace

int main(int ArgC, char **ArgV) { return RowTypes(ArgC, ArgV).run(); }
