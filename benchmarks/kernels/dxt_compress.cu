// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA SDK's dxtc: DXT1 compression of an image, whose 4 x 4 pixels lie one
// after another, 64 threads for each. They sort the colours along the principal
// axis; then each thread tries its share of the ways to split that order into
// the four colours of a block, solves for the two end colours and keeps the
// least error. 80 bytes in and out for some 200,000 instructions: limited by
// these and by registers.
//
#include "common.h"
#include <cfloat>

constexpr int Blocks = bench::bySize(64, 512 * 512 / 16, 4096 * 4096 / 16);
constexpr int BlockSize = 64;
constexpr int Pixels = 16;
// Ways to cut 16 colours in a row into four parts, less those that leave all of
// them in one part, for which the end colours have no unique solution.
constexpr int Permutations = 17 * 18 * 19 / 6 - 4;
constexpr int PowerIterations = 8;
constexpr uint32_t SeedEnd = 1;
constexpr uint32_t SeedMix = 2;
constexpr uint32_t SeedNoise = 3;

namespace bench {
/// Mixtures of two colours of the block, with noise.
__host__ __device__ inline unsigned pixelAt(size_t Index) {
  size_t Block = Index / Pixels;
  unsigned Mix = bitsAt(SeedMix, Index) >> 24, Result = 0xff000000;
  for (int Channel = 0; Channel < 3; ++Channel) {
    unsigned End0 = bitsAt(SeedEnd, 6 * Block + Channel) >> 24;
    unsigned End1 = bitsAt(SeedEnd, 6 * Block + 3 + Channel) >> 24;
    unsigned Noise = bitsAt(SeedNoise, 3 * Index + Channel) >> 28;
    unsigned Value = (End0 * Mix + End1 * (255 - Mix)) / 273 + Noise;
    Result |= Value << (8 * Channel);
  }
  return Result;
}

__global__ void fillImage(unsigned *Image) {
  int Step = gridDim.x * blockDim.x;
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < Blocks * Pixels;
       I += Step)
    Image[I] = pixelAt(I);
}
} // namespace bench

// What a pixel takes of the first end colour, in thirds, by its two bits; and
// the products with what it takes of the second: squares and the mixed one,
// each in eight bits.
__constant__ float firstShares[4] = {3, 0, 2, 1};
__constant__ int shareProducts[4] = {0x090000, 0x000900, 0x040102, 0x010402};

