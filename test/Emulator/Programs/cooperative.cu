// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void reverse(int *a, int *b) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank(), n = grid.size();
  a[i] = i;
  grid.sync();
  b[i] = a[n - 1 - i];
  grid.sync();
  a[i] = b[(i + 1) % n];
}

__global__ void groups(int *out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x;
  int sum = cg::reduce(tile, t, cg::plus<int>());
  int count = 0;
  if (t % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    count = 1000 * active.size() + active.shfl(t, 0);
  }
  out[t] = sum + 100000 * count + tile.any(t % 16 == 3);
}

int main() {
  const int n = 8 * 64;
  Buffer<int> a(n), b(n), out(64);
  int *pa = a, *pb = b;
  void *arguments[] = {&pa, &pb};
  CUDA(cudaLaunchCooperativeKernel((void *)reverse, dim3(8), dim3(64), arguments, 0, 0));
  a.check("grid", [&](size_t i) { return n - 1 - int(i + 1) % n; });
  groups<<<1, 64>>>(out);
  out.check("groups", [](size_t i) {
    int tile = int(i) / 16 * 16, sum = 16 * tile + 120, count = 0;
    if (i % 3 == 0) {
      int warp = int(i) / 32 * 32, members = 0, first = -1;
      for (int t = warp; t < warp + 32; ++t)
        if (t % 3 == 0) {
          ++members;
          first = first < 0 ? t : first;
        }
      count = 1000 * members + first;
    }
    return sum + 100000 * count + 1;
  });
  return finish();
}
