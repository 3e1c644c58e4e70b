// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's streamcluster, the pgain kernel: what opening a centre at one
// candidate point would save. A point per thread; coordinates are stored
// coordinate-major, so that a warp reads 32 points' coordinates side by side
// while the candidate's are the same for all. Limited by memory bandwidth.
//
#include "common.h"

constexpr int DefaultPoints = bench::bySize(4096, 65536, 4 * 132 * 2048);
constexpr int Dimensions = bench::bySize(32, 256, 256);
constexpr int Centres = 20;
constexpr int BlockSize = 512;
constexpr uint32_t SeedCoordinate = 1;
constexpr uint32_t SeedWeight = 2;
constexpr uint32_t SeedCost = 3;
constexpr uint32_t SeedAssign = 4;

struct Point {
  float weight;
  long assign; // the point that is its centre
  float cost;  // weight times the distance to it
};

__device__ float d_dist(int p1, int p2, int num, int dim,
                        const float *coord_d) {
  float retval = 0;
  for (int i = 0; i < dim; ++i) {
    float tmp = coord_d[i * num + p1] - coord_d[i * num + p2];
    retval += tmp * tmp;
  }
  return retval;
}

__global__ void compute_cost(int num, int dim, long x,
                             const Point *BENCH_MAY_RESTRICT p, int K,
                             int stride,
                             const float *BENCH_MAY_RESTRICT coord_d,
                             float *BENCH_MAY_RESTRICT work_mem_d,
                             const int *BENCH_MAY_RESTRICT center_table_d,
                             char *BENCH_MAY_RESTRICT switch_membership_d) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < num) {
    float *lower = &work_mem_d[tid * stride];
    float x_cost = d_dist(tid, x, num, dim, coord_d) * p[tid].weight;
    if (x_cost < p[tid].cost) {
      // The point would go to the candidate.
      switch_membership_d[tid] = 1;
      lower[K] += x_cost - p[tid].cost;
    } else {
      // What it would save to close its centre: less than nothing.
      lower[center_table_d[p[tid].assign]] += p[tid].cost - x_cost;
    }
  }
}

int main(int ArgC, char **ArgV) {
  int Points = bench::numberOption(ArgC, ArgV, "points", DefaultPoints);
  if (Points < Centres) {
    std::fprintf(stderr, "--points= needs at least %d\n", Centres);
    return 2;
  }
  int Candidate = Points / 3;
  int Stride = Centres + 1;

  // The centres are the first points; the distance of two random points is
  // about Dimensions / 6, so that about half of the points would switch.
  std::vector<Point> HostPoints(Points);
  std::vector<int> HostTable(Points);
  for (int I = 0; I < Points; ++I) {
    HostPoints[I].weight = 1 + bench::valueAt(SeedWeight, I);
    HostPoints[I].assign = bench::bitsAt(SeedAssign, I) % Centres;
    HostPoints[I].cost = HostPoints[I].weight * Dimensions *
                         (0.1f + bench::valueAt(SeedCost, I) / 7.5f);
    HostTable[I] = I < Centres ? I : 0;
  }
  bench::DeviceArray<Point> DevicePoints(HostPoints);
  bench::DeviceArray<int> Table(HostTable);
  bench::DeviceArray<float> Coordinates(size_t(Points) * Dimensions,
                                        SeedCoordinate);
  bench::DeviceArray<float> Work(size_t(Points) * Stride);
  bench::DeviceArray<char> Switch(Points);

  compute_cost<<<(Points + BlockSize - 1) / BlockSize, BlockSize>>>(
      Points, Dimensions, Candidate, DevicePoints, Centres, Stride, Coordinates,
      Work, Table, Switch);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("streamcluster");
  std::vector<float> HostWork = Work.toHost();
  size_t Switched = 0;
  Program.check("what opening saves", Switch, [&](size_t I, char Got) {
    double Cost = 0;
    for (size_t D = 0; D < Dimensions; ++D) {
      double Difference =
          double(bench::valueAt(SeedCoordinate, D * Points + I)) -
          bench::valueAt(SeedCoordinate, D * Points + Candidate);
      Cost += Difference * Difference * HostPoints[I].weight;
    }
    double Tolerance = 1e-4 * Cost;
    double Change = Cost - HostPoints[I].cost;
    // If the two are equal but for rounding, either is right.
    if (std::abs(Change) > Tolerance && (Got != 0) != (Change < 0))
      return false;
    Switched += Got;
    int Place = Got ? Centres : HostTable[HostPoints[I].assign];
    for (int C = 0; C < Stride; ++C) {
      double Expected = C == Place ? -std::abs(Change) : 0;
      if (!(std::abs(HostWork[I * Stride + C] - Expected) <=
            (C == Place ? Tolerance : 0)))
        return false;
    }
    return true;
  });
  Program.check("the share that switches", Switched > 0 && Switched < 65);
  return Program.verdict();
}