__device__ inline float3 operator+(float3 a, float3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__device__ inline float3 operator-(float3 a, float3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__device__ inline float3 operator*(float3 a, float3 b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
__device__ inline float3 operator*(float a, float3 b) {
  return {a * b.x, a * b.y, a * b.z};
}
__device__ inline float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Rounds a colour to five, six and five bits, which it returns; the colour
/// becomes what they stand for.
__device__ inline unsigned roundTo565(float3 &colour) {
  unsigned red = rintf(31 * __saturatef(colour.x));
  unsigned green = rintf(63 * __saturatef(colour.y));
  unsigned blue = rintf(31 * __saturatef(colour.z));
  colour = {red * (1.0f / 31), green * (1.0f / 63), blue * (1.0f / 31)};
  return red << 11 | green << 5 | blue;
}

struct Candidate {
  float error;
  unsigned permutation;
  unsigned first;
  unsigned second;
};

/// The best end colours for one permutation, by least squares, and their error,
/// up to a constant of the block.
__device__ Candidate evaluate(const float3 *colours, unsigned permutation,
                              float3 sum) {
  float3 firstSum = {0, 0, 0};
  int products = 0;
#pragma unroll
  for (int i = 0; i < Pixels; ++i) {
    unsigned bits = permutation >> (2 * i) & 3;
    firstSum = firstSum + firstShares[bits] * colours[i];
    products += shareProducts[bits];
  }
  float firstSquares = products >> 16;
  float secondSquares = products >> 8 & 0xff;
  float mixed = products & 0xff;
  float3 secondSum = 3.0f * sum - firstSum;

  float factor = 3.0f / (firstSquares * secondSquares - mixed * mixed);
  float3 first = factor * (secondSquares * firstSum - mixed * secondSum);
  float3 second = factor * (firstSquares * secondSum - mixed * firstSum);
  Candidate candidate;
  candidate.permutation = permutation;
  candidate.first = roundTo565(first);
  candidate.second = roundTo565(second);
  float3 errors = firstSquares * (first * first) +
                  secondSquares * (second * second) +
                  2.0f * (mixed * (first * second) -
                          3.0f * (first * firstSum + second * secondSum));
  candidate.error = errors.x + errors.y + errors.z;
  return candidate;
}

__global__ void dxt_compress(const unsigned *BENCH_MAY_RESTRICT permutations,
                             const unsigned *BENCH_MAY_RESTRICT image,
                             uint2 *BENCH_MAY_RESTRICT result) {
  __shared__ float3 colours[Pixels];
  __shared__ float3 sorted[Pixels];
  __shared__ float3 sums[Pixels];
  __shared__ float covariances[6][Pixels];
  __shared__ float places[Pixels];
  __shared__ int ranks[Pixels];
  __shared__ float errors[BlockSize];
  __shared__ int winners[BlockSize];
  const int thread = threadIdx.x;

  if (thread < Pixels) {
    unsigned pixel = image[blockIdx.x * Pixels + thread];
    colours[thread] = {(pixel & 0xff) * (1.0f / 255),
                       (pixel >> 8 & 0xff) * (1.0f / 255),
                       (pixel >> 16 & 0xff) * (1.0f / 255)};
    sums[thread] = colours[thread];
  }
  __syncthreads();
  for (int stride = Pixels / 2; stride > 0; stride /= 2) {
    if (thread < stride)
      sums[thread] = sums[thread] + sums[thread + stride];
    __syncthreads();
  }

  if (thread < Pixels) {
    float3 d = colours[thread] - (1.0f / Pixels) * sums[0];
    covariances[0][thread] = d.x * d.x;
    covariances[1][thread] = d.x * d.y;
    covariances[2][thread] = d.x * d.z;
    covariances[3][thread] = d.y * d.y;
    covariances[4][thread] = d.y * d.z;
    covariances[5][thread] = d.z * d.z;
  }
  __syncthreads();
  for (int stride = Pixels / 2; stride > 0; stride /= 2) {
    if (thread < stride)
      for (int i = 0; i < 6; ++i)
        covariances[i][thread] += covariances[i][thread + stride];
    __syncthreads();
  }

  if (thread < Pixels) {
    // The power method; the axis needs no length.
    float3 axis = {1, 1, 1};
    for (int i = 0; i < PowerIterations; ++i) {
      float x = covariances[0][0] * axis.x + covariances[1][0] * axis.y +
                covariances[2][0] * axis.z;
      float y = covariances[1][0] * axis.x + covariances[3][0] * axis.y +
                covariances[4][0] * axis.z;
      float z = covariances[2][0] * axis.x + covariances[4][0] * axis.y +
                covariances[5][0] * axis.z;
      float largest = fmaxf(fabsf(x), fmaxf(fabsf(y), fabsf(z)));
      float inverse = largest > 0 ? 1 / largest : 0;
      axis = {x * inverse, y * inverse, z * inverse};
    }
    places[thread] = dot(colours[thread], axis);
  }
  __syncthreads();
  if (thread < Pixels) {
    int rank = 0;
    for (int i = 0; i < Pixels; ++i)
      rank += places[i] < places[thread] ||
              (places[i] == places[thread] && i < thread);
    ranks[thread] = rank;
    sorted[rank] = colours[thread];
  }
  __syncthreads();

  Candidate best = {FLT_MAX, 0, 0, 0};
  for (int i = thread; i < Permutations; i += BlockSize) {
    Candidate candidate = evaluate(sorted, permutations[i], sums[0]);
    if (candidate.error < best.error)
      best = candidate;
  }
  errors[thread] = best.error;
  winners[thread] = thread;
  __syncthreads();
  for (int stride = BlockSize / 2; stride > 0; stride /= 2) {
    if (thread < stride && errors[thread + stride] < errors[thread]) {
      errors[thread] = errors[thread + stride];
      winners[thread] = winners[thread + stride];
    }
    __syncthreads();
  }

  if (thread == winners[0]) {
    // The order of the two says that there are four colours and not three.
    if (best.first < best.second) {
      unsigned first = best.first;
      best.first = best.second;
      best.second = first;
      best.permutation ^= 0x55555555;
    }
    unsigned bits = 0;
    if (best.first != best.second)
      for (int i = 0; i < Pixels; ++i)
        bits |= (best.permutation >> (2 * ranks[i]) & 3) << (2 * i);
    result[blockIdx.x] = make_uint2(best.second << 16 | best.first, bits);
  }
}

/// Along the axis come the first end colour, two mixtures, and the second.
static std::vector<unsigned> allPermutations() {
  std::vector<unsigned> Result;
  for (int A = 0; A <= Pixels; ++A)
    for (int B = A; B <= Pixels; ++B)
      for (int C = B; C <= Pixels; ++C) {
        unsigned Permutation = 0;
        for (int I = 0; I < Pixels; ++I) {
          unsigned Bits = I < A ? 0 : I < B ? 2 : I < C ? 3 : 1;
          Permutation |= Bits << (2 * I);
        }
        unsigned First = Permutation & 3;
        if (Permutation != First * 0x55555555u)
          Result.push_back(Permutation);
      }
  return Result;
}

using Colour = std::vector<double>;

static std::vector<Colour> coloursOf(size_t Block) {
  std::vector<Colour> Colours;
  for (size_t I = 0; I < Pixels; ++I) {
    unsigned Pixel = bench::pixelAt(Block * Pixels + I);
    Colours.push_back({(Pixel & 0xff) / 255.0, (Pixel >> 8 & 0xff) / 255.0,
                       (Pixel >> 16 & 0xff) / 255.0});
  }
  return Colours;
}

/// The squared error of a block that is decoded to the mixtures of First and
/// Second that Bits name.
static double errorOf(const std::vector<Colour> &Colours, unsigned Bits,
                      const Colour &First, const Colour &Second) {
  constexpr double Shares[4] = {1, 0, 2.0 / 3, 1.0 / 3};
  double Error = 0;
  for (int I = 0; I < Pixels; ++I)
    for (int Channel = 0; Channel < 3; ++Channel) {
      double Share = Shares[Bits >> (2 * I) & 3];
      double Difference = Share * First[Channel] +
                          (1 - Share) * Second[Channel] - Colours[I][Channel];
      Error += Difference * Difference;
    }
  return Error;
}

/// The least error of the same search in double precision.
static double leastError(std::vector<Colour> Colours,
                         const std::vector<unsigned> &Permutations) {
  Colour Mean(3), Axis(3, 1);
  double Covariance[3][3] = {};
  for (int I = 0; I < 3; ++I)
    for (const Colour &C : Colours)
      Mean[I] += C[I] / Pixels;
  for (int I = 0; I < 3; ++I)
    for (int J = 0; J < 3; ++J)
      for (const Colour &C : Colours)
        Covariance[I][J] += (C[I] - Mean[I]) * (C[J] - Mean[J]);
  for (int Iteration = 0; Iteration < PowerIterations; ++Iteration) {
    Colour Product(3);
    double Largest = 0;
    for (int I = 0; I < 3; ++I) {
      for (int J = 0; J < 3; ++J)
        Product[I] += Covariance[I][J] * Axis[J];
      Largest = std::max(Largest, std::abs(Product[I]));
    }
    for (int I = 0; I < 3; ++I)
      Axis[I] = Largest > 0 ? Product[I] / Largest : 0;
  }
  auto PlaceOf = [&](const Colour &C) {
    return C[0] * Axis[0] + C[1] * Axis[1] + C[2] * Axis[2];
  };
  std::sort(Colours.begin(), Colours.end(),
            [&](const Colour &A, const Colour &B) {
              return PlaceOf(A) < PlaceOf(B);
            });

  constexpr double Shares[4] = {1, 0, 2.0 / 3, 1.0 / 3};
  constexpr double Levels[3] = {31, 63, 31};
  double Least = DBL_MAX;
  for (unsigned Permutation : Permutations) {
    Colour First(3), Second(3);
    for (int Channel = 0; Channel < 3; ++Channel) {
      double AA = 0, BB = 0, AB = 0, AX = 0, BX = 0;
      for (int I = 0; I < Pixels; ++I) {
        double A = Shares[Permutation >> (2 * I) & 3], B = 1 - A;
        AA += A * A;
        BB += B * B;
        AB += A * B;
        AX += A * Colours[I][Channel];
        BX += B * Colours[I][Channel];
      }
      auto Round = [&](double Value) {
        double Level = Levels[Channel];
        return std::rint(Level * std::clamp(Value, 0.0, 1.0)) / Level;
      };
      First[Channel] = Round((BB * AX - AB * BX) / (AA * BB - AB * AB));
      Second[Channel] = Round((AA * BX - AB * AX) / (AA * BB - AB * AB));
    }
    Least = std::min(Least, errorOf(Colours, Permutation, First, Second));
  }
  return Least;
}

int main() {
  std::vector<unsigned> Table = allPermutations();
  bench::DeviceArray<unsigned> TableOnDevice(Table);
  bench::DeviceArray<unsigned> Image(size_t(Blocks) * Pixels);
  bench::DeviceArray<uint2> Result(Blocks);
  bench::fillImage<<<2048, 256>>>(Image);
  CUDA_CHECK(cudaGetLastError());

  dxt_compress<<<Blocks, BlockSize>>>(TableOnDevice, Image, Result);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("dxt_compress");
  Program.check("the table's size", Table.size() == Permutations);
  Program.check("result", Result, [&](size_t Block, uint2 Got) {
    auto ColourOf = [](unsigned Bits) -> Colour {
      return {(Bits >> 11 & 31) / 31.0, (Bits >> 5 & 63) / 63.0,
              (Bits & 31) / 31.0};
    };
    unsigned First = Got.x & 0xffff, Second = Got.x >> 16;
    std::vector<Colour> Colours = coloursOf(Block);
    double Error = errorOf(Colours, Got.y, ColourOf(First), ColourOf(Second));
    // Colours that are almost equally far along the axis may come in another
    // order than in double precision, so the error may differ a little.
    double Least = leastError(Colours, Table);
    return First >= Second && Error > 0.99 * Least - 1e-4 &&
           Error < 1.01 * Least + 1e-4;
  });
  return Program.verdict();
}
