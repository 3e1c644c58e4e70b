// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Clusters of points with whole coordinates: centres in constant memory, sums in
// shared memory first.
#include "Inputs/check.h"
#include <climits>

const int Clusters = 7, Dimensions = 3;
__constant__ int centres[Clusters][Dimensions];

__host__ __device__ int nearest(const int (*centre)[Dimensions], const int *point) {
  int best = 0, least = INT_MAX;
  for (int c = 0; c < Clusters; ++c) {
    int distance = 0;
    for (int d = 0; d < Dimensions; ++d)
      distance += (point[d] - centre[c][d]) * (point[d] - centre[c][d]);
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  return best;
}

__global__ void assign(const int *points, int n, int *member, int *sums, int *changes) {
  __shared__ int local[Clusters * (Dimensions + 1)];
  int t = threadIdx.x, changed = 0;
  if (t < Clusters * (Dimensions + 1))
    local[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    int point[Dimensions];
    for (int d = 0; d < Dimensions; ++d)
      point[d] = points[d * n + i];
    int c = nearest(centres, point);
    changed += member[i] != c;
    member[i] = c;
    for (int d = 0; d < Dimensions; ++d)
      atomicAdd(&local[c * (Dimensions + 1) + d], point[d]);
    atomicAdd(&local[c * (Dimensions + 1) + Dimensions], 1);
  }
  atomicAdd(changes, changed);
  __syncthreads();
  if (t < Clusters * (Dimensions + 1))
    atomicAdd(&sums[t], local[t]);
}

// The next centres; empty clusters stay where they are.
static void move(int (*centre)[Dimensions], const int *sums) {
  for (int c = 0; c < Clusters; ++c)
    for (int d = 0; d < Dimensions; ++d)
      if (int count = sums[c * (Dimensions + 1) + Dimensions])
        centre[c][d] = sums[c * (Dimensions + 1) + d] / count;
}

int main() {
  const int n = 2000, rounds = 8;
  unsigned random = 11;
  Buffer<int> points(n * Dimensions, [&](size_t i) {
    random = random * 1664525u + 1013904223u;
    return int(random >> 25) + int(i % 5) * 200;
  });
  Buffer<int> member(n), sums(Clusters * (Dimensions + 1)), changes(1);
  int got[Clusters][Dimensions], want[Clusters][Dimensions];
  for (int c = 0; c < Clusters; ++c)
    for (int d = 0; d < Dimensions; ++d)
      got[c][d] = want[c][d] = points.host[d * n + c];
  std::vector<int> members(n);
  for (int r = 0; r < rounds; ++r) {
    CUDA(cudaMemcpyToSymbol(centres, got, sizeof got));
    CUDA(cudaMemset(sums, 0, sums.host.size() * sizeof(int)));
    CUDA(cudaMemset(changes, 0, sizeof(int)));
    assign<<<5, 64>>>(points, n, member, sums, changes);
    std::vector<int> total(sums.host.size());
    int changed = 0;
    for (int i = 0; i < n; ++i) {
      int point[Dimensions];
      for (int d = 0; d < Dimensions; ++d)
        point[d] = points.host[d * n + i];
      int c = nearest(want, point);
      changed += members[i] != c;
      members[i] = c;
      for (int d = 0; d < Dimensions; ++d)
        total[c * (Dimensions + 1) + d] += point[d];
      ++total[c * (Dimensions + 1) + Dimensions];
    }
    sums.check("sums", [&](size_t i) { return total[i]; });
    changes.check("changes", [&](size_t) { return changed; });
    move(got, sums.host.data());
    move(want, total.data());
  }
  member.check("members", [&](size_t i) { return members[i]; });
  return finish();
}
