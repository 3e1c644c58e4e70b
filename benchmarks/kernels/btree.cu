// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's b+tree, findK: looks up keys, a block per query and a thread per
// key of a node. At each level the one thread whose interval holds the query's
// key names the child to go to. Limited by the latency of one level after the
// other, and by the barriers between them.
//
#include "common.h"
#include <climits>

constexpr int DefaultRecords = bench::bySize(100000, 1000000, 16 << 20);
constexpr int DefaultQueries = bench::bySize(256, 10000, 1 << 20);
constexpr int Order = 256;
/// How many keys or children the nodes here have; some of a node is free.
constexpr int Fill = 192;
constexpr uint32_t SeedKey = 1;
constexpr uint32_t SeedValue = 2;
constexpr uint32_t SeedQuery = 3;
constexpr uint32_t SeedMiss = 4;

struct Node {
  int location;
  int indices[Order + 1]; // of children, in leaves of records
  int keys[Order + 1];    // ascending; the free ones are INT_MAX
  bool is_leaf;
  int num_keys;
};

struct Record {
  int value;
};

__global__ void findK(long height, const Node *BENCH_MAY_RESTRICT knodesD,
                      long knodes_elem,
                      const Record *BENCH_MAY_RESTRICT recordsD,
                      long *currKnodeD, long *offsetD,
                      const int *BENCH_MAY_RESTRICT keysD,
                      Record *BENCH_MAY_RESTRICT ansD) {
  int thid = threadIdx.x;
  int bid = blockIdx.x;

  for (int i = 0; i < height; ++i) {
    if (knodesD[currKnodeD[bid]].keys[thid] <= keysD[bid] &&
        knodesD[currKnodeD[bid]].keys[thid + 1] > keysD[bid]) {
      if (knodesD[offsetD[bid]].indices[thid] < knodes_elem)
        offsetD[bid] = knodesD[offsetD[bid]].indices[thid];
    }
    __syncthreads();
    if (thid == 0)
      currKnodeD[bid] = offsetD[bid];
    __syncthreads();
  }

  if (knodesD[currKnodeD[bid]].keys[thid] == keysD[bid])
    ansD[bid].value = recordsD[knodesD[currKnodeD[bid]].indices[thid]].value;
}

/// The key of a record: 4 apart on average, and a thousand above 0.
static int keyOf(int Record) {
  return 1000 + 4 * Record + bench::bitsAt(SeedKey, Record) % 4;
}

/// Half of the queries are for keys that exist, the others for their
/// neighbours.
static int queryOf(int Records, int Query) {
  return keyOf(bench::bitsAt(SeedQuery, Query) % Records) +
         bench::bitsAt(SeedMiss, Query) % 2;
}

static int expectedAnswer(int Records, int Key) {
  int Record = (Key - 1000) / 4;
  return Record < Records && keyOf(Record) == Key
             ? int(bench::bitsAt(SeedValue, Record) >> 1)
             : -1;
}

struct Tree {
  std::vector<Node> Nodes; // the root is the last
  int Height;              // levels above the leaves
};

/// Packs the records into leaves, then each level's nodes into the next.
static Tree buildTree(int Records) {
  Tree T;
  size_t Leaves = (Records + Fill - 1) / Fill;
  T.Nodes.reserve(Leaves + Leaves / (Fill / 2) + 8);
  // The first and last node of the level below, and its least keys.
  size_t First = 0, Count = Records;
  for (T.Height = -1; T.Height < 0 || Count > 1; ++T.Height) {
    bool IsLeaf = T.Height < 0;
    size_t Next = T.Nodes.size();
    for (size_t Begin = 0; Begin < Count; Begin += Fill) {
      Node N = {};
      N.location = static_cast<int>(T.Nodes.size());
      N.is_leaf = IsLeaf;
      N.num_keys = static_cast<int>(std::min<size_t>(Fill, Count - Begin));
      std::fill(N.keys, N.keys + Order + 1, INT_MAX);
      for (int K = 0; K < N.num_keys; ++K) {
        N.indices[K] = static_cast<int>(First + Begin + K);
        N.keys[K] = IsLeaf ? keyOf(static_cast<int>(Begin) + K)
                           : T.Nodes[First + Begin + K].keys[0];
      }
      T.Nodes.push_back(N);
    }
    Count = T.Nodes.size() - Next;
    First = Next;
  }
  return T;
}

int main(int ArgC, char **ArgV) {
  int Records = bench::numberOption(ArgC, ArgV, "records", DefaultRecords);
  int Queries = bench::numberOption(ArgC, ArgV, "queries", DefaultQueries);

  Tree T = buildTree(Records);
  long Root = static_cast<long>(T.Nodes.size()) - 1;
  std::vector<Record> HostRecords(Records);
  for (int I = 0; I < Records; ++I)
    HostRecords[I].value = int(bench::bitsAt(SeedValue, I) >> 1);
  std::vector<int> HostKeys(Queries);
  for (int Q = 0; Q < Queries; ++Q)
    HostKeys[Q] = queryOf(Records, Q);

  bench::DeviceArray<Node> Nodes(T.Nodes);
  bench::DeviceArray<Record> DeviceRecords(HostRecords);
  bench::DeviceArray<int> Keys(HostKeys);
  bench::DeviceArray<long> Current(std::vector<long>(Queries, Root));
  bench::DeviceArray<long> Offset(std::vector<long>(Queries, Root));
  bench::DeviceArray<Record> Answers(std::vector<Record>(Queries, Record{-1}));

  findK<<<Queries, Order>>>(T.Height, Nodes, Root + 1, DeviceRecords, Current,
                            Offset, Keys, Answers);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("btree");
  std::vector<Record> HostAnswers = Answers.toHost();
  bool Right = true;
  for (int Q = 0; Q < Queries; ++Q)
    Right &= HostAnswers[Q].value == expectedAnswer(Records, HostKeys[Q]);
  Program.check("answers", Right);
  return Program.verdict();
}
