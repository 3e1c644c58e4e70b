// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mars' Similarity Score: how alike each pair of documents is, by the cosine of
// the angle between their vectors. One kernel takes the vectors' lengths, one
// document per thread; the other the product of two vectors, one pair per
// thread. The vectors of a warp's 32 documents lie one after another, so it
// walks along 32 cache lines: limited by the caches.
//
#include "common.h"

constexpr int Documents = bench::bySize(128, 256, 2048);
constexpr int Dimensions = bench::bySize(32, 128, 128);
constexpr int BlockSize = 512;
constexpr uint32_t Seed = 1;

__global__ void document_lengths(const float *BENCH_MAY_RESTRICT vectors,
                                 float *BENCH_MAY_RESTRICT lengths,
                                 int documents, int dimensions) {
  int document = blockIdx.x * blockDim.x + threadIdx.x;
  if (document >= documents)
    return;
  float sum = 0;
  for (int i = 0; i < dimensions; ++i) {
    float value = vectors[document * dimensions + i];
    sum += value * value;
  }
  lengths[document] = sqrtf(sum);
}

__global__ void similarity_score(const float *BENCH_MAY_RESTRICT vectors,
                                 const float *BENCH_MAY_RESTRICT lengths,
                                 float *BENCH_MAY_RESTRICT scores,
                                 int documents, int dimensions) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= documents * documents)
    return;
  int first = pair / documents, second = pair % documents;
  const float *a = vectors + first * dimensions;
  const float *b = vectors + second * dimensions;
  float product = 0;
  for (int i = 0; i < dimensions; ++i)
    product += a[i] * b[i];
  scores[pair] = product / (lengths[first] * lengths[second]);
}

static double productOf(size_t First, size_t Second) {
  double Sum = 0;
  for (size_t I = 0; I < Dimensions; ++I)
    Sum += double(bench::valueAt(Seed, First * Dimensions + I)) *
           bench::valueAt(Seed, Second * Dimensions + I);
  return Sum;
}

int main() {
  constexpr int Pairs = Documents * Documents;
  bench::DeviceArray<float> Vectors(size_t(Documents) * Dimensions, Seed);
  bench::DeviceArray<float> Lengths(Documents), Scores(Pairs);

  document_lengths<<<(Documents + BlockSize - 1) / BlockSize, BlockSize>>>(
      Vectors, Lengths, Documents, Dimensions);
  CUDA_CHECK(cudaGetLastError());
  similarity_score<<<(Pairs + BlockSize - 1) / BlockSize, BlockSize>>>(
      Vectors, Lengths, Scores, Documents, Dimensions);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("similarity_score");
  Program.check("lengths", Lengths, [](size_t I, float Got) {
    return bench::isClose(Got, std::sqrt(productOf(I, I)));
  });
  Program.check("scores", Scores, [](size_t I, float Got) {
    size_t First = I / Documents, Second = I % Documents;
    double Lengths =
        std::sqrt(productOf(First, First) * productOf(Second, Second));
    return bench::isClose(Got, productOf(First, Second) / Lengths);
  });
  return Program.verdict();
}
