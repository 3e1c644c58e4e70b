// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s -w -O1 --fail-fast | FileCheck %s
// CHECK: PASS
// Thrust: keys sorted with their values, a sum, a scan. The headers take most of the
// time (8 s of one core).
#include "Inputs/check.h"
#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

template <class T>
void same(const char *name, const thrust::device_vector<T> &got, const std::vector<T> &want) {
  std::vector<T> host(got.size());
  thrust::copy(got.begin(), got.end(), host.begin());
  if (host != want) {
    std::printf("%s differs\n", name);
    ++failures;
  }
}

int main() {
  const int n = 5003;
  std::vector<int> host(n), order(n);
  unsigned random = 1;
  for (int &x : host)
    x = int((random = random * 1664525u + 1013904223u) >> 16) - 20000;
  std::iota(order.begin(), order.end(), 0);

  thrust::device_vector<int> a = host, c = host, d(n), e(n);
  thrust::sequence(d.begin(), d.end());
  thrust::stable_sort_by_key(a.begin(), a.end(), d.begin()); // radix
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return host[i] < host[j]; });
  same("order", d, order);
  std::vector<int> sorted = host;
  std::sort(sorted.begin(), sorted.end());
  same("sorted", a, sorted);

  thrust::exclusive_scan(c.begin(), c.end(), e.begin(), 5);
  std::vector<int> scanned(n, 5);
  for (int i = 1; i < n; ++i)
    scanned[i] = scanned[i - 1] + host[i - 1];
  same("scanned", e, scanned);
  if (thrust::reduce(c.begin(), c.end()) != std::accumulate(host.begin(), host.end(), 0))
    ++failures;
  return finish();
}
