// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's LU decomposition in place, without pivots, by tiles of 16 x 16 in
// shared memory. A step factors the diagonal's tile (one warp), then the tiles
// right of it and below it (a thread per column or row of a tile), then updates
// all others (a thread per element). The first two have little to do; the last
// is limited by memory. At full size only the first steps are taken.
//
#include "common.h"

constexpr int Size = bench::bySize(128, 1024, 8192);
constexpr int BlockSize = 16;
constexpr int Tiles = Size / BlockSize;
constexpr int Steps = bench::bySize(Tiles, Tiles, 24);
/// Added on the diagonal, so that no pivot is small.
constexpr float Diagonal = Size / 16;
constexpr uint32_t SeedMatrix = 1;

__global__ void lud_diagonal(float *BENCH_MAY_RESTRICT m, int matrix_dim,
                             int offset) {
  __shared__ float shadow[BlockSize][BlockSize];

  int tx = threadIdx.x;
  int array_offset = offset * matrix_dim + offset;
  for (int i = 0; i < BlockSize; i++) {
    shadow[i][tx] = m[array_offset + tx];
    array_offset += matrix_dim;
  }
  __syncthreads();

  for (int i = 0; i < BlockSize - 1; i++) {
    if (tx > i) {
      for (int j = 0; j < i; j++)
        shadow[tx][i] -= shadow[tx][j] * shadow[j][i];
      shadow[tx][i] /= shadow[i][i];
    }
    __syncthreads();
    if (tx > i) {
      for (int j = 0; j < i + 1; j++)
        shadow[i + 1][tx] -= shadow[i + 1][j] * shadow[j][tx];
    }
    __syncthreads();
  }

  // The first row is as it was.
  array_offset = (offset + 1) * matrix_dim + offset;
  for (int i = 1; i < BlockSize; i++) {
    m[array_offset + tx] = shadow[i][tx];
    array_offset += matrix_dim;
  }
}

// Half of the block's threads take a tile right of the diagonal, the others one
// below it.
__global__ void lud_perimeter(float *BENCH_MAY_RESTRICT m, int matrix_dim,
                              int offset) {
  __shared__ float dia[BlockSize][BlockSize];
  __shared__ float peri_row[BlockSize][BlockSize];
  __shared__ float peri_col[BlockSize][BlockSize];

  int array_offset, idx;
  if (threadIdx.x < BlockSize) {
    idx = threadIdx.x;
    array_offset = offset * matrix_dim + offset;
    for (int i = 0; i < BlockSize / 2; i++) {
      dia[i][idx] = m[array_offset + idx];
      array_offset += matrix_dim;
    }
    array_offset = offset * matrix_dim + offset;
    for (int i = 0; i < BlockSize; i++) {
      peri_row[i][idx] = m[array_offset + (blockIdx.x + 1) * BlockSize + idx];
      array_offset += matrix_dim;
    }
  } else {
    idx = threadIdx.x - BlockSize;
    array_offset = (offset + BlockSize / 2) * matrix_dim + offset;
    for (int i = BlockSize / 2; i < BlockSize; i++) {
      dia[i][idx] = m[array_offset + idx];
      array_offset += matrix_dim;
    }
    array_offset =
        (offset + (blockIdx.x + 1) * BlockSize) * matrix_dim + offset;
    for (int i = 0; i < BlockSize; i++) {
      peri_col[i][idx] = m[array_offset + idx];
      array_offset += matrix_dim;
    }
  }
  __syncthreads();

  if (threadIdx.x < BlockSize) {
    idx = threadIdx.x;
    for (int i = 1; i < BlockSize; i++)
      for (int j = 0; j < i; j++)
        peri_row[i][idx] -= dia[i][j] * peri_row[j][idx];
  } else {
    idx = threadIdx.x - BlockSize;
    for (int i = 0; i < BlockSize; i++) {
      for (int j = 0; j < i; j++)
        peri_col[idx][i] -= peri_col[idx][j] * dia[j][i];
      peri_col[idx][i] /= dia[i][i];
    }
  }
  __syncthreads();

  if (threadIdx.x < BlockSize) {
    idx = threadIdx.x;
    array_offset = (offset + 1) * matrix_dim + offset;
    for (int i = 1; i < BlockSize; i++) {
      m[array_offset + (blockIdx.x + 1) * BlockSize + idx] = peri_row[i][idx];
      array_offset += matrix_dim;
    }
  } else {
    idx = threadIdx.x - BlockSize;
    array_offset =
        (offset + (blockIdx.x + 1) * BlockSize) * matrix_dim + offset;
    for (int i = 0; i < BlockSize; i++) {
      m[array_offset + idx] = peri_col[i][idx];
      array_offset += matrix_dim;
    }
  }
}

