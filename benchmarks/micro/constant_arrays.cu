// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reading an array in constant memory costs, as the compiler has it and
// through the L1, by the array's size: in a loop in which all lanes read the
// same element, with little and with much work beside it; where the lanes of a
// warp read 1 to 32 different elements; and where a loop about the walk ends
// for each lane by its own data, so that the assembler cannot keep the walk's
// counter in a uniform register. Prints tables; milliseconds, the median of
// five. docs/passes/constant-arrays.md has the results.
//
//   sluice-clang++ --sluice-constant-arrays=off -O3 --cuda-gpu-arch=sm_90 ...
//   nvcc -O3 -arch=sm_90 constant_arrays.cu
//
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int Most = 4096, Threads = 256, Blocks = 8 * 132, Reads = 16384;
__constant__ float4 table[Most];

enum Way { AsIs, ThroughL1 };
enum Work { Little, Much, Lanes };

/// The address of the table, for the compiler any address.
__device__ const float4 *generic() {
  const float4 *hidden;
  asm("mov.u64 %0, %1;" : "=l"(hidden) : "l"((const float4 *)table));
  return hidden;
}

template <Way W, Work K>
__global__ void read(const float *in, float *out, int count, int different) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i], b = in[i + 1], sum = 0, last = 0;
  const float4 *array = W == ThroughL1 ? generic() : table;
  const int lane = threadIdx.x % different;
  for (int done = 0; done < Reads; done += count)
    for (int j = 0; j < count; ++j) {
      float4 v = array[K == Lanes ? (j * 7 + lane) & (count - 1) : j];
      float t = v.x * a + v.y * b + v.z * last;
      if (K == Much)
        t = sinf(t);
      sum += v.w * t;
      last = t;
    }
  out[i] = sum + last;
}

/// How often the lanes of a warp walk through the array: all as often, or each
/// as often as its data say.
enum Walks { Alike, Apart };

constexpr int WalkedReads = 4096; // of a lane, in the mean

/// Finds the nearest of elements of so many words, as a ray tracer does: four
/// words of each are read, and with much work the others of those that are met,
/// in a branch.
template <Way W, Walks S, Work K, int Words>
__global__ void walk(const float *in, float *out, const int *lengths, int steps,
                     int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i], y = in[i + 1], z = 0.5f, sum = 0;
  const float *array =
      W == ThroughL1 ? (const float *)__builtin_assume_aligned(generic(), 16)
                     : &table[0].x;
  if (S == Apart)
    steps = lengths[i];
  for (int step = 0; step < steps; ++step) {
    float nearest = 8, colour = 0;
    for (int j = 0; j < count; ++j) {
      const float *element = array + j * Words;
      float along = element[0] * x + element[1] * y + element[2] * z;
      float inside = element[3] + along * along;
      if (K == Little) {
        nearest = fminf(nearest, inside);
      } else if (inside > 0) {
        float distance = along + sqrtf(inside);
        if (distance > 0 && distance < nearest) {
          nearest = distance;
          colour = 0;
          for (int word = 4; word < Words; ++word)
            colour += element[word];
        }
      }
    }
    z = y;
    y = x;
    x = 0.5f * nearest + colour;
    x -= floorf(x);
    sum += x;
  }
  out[i] = sum;
}

static float *In, *Out;
static int *Lengths;

