// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s -w -O1 --fail-fast | FileCheck %s
// CHECK: PASS
// CUB: loads, sums, scans and sorts of a block; sums and scans of the device. The
// headers take most of the time (5 s of one core).
#include "Inputs/check.h"
#include <algorithm>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <numeric>

const int Threads = 128, Items = 4, Tile = Threads * Items;

__global__ void block(const int *in, int *sorted, int *scanned, int *sums) {
  using Load = cub::BlockLoad<int, Threads, Items, cub::BLOCK_LOAD_TRANSPOSE>;
  using Scan = cub::BlockScan<int, Threads>;
  using Sort = cub::BlockRadixSort<int, Threads, Items>;
  using Reduce = cub::BlockReduce<int, Threads>;
  using Warp = cub::WarpReduce<int>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
    typename Reduce::TempStorage reduce;
    typename Warp::TempStorage warp[Threads / 32];
  } storage;
  int items[Items], sums4[Items], t = threadIdx.x;
  Load(storage.load).Load(in + blockIdx.x * Tile, items);
  __syncthreads();
  Scan(storage.scan).InclusiveSum(items, sums4);
  __syncthreads();
  int sum = Reduce(storage.reduce).Sum(items);
  if (t == 0)
    sums[blockIdx.x * 5] = sum;
  __syncthreads();
  sum = Warp(storage.warp[t / 32]).Sum(items[0]);
  if (t % 32 == 0)
    sums[blockIdx.x * 5 + 1 + t / 32] = sum;
  __syncthreads();
  Sort(storage.sort).SortDescending(items);
  for (int i = 0; i < Items; ++i) {
    sorted[blockIdx.x * Tile + t * Items + i] = items[i];
    scanned[blockIdx.x * Tile + t * Items + i] = sums4[i];
  }
}

// Asks for the size of the temporary memory, then runs.
template <class F> void run(F call) {
  size_t bytes = 0;
  CUDA(call(nullptr, bytes));
  Buffer<char> memory(bytes + 1);
  CUDA(call(memory.device, bytes));
  CUDA(cudaDeviceSynchronize());
}

int main() {
  const int blocks = 3, n = blocks * Tile;
  Buffer<int> in(n, [](size_t i) { return int(i * 2654435761u >> 15) - 60000; });
  Buffer<int> sorted(n), scanned(n), sums(5 * blocks), total(1);
  block<<<blocks, Threads>>>(in, sorted, scanned, sums);
  std::vector<int> order = in.host, prefix(n);
  for (int b = 0; b < n; b += Tile) {
    std::sort(order.begin() + b, order.begin() + b + Tile, std::greater<int>());
    std::partial_sum(in.host.begin() + b, in.host.begin() + b + Tile, prefix.begin() + b);
  }
  sorted.check("block sort", [&](size_t i) { return order[i]; });
  scanned.check("block scan", [&](size_t i) { return prefix[i]; });
  sums.check("sums", [&](size_t i) {
    const int *from = &in.host[i / 5 * Tile];
    if (i % 5 == 0)
      return std::accumulate(from, from + Tile, 0);
    int sum = 0;
    for (int t = 0; t < 32; ++t) // the first item of each of a warp's threads
      sum += from[((i % 5 - 1) * 32 + t) * Items];
    return sum;
  });

  run([&](void *p, size_t &bytes) {
    return cub::DeviceReduce::Sum(p, bytes, in.device, total.device, n);
  });
  total.check("device sum",
              [&](size_t) { return std::accumulate(in.host.begin(), in.host.end(), 0); });
  run([&](void *p, size_t &bytes) {
    return cub::DeviceScan::ExclusiveSum(p, bytes, in.device, scanned.device, n);
  });
  std::partial_sum(in.host.begin(), in.host.end(), prefix.begin());
  scanned.check("device scan", [&](size_t i) { return i ? prefix[i - 1] : 0; });
  return finish();
}
