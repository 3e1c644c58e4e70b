// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's breadth-first search: one thread per node, two kernels a level. A
// thread whose node is on the frontier walks the node's own edge list, so a
// warp reads 32 lists at once and touches random neighbours; the small kernel
// turns what they marked into the next frontier. Limited by scattered accesses.
// Threads may store the same level to one neighbour; the results do not depend
// on which comes first.
//
#include "common.h"

constexpr int Nodes = bench::bySize(8192, 128 * 1024, 2 * 1024 * 1024);
constexpr int BlockSize = 512;
constexpr int MinDegree = 2, MaxDegree = 10;
constexpr uint32_t SeedDegree = 1;
constexpr uint32_t SeedEdge = 2;

struct Node {
  int start;
  int edges;
};

__global__ void bfs_expand(const Node *BENCH_MAY_RESTRICT nodes,
                           const int *BENCH_MAY_RESTRICT edges,
                           bool *BENCH_MAY_RESTRICT mask,
                           bool *BENCH_MAY_RESTRICT updating,
                           const bool *BENCH_MAY_RESTRICT visited,
                           int *BENCH_MAY_RESTRICT cost, int count) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < count && mask[tid]) {
    mask[tid] = false;
    for (int i = nodes[tid].start; i < nodes[tid].start + nodes[tid].edges;
         i++) {
      int id = edges[i];
      if (!visited[id]) {
        cost[id] = cost[tid] + 1;
        updating[id] = true;
      }
    }
  }
}

__global__ void bfs_advance(bool *BENCH_MAY_RESTRICT mask,
                            bool *BENCH_MAY_RESTRICT updating,
                            bool *BENCH_MAY_RESTRICT visited,
                            bool *BENCH_MAY_RESTRICT more, int count) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < count && updating[tid]) {
    mask[tid] = true;
    visited[tid] = true;
    *more = true;
    updating[tid] = false;
  }
}

static std::vector<int> levelsOnCpu(const std::vector<Node> &Graph,
                                    const std::vector<int> &Edges, int Source) {
  std::vector<int> Cost(Graph.size(), -1), Queue;
  Queue.reserve(Graph.size());
  Queue.push_back(Source);
  Cost[Source] = 0;
  for (size_t Next = 0; Next < Queue.size(); ++Next) {
    const Node &From = Graph[Queue[Next]];
    for (int I = From.start; I < From.start + From.edges; ++I)
      if (Cost[Edges[I]] < 0) {
        Cost[Edges[I]] = Cost[Queue[Next]] + 1;
        Queue.push_back(Edges[I]);
      }
  }
  return Cost;
}

int main(int ArgC, char **ArgV) {
  const int Count = bench::numberOption(ArgC, ArgV, "nodes", Nodes);
  const int Source = 0;

  std::vector<Node> HostNodes(Count);
  int EdgeCount = 0;
  for (int I = 0; I < Count; ++I) {
    int Degree =
        MinDegree + bench::bitsAt(SeedDegree, I) % (MaxDegree - MinDegree + 1);
    HostNodes[I] = {EdgeCount, Degree};
    EdgeCount += Degree;
  }
  std::vector<int> HostEdges(EdgeCount);
  for (int I = 0; I < EdgeCount; ++I)
    HostEdges[I] = bench::bitsAt(SeedEdge, I) % Count;
  std::vector<int> HostCost(Count, -1);
  HostCost[Source] = 0;

  bench::DeviceArray<Node> Graph(HostNodes);
  bench::DeviceArray<int> Edges(HostEdges), Cost(HostCost);
  bench::DeviceArray<bool> Mask(Count), Updating(Count), Visited(Count),
      More(1);
  CUDA_CHECK(cudaMemset(Mask + Source, 1, 1));
  CUDA_CHECK(cudaMemset(Visited + Source, 1, 1));

  const int Blocks = (Count + BlockSize - 1) / BlockSize;
  bool HostMore;
  do {
    More.clear();
    bfs_expand<<<Blocks, BlockSize>>>(Graph, Edges, Mask, Updating, Visited,
                                      Cost, Count);
    CUDA_CHECK(cudaGetLastError());
    bfs_advance<<<Blocks, BlockSize>>>(Mask, Updating, Visited, More, Count);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(
        cudaMemcpy(&HostMore, More, sizeof(bool), cudaMemcpyDeviceToHost));
  } while (HostMore);

  bench::Program Program("bfs");
  Program.check("cost", Cost, levelsOnCpu(HostNodes, HostEdges, Source));
  return Program.verdict();
}
