// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = alpha * A * x + beta * B * x for two tall row-major matrices.
//
// Each thread walks along one row, so a warp's load touches 32 cache lines,
// and each line is wanted again for the next 31 columns. With all warps of an
// H100's SM at it, that is 512 KiB of lines in an L1 of about 250 KiB: most
// are gone before they are used again. This is what Sluice repairs:
//
//   clang++-22     -O3 --cuda-gpu-arch=sm_90 gesummv.cu -lcudart -o plain
//   sluice-clang++ -O3 --cuda-gpu-arch=sm_90 gesummv.cu -lcudart -o sluiced
//
// Both programs print the same hash: the results are equal, bit for bit.
//
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

constexpr int Rows = 132 * 2048; // one thread each fills an H100's 132 SMs
constexpr int Columns = 512;
constexpr int BlockSize = 256;
constexpr float Alpha = 1.5f, Beta = 0.75f;
constexpr uint32_t SeedA = 1, SeedB = 2, SeedX = 3;

__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *tmp, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= Rows)
    return;
  tmp[row] = 0;
  y[row] = 0;
  for (int column = 0; column < Columns; ++column) {
    tmp[row] += A[row * Columns + column] * x[column];
    y[row] += B[row * Columns + column] * x[column];
  }
  y[row] = Alpha * tmp[row] + Beta * y[row];
}

/// A pseudo-random number in [0, 1) for element Index of the input Seed.
__host__ __device__ float element(uint32_t Seed, uint32_t Index) {
  uint32_t Bits = Index * 0x9e3779b9u + Seed;
  Bits = (Bits ^ (Bits >> 16)) * 0x85ebca6bu;
  Bits = (Bits ^ (Bits >> 13)) * 0xc2b2ae35u;
  return static_cast<float>((Bits ^ (Bits >> 16)) >> 8) * 0x1p-24f;
}

__global__ void fill(float *Data, int Count, uint32_t Seed) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Data[I] = element(Seed, I);
}

#define CHECK(Call) check(Call, #Call)
static void check(cudaError_t Status, const char *Call) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", Call, cudaGetErrorString(Status));
  std::exit(2);
}

static float *makeInput(int Count, uint32_t Seed) {
  float *Data;
  CHECK(cudaMalloc(&Data, sizeof(float) * Count));
  fill<<<(Count + 255) / 256, 256>>>(Data, Count, Seed);
  CHECK(cudaGetLastError());
  return Data;
}

/// The row's result, computed here in double precision.
static double expected(int Row) {
  double SumA = 0, SumB = 0;
  for (int Column = 0; Column < Columns; ++Column) {
    double X = element(SeedX, Column);
    SumA += element(SeedA, Row * Columns + Column) * X;
    SumB += element(SeedB, Row * Columns + Column) * X;
  }
  return Alpha * SumA + Beta * SumB;
}

int main() {
  float *A = makeInput(Rows * Columns, SeedA);
  float *B = makeInput(Rows * Columns, SeedB);
  float *X = makeInput(Columns, SeedX);
  float *Tmp, *Y;
  CHECK(cudaMalloc(&Tmp, sizeof(float) * Rows));
  CHECK(cudaMalloc(&Y, sizeof(float) * Rows));

  cudaEvent_t Start, Stop;
  CHECK(cudaEventCreate(&Start));
  CHECK(cudaEventCreate(&Stop));
  std::vector<float> Times;
  for (int Run = 0; Run <= 11; ++Run) {
    CHECK(cudaEventRecord(Start));
    gesummv<<<(Rows + BlockSize - 1) / BlockSize, BlockSize>>>(A, B, X, Tmp, Y);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(Stop));
    CHECK(cudaEventSynchronize(Stop));
    float Time;
    CHECK(cudaEventElapsedTime(&Time, Start, Stop));
    if (Run > 0) // the first is the warm-up
      Times.push_back(Time);
  }
  std::sort(Times.begin(), Times.end());

  std::vector<float> Result(Rows);
  CHECK(cudaMemcpy(Result.data(), Y, sizeof(float) * Rows,
                   cudaMemcpyDeviceToHost));
  bool Right = true;
  for (int Row = 0; Row < Rows; Row += 1009)
    Right &= std::abs(Result[Row] - expected(Row)) <= 1e-4 * expected(Row);

  // A sum over hashes of (row, bits): the same in whatever order it is taken.
  uint64_t Hash = 0;
  for (uint64_t Row = 0; Row < Rows; ++Row) {
    uint32_t Bits;
    std::memcpy(&Bits, &Result[Row], sizeof(Bits));
    uint64_t Mixed = (Row << 32 | Bits) * 0x9e3779b97f4a7c15ull;
    Hash += (Mixed ^ (Mixed >> 29)) * 0xc4ceb9fe1a85ec53ull;
  }

  std::printf("gesummv %d x %d: %s, %.3f ms, hash %016llx\n", Rows, Columns,
              Right ? "PASS" : "FAIL", Times[Times.size() / 2],
              static_cast<unsigned long long>(Hash));
  for (float *Data : {A, B, X, Tmp, Y})
    CHECK(cudaFree(Data));
  return Right ? 0 : 1;
}