__global__ void lud_internal(float *BENCH_MAY_RESTRICT m, int matrix_dim,
                             int offset) {
  __shared__ float peri_row[BlockSize][BlockSize];
  __shared__ float peri_col[BlockSize][BlockSize];

  int global_row = offset + (blockIdx.y + 1) * BlockSize;
  int global_col = offset + (blockIdx.x + 1) * BlockSize;

  peri_row[threadIdx.y][threadIdx.x] =
      m[(offset + threadIdx.y) * matrix_dim + global_col + threadIdx.x];
  peri_col[threadIdx.y][threadIdx.x] =
      m[(global_row + threadIdx.y) * matrix_dim + offset + threadIdx.x];
  __syncthreads();

  float sum = 0;
  for (int i = 0; i < BlockSize; i++)
    sum += peri_col[threadIdx.y][i] * peri_row[i][threadIdx.x];
  m[(global_row + threadIdx.y) * matrix_dim + global_col + threadIdx.x] -= sum;
}

static double inputAt(size_t Row, size_t Column) {
  return bench::valueAt(SeedMatrix, Row * Size + Column) +
         (Row == Column ? Diagonal : 0.0f);
}

/// Multiplies what was computed for row Row of L by column Column of U: that
/// must be the input again. Behind the last step there stands what is left.
static double product(const std::vector<float> &LU, int Row, int Column) {
  auto at = [&](int R, int C) -> double { return LU[size_t(R) * Size + C]; };
  int Done = Steps * BlockSize;
  int Last = std::min({Row, Column, Done});
  double Sum = 0;
  for (int K = 0; K < Last; ++K)
    Sum += at(Row, K) * at(K, Column);
  if (Last == Done || Row <= Column)
    return Sum + at(Row, Column);
  return Sum + at(Row, Column) * at(Column, Column);
}

int main() {
  bench::DeviceArray<float> Matrix(size_t(Size) * Size, SeedMatrix);
  std::vector<float> OnDiagonal(Size);
  for (size_t I = 0; I < Size; ++I)
    OnDiagonal[I] = static_cast<float>(inputAt(I, I));
  CUDA_CHECK(cudaMemcpy2D(Matrix, (Size + 1) * sizeof(float), OnDiagonal.data(),
                          sizeof(float), sizeof(float), Size,
                          cudaMemcpyHostToDevice));

  for (int Step = 0; Step < Steps; ++Step) {
    const int Offset = Step * BlockSize, Rest = Tiles - 1 - Step;
    lud_diagonal<<<1, BlockSize>>>(Matrix, Size, Offset);
    CUDA_CHECK(cudaGetLastError());
    if (Rest == 0)
      break;
    lud_perimeter<<<Rest, 2 * BlockSize>>>(Matrix, Size, Offset);
    CUDA_CHECK(cudaGetLastError());
    lud_internal<<<dim3(Rest, Rest), dim3(BlockSize, BlockSize)>>>(Matrix, Size,
                                                                   Offset);
    CUDA_CHECK(cudaGetLastError());
  }

  const std::vector<float> LU = Matrix.toHost();
  bool Right = true;
  for (int Sample = 0; Sample < 20000; ++Sample) {
    // Every fifth on the diagonal or beside it.
    int Row = bench::bitsAt(2, Sample) % Size;
    int Column = Sample % 5 == 0
                     ? std::clamp(Row + Sample / 5 % 5 - 2, 0, Size - 1)
                     : bench::bitsAt(3, Sample) % Size;
    double Input = inputAt(Row, Column);
    Right &= std::abs(product(LU, Row, Column) - Input) <=
             1e-5 * std::max(1.0, Input);
  }
  bench::Program Program("lud");
  Program.check("L * U", Right);
  return Program.verdict();
}
