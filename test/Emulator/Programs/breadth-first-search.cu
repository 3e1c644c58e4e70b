// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Levels of a graph in CSR: each launch takes a queue and fills the next one.
#include "Inputs/check.h"
#include <queue>

__global__ void expand(const int *begin, const int *edges, int *level, const int *queue, int count,
                       int *nextQueue, int *nextCount, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int node = queue[i];
  for (int e = begin[node]; e < begin[node + 1]; ++e) {
    int other = edges[e];
    if (atomicCAS(&level[other], -1, depth) == -1)
      nextQueue[atomicAdd(nextCount, 1)] = other;
  }
}

int main() {
  const int nodes = 3000;
  std::vector<int> begins{0}, targets;
  unsigned random = 7;
  auto draw = [&](unsigned n) {
    random = random * 1664525u + 1013904223u;
    return int((random >> 8) % n);
  };
  for (int i = 0; i < nodes; ++i) {
    for (int k = draw(5); k > 0; --k)
      targets.push_back(draw(nodes));
    begins.push_back(int(targets.size()));
  }
  Buffer<int> begin(begins.size(), [&](size_t i) { return begins[i]; });
  Buffer<int> edges(targets.size(), [&](size_t i) { return targets[i]; });
  Buffer<int> level(nodes, [](size_t i) { return i == 0 ? 0 : -1; });
  Buffer<int> first(nodes), second(nodes), count(1);
  int *now = first, *next = second; // node 0 is in the queue: it is zeros
  for (int size = 1, depth = 1; size; ++depth) {
    CUDA(cudaMemset(count, 0, sizeof(int)));
    expand<<<(size + 63) / 64, 64>>>(begin, edges, level, now, size, next, count, depth);
    CUDA(cudaMemcpy(&size, count, sizeof(int), cudaMemcpyDeviceToHost));
    std::swap(now, next);
  }
  std::vector<int> want(nodes, -1);
  std::queue<int> queue({0});
  want[0] = 0;
  for (; !queue.empty(); queue.pop())
    for (int e = begins[queue.front()]; e < begins[queue.front() + 1]; ++e)
      if (want[targets[e]] < 0) {
        want[targets[e]] = want[queue.front()] + 1;
        queue.push(targets[e]);
      }
  level.check("levels", [&](size_t i) { return want[i]; });
  return finish();
}