template <typename Launch> static float medianOf(Launch launch) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> all;
  for (int round = 0; round < 6; ++round) {
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    if (round)
      all.push_back(ms);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

template <Way W, Work K> static float time(int count, int different = 1) {
  return medianOf(
      [=] { read<W, K><<<Blocks, Threads>>>(In, Out, count, different); });
}

/// Do both ways give the same?
template <Work K> static bool same(int count, int different) {
  std::vector<float> one(Threads), other(Threads);
  read<AsIs, K><<<1, Threads>>>(In, Out, count, different);
  cudaMemcpy(one.data(), Out, Threads * sizeof(float), cudaMemcpyDefault);
  read<ThroughL1, K><<<1, Threads>>>(In, Out, count, different);
  cudaMemcpy(other.data(), Out, Threads * sizeof(float), cudaMemcpyDefault);
  return one == other;
}

static std::vector<float> results() {
  std::vector<float> all(size_t(Blocks) * Threads);
  cudaMemcpy(all.data(), Out, all.size() * sizeof(float), cudaMemcpyDefault);
  return all;
}

/// A row for each size; as often as is said, or half to one and a half times
/// as often.
template <Walks S, Work K, int Words> static void compareWalks() {
  for (int bytes = 256; bytes <= int(Most * sizeof(float4)); bytes *= 2) {
    const int count = bytes / (4 * Words);
    const int steps = std::max(WalkedReads / count, 2);
    std::vector<int> lengths(size_t(Blocks) * Threads);
    for (size_t i = 0; i < lengths.size(); ++i)
      lengths[i] = steps / 2 + (i * 2654435761u >> 12) % (steps + 1);
    cudaMemcpy(Lengths, lengths.data(), lengths.size() * sizeof(int),
               cudaMemcpyDefault);
    float asIs = medianOf([=] {
      walk<AsIs, S, K, Words>
          <<<Blocks, Threads>>>(In, Out, Lengths, steps, count);
    });
    std::vector<float> expected = results();
    float throughL1 = medianOf([=] {
      walk<ThroughL1, S, K, Words>
          <<<Blocks, Threads>>>(In, Out, Lengths, steps, count);
    });
    std::printf("%s,%s,%d,%d,%.3f,%.3f,%s\n", S == Alike ? "alike" : "apart",
                K == Little ? "little" : "much", 4 * Words, bytes, asIs,
                throughL1, results() == expected ? "yes" : "NO");
  }
}

template <Walks S> static void compareAllWalks() {
  compareWalks<S, Little, 4>();
  compareWalks<S, Little, 11>();
  compareWalks<S, Little, 16>();
  compareWalks<S, Much, 4>();
  compareWalks<S, Much, 11>();
  compareWalks<S, Much, 16>();
}

/// Words from -1 to 1; a fifth of what a walk reads is met.
static void fillForWalks() {
  std::vector<float> words(4 * Most);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = ((i * 2654435761u >> 8) % 2001 - 1000.0f) / 1000;
  for (size_t i = 3; i < words.size(); i += 4)
    words[i] = -0.3f;
  cudaMemcpyToSymbol(table, words.data(), words.size() * sizeof(float));
}

int main() {
  std::vector<float4> values(Most);
  for (int i = 0; i < Most; ++i)
    values[i] = {0.5f + i % 5, 0.25f, 0.125f, 1.0f / (1 + i)};
  cudaMemcpyToSymbol(table, values.data(), Most * sizeof(float4));
  const int Elements = Blocks * Threads + 1;
  std::vector<float> in(Elements);
  for (int i = 0; i < Elements; ++i)
    in[i] = float(i % 1000) / 1000;
  cudaMalloc(&In, Elements * sizeof(float));
  cudaMalloc(&Out, Elements * sizeof(float));
  cudaMemcpy(In, in.data(), Elements * sizeof(float), cudaMemcpyDefault);
  std::printf("bytes   little: as is, L1   much: as is, L1   the same\n");
  for (int count = 16; count <= Most; count *= 2)
    std::printf("%5d  %8.3f %8.3f  %8.3f %8.3f  %s\n", 16 * count,
                time<AsIs, Little>(count), time<ThroughL1, Little>(count),
                time<AsIs, Much>(count), time<ThroughL1, Much>(count),
                same<Little>(count, 1) && same<Much>(count, 1) ? "yes" : "NO");
  std::printf("bytes  different elements of a warp: as is, L1\n");
  for (int count : {16, 64, 256, 1024})
    for (int different : {1, 2, 4, 8, 32})
      std::printf("%5d  %2d  %8.3f %8.3f  %s\n", 16 * count, different,
                  time<AsIs, Lanes>(count, different),
                  time<ThroughL1, Lanes>(count, different),
                  same<Lanes>(count, different) ? "yes" : "NO");

  fillForWalks();
  cudaMalloc(&Lengths, size_t(Blocks) * Threads * sizeof(int));
  std::printf("walks,work,bytes of an element,bytes,as is,L1,the same\n");
  compareAllWalks<Alike>();
  compareAllWalks<Apart>();
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
