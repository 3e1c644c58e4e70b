// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nearest-centre kernel of Rodinia's kmeans, a point per thread, features
// row-major: each thread walks along its own point's features once for every
// cluster. -DFEATURES=128 makes the rows four cache lines long.
//
#include "common.h"
#include <cfloat>

#ifndef FEATURES
#define FEATURES 34
#endif

constexpr int Points = bench::bySize(4096, 819200, 819200);
constexpr int Features = FEATURES;
constexpr int Clusters = 5;
constexpr int BlockSize = 256;
constexpr uint32_t SeedFeature = 1;
constexpr uint32_t SeedCentre = 2;

__global__ void nearestCentre(const float *BENCH_MAY_RESTRICT feature,
                              const float *BENCH_MAY_RESTRICT centre,
                              int *BENCH_MAY_RESTRICT membership) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point < Points) {
    int nearest = 0;
    float least = FLT_MAX;
    for (int c = 0; c < Clusters; ++c) {
      float distance = 0;
      for (int f = 0; f < Features; ++f) {
        float difference =
            feature[point * Features + f] - centre[c * Features + f];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        nearest = c;
      }
    }
    membership[point] = nearest;
  }
}

static double squaredDistance(size_t Point, size_t Centre) {
  double Sum = 0;
  for (size_t F = 0; F < Features; ++F) {
    double Difference =
        double(bench::valueAt(SeedFeature, Point * Features + F)) -
        bench::valueAt(SeedCentre, Centre * Features + F);
    Sum += Difference * Difference;
  }
  return Sum;
}

int main() {
  bench::DeviceArray<float> Feature(size_t(Points) * Features, SeedFeature);
  bench::DeviceArray<float> Centre(Clusters * Features, SeedCentre);
  bench::DeviceArray<int> Membership(Points);

  nearestCentre<<<(Points + BlockSize - 1) / BlockSize, BlockSize>>>(
      Feature, Centre, Membership);
  CUDA_CHECK(cudaGetLastError());

  char Name[32];
  std::snprintf(Name, sizeof(Name), "kmeans%d", Features);
  bench::Program Program(Name);
  Program.check("membership", Membership, [](size_t Point, int Got) {
    if (Got < 0 || Got >= Clusters)
      return false;
    // Of two centres that are equally far but for rounding, either is right.
    double Least = squaredDistance(Point, 0);
    for (size_t C = 1; C < Clusters; ++C)
      Least = std::min(Least, squaredDistance(Point, C));
    return bench::isClose(squaredDistance(Point, Got), Least);
  });
  return Program.verdict();
}
