// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers without a sign that are larger than any with one are no known ones.
//
// RUN: %plain-cc %sluice-load %s -o - | FileCheck %s
// RUN: %sluice throttle %s -o %t.cu
// CHECK: .entry mixed(

extern "C" __global__ void mixed(int *a, unsigned long long seed) {
  for (int j = 0; j < 8; ++j)
    a[threadIdx.x * 1000 + j * 0xFFFFFFFFFFFFFFFFull] = seed >> j;
}

void launch(int *a) {
  mixed<<<1, 32>>>(a, 0x9E3779B97F4A7C15ull);
  mixed<<<1, 32, ~0ull>>>(a, ~0ull);
}
