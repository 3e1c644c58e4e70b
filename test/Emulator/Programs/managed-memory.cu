// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races,leaks | FileCheck %s
// CHECK: PASS
// Memory that both sides use with the same pointers: a linked list and a tree made by
// the host, of a class that allocates itself there.
#include "Inputs/check.h"
#include <new>

struct Managed {
  void *operator new(size_t bytes) {
    void *p = nullptr;
    CUDA(cudaMallocManaged(&p, bytes));
    return p;
  }
  void operator delete(void *p) { CUDA(cudaFree(p)); }
};

struct Node : Managed {
  int value = 0, sum = 0;
  Node *left = nullptr, *right = nullptr;
};

// Descends to the node of the number, whose bits from the second on say the way.
__global__ void visit(Node *root, int nodes, int *visits) {
  int number = threadIdx.x + 1;
  if (number > nodes)
    return;
  Node *node = root;
  int sum = node->value;
  for (int bit = 30 - __clz(number); bit >= 0; --bit) {
    node = number >> bit & 1 ? node->right : node->left;
    sum += node->value;
  }
  node->sum = sum;
  atomicAdd(visits, 1);
}

__global__ void follow(const Node *list, int *lengths) {
  int length = 0, total = 0;
  for (; list; list = list->right) {
    ++length;
    total += list->value;
  }
  lengths[0] = length;
  lengths[1] = total;
}

static Node *grow(int number, int nodes) {
  if (number > nodes)
    return nullptr;
  Node *node = new Node;
  node->value = number * number;
  node->left = grow(2 * number, nodes);
  node->right = grow(2 * number + 1, nodes);
  return node;
}

// Returns how many sums are wrong.
static int checked(const Node *node, int above, int visits) {
  if (!node)
    return 0;
  int sum = above + node->value;
  return (node->sum != visits * sum) + checked(node->left, sum, visits) +
         checked(node->right, sum, visits);
}
static void fell(Node *node) {
  if (node) {
    fell(node->left);
    fell(node->right);
    delete node;
  }
}

int main() {
  const int nodes = 50;
  Node *root = grow(1, nodes);
  int *visits;
  CUDA(cudaMallocManaged((void **)&visits, sizeof(int)));
  *visits = 0;
  visit<<<1, 64>>>(root, nodes, visits);
  CUDA(cudaDeviceSynchronize());
  failures += checked(root, 0, 1);
  if (*visits != nodes) {
    std::printf("%d visits\n", *visits);
    ++failures;
  }
  CUDA(cudaFree(visits));
  Node *list = nullptr;
  for (int i = 0; i < 20; ++i) {
    Node *node = new Node;
    node->value = i;
    node->right = list;
    list = node;
  }
  int *lengths;
  CUDA(cudaMallocManaged((void **)&lengths, 2 * sizeof(int)));
  CUDA(cudaMemAdvise(lengths, 2 * sizeof(int), cudaMemAdviseSetPreferredLocation,
                     cudaMemLocation{cudaMemLocationTypeDevice, 0}));
  follow<<<1, 1>>>(list, lengths);
  CUDA(cudaDeviceSynchronize());
  if (lengths[0] != 20 || lengths[1] != 190) {
    std::printf("%d nodes, %d\n", lengths[0], lengths[1]);
    ++failures;
  }
  CUDA(cudaMemset(lengths, 1, 2 * sizeof(int)));
  failures += lengths[1] != 0x01010101;
  CUDA(cudaFree(lengths));
  fell(root);
  fell(list);
  return finish();
}
