// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA SDK's estimation of pi by random points in a square. The first
// kernel sets up a generator for each thread, far enough along one sequence
// that none meets another: G. Marsaglia's xorwow, whose five words skip ahead
// by products with matrices of bits, a matrix for each bit of the thread's
// number. The second draws points and counts those in the circle. The matrices
// stay in the caches: limited by integer instructions.
//
#include "common.h"

constexpr int Threads = bench::bySize(1 << 9, 1 << 16, 132 * 2048);
constexpr int BlockSize = 128;
constexpr int Draws = bench::bySize(64, 1024, 1024); // numbers of a thread
constexpr int Words = 5;
constexpr int Bits = 32 * Words;
constexpr int Matrices = 19; // powers of two below the last thread's number
constexpr uint32_t Weyl = 362437;

struct Generator {
  uint32_t word[Words];
  uint32_t counter;
};

/// Row i is what bit i of the words becomes.
struct Matrix {
  uint32_t row[Bits][Words];
};

__host__ __device__ inline uint32_t draw(Generator &generator) {
  uint32_t *v = generator.word;
  uint32_t t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
  generator.counter += Weyl;
  return v[4] + generator.counter;
}

__host__ __device__ inline void multiply(uint32_t *words,
                                         const Matrix &matrix) {
  uint32_t sum[Words] = {};
  for (int i = 0; i < Words; ++i)
    for (int bit = 0; bit < 32; ++bit)
      if (words[i] >> bit & 1)
        for (int j = 0; j < Words; ++j)
          sum[j] ^= matrix.row[32 * i + bit][j];
  for (int j = 0; j < Words; ++j)
    words[j] = sum[j];
}

/// powers[k] skips 2^k times what a thread draws.
__global__ void init_generators(Generator *BENCH_MAY_RESTRICT generators,
                                const Matrix *BENCH_MAY_RESTRICT powers,
                                Generator first, int threads, int draws) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads)
    return;
  Generator generator = first;
  for (int k = 0; thread >> k; ++k)
    if (thread >> k & 1)
      multiply(generator.word, powers[k]);
  generator.counter += Weyl * draws * thread;
  generators[thread] = generator;
}

__global__ void estimate_pi(Generator *BENCH_MAY_RESTRICT generators,
                            int *BENCH_MAY_RESTRICT counts, int threads,
                            int draws) {
  __shared__ int sums[BlockSize];
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int inside = 0;
  if (thread < threads) {
    Generator generator = generators[thread];
    for (int i = 0; i < draws / 2; ++i) {
      float x = (draw(generator) >> 8) * 0x1p-24f;
      float y = (draw(generator) >> 8) * 0x1p-24f;
      inside += x * x + y * y < 1;
    }
    generators[thread] = generator;
  }
  sums[threadIdx.x] = inside;
  for (unsigned stride = BlockSize / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride)
      sums[threadIdx.x] += sums[threadIdx.x + stride];
  }
  if (threadIdx.x == 0)
    counts[blockIdx.x] = sums[0];
}

/// The matrices of Draws steps, twice as many, and so on.
static std::vector<Matrix> makePowers() {
  std::vector<Matrix> Powers(Matrices);
  for (int I = 0; I < Bits; ++I) {
    Generator Unit = {};
    Unit.word[I / 32] = 1u << I % 32;
    for (int Step = 0; Step < Draws; ++Step)
      draw(Unit);
    std::copy_n(Unit.word, Words, Powers[0].row[I]);
  }
  for (int K = 1; K < Matrices; ++K)
    for (int I = 0; I < Bits; ++I) {
      std::copy_n(Powers[K - 1].row[I], Words, Powers[K].row[I]);
      multiply(Powers[K].row[I], Powers[K - 1]);
    }
  return Powers;
}

int main() {
  static_assert(Threads <= 1 << Matrices);
  const Generator First = {{123456789, 362436069, 521288629, 88675123, 5783321},
                           6615241};
  constexpr int Blocks = (Threads + BlockSize - 1) / BlockSize;
  bench::DeviceArray<Matrix> Powers(makePowers());
  bench::DeviceArray<Generator> Generators(Threads);
  bench::DeviceArray<int> Counts(Blocks);

  init_generators<<<Blocks, BlockSize>>>(Generators, Powers, First, Threads,
                                         Draws);
  CUDA_CHECK(cudaGetLastError());
  std::vector<Generator> Initial = Generators.toHost();
  estimate_pi<<<Blocks, BlockSize>>>(Generators, Counts, Threads, Draws);
  CUDA_CHECK(cudaGetLastError());

  // The threads share one sequence: where one ends, the next begins. The CPU
  // draws the beginning of all of it.
  bench::Program Program("estimate_pi");
  std::vector<Generator> Final = Generators.toHost();
  auto isSame = [](const Generator &A, const Generator &B) {
    return std::memcmp(&A, &B, sizeof(A)) == 0;
  };
  bool Right = isSame(Initial[0], First);
  for (size_t I = 1; I < Threads; ++I)
    Right &= isSame(Initial[I], Final[I - 1]);
  Program.check("generators", Right);

  std::vector<int> Got = Counts.toHost();
  Generator Sequence = First;
  long Sum = 0;
  Right = true;
  for (int Block = 0; Block < Blocks; ++Block) {
    Sum += Got[Block];
    if (Block >= 64)
      continue;
    int Expected = 0;
    for (int I = 0; I < BlockSize * Draws / 2; ++I) {
      float X = (draw(Sequence) >> 8) * 0x1p-24f;
      float Y = (draw(Sequence) >> 8) * 0x1p-24f;
      Expected += double(X) * X + double(Y) * Y < 1;
    }
    // A point on the circle is on either side.
    Right &= std::abs(Got[Block] - Expected) <= 1;
  }
  Program.check("counts", Right);
  double Pi = 8.0 * Sum / Draws / Threads;
  Program.check("pi", std::abs(Pi - M_PI) < 20 / std::sqrt(Threads * Draws));
  return Program.verdict();
}
