// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load has one name in a profile and in the PTX that benchmarks/run hintsets
// gives hints to, also if it was inlined, twice or through two calls.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %sluice profile %s -O3 --sluice-transforms=off --output=p.yaml | FileCheck %s --check-prefix=PROGRAM
// RUN: %sluice hints --json p.yaml > p.json
// RUN: %plainxx -x cuda --cuda-gpu-arch=sm_90 --cuda-device-only -O3 -S -gline-tables-only %s -o k.ptx
// RUN: env PYTHONPATH=%S/../../benchmarks python3 -Bc "import json; from harness import hintsets; \
// RUN:   [K] = json.load(open('p.json'))[0]['kernels']; \
// RUN:   Profiled = set(map(hintsets.position_of, K['loads'])); \
// RUN:   [Body] = [M[2] for M in hintsets.ENTRY.finditer(open('k.ptx').read()) if M[1] == K['name']]; \
// RUN:   Written = set(hintsets.loads_of(Body).values()); \
// RUN:   print('the same:', Profiled == Written, *sorted(Profiled | Written), sep=chr(10))" | FileCheck %s
#include <cstdio>

static __device__ float element(const float *A, int I) {
  return A[I];
}
static __device__ float sum(const float *A, int I) {
  return element(A, I) + element(A, 31 - I);
}

__global__ void sums(const float *A, const float *B, float *C) {
  int I = threadIdx.x;
  C[I] = A[I] * sum(B, I);
}

int main() {
  float *Data, Sum = 0;
  cudaMalloc(&Data, 96 * sizeof(float));
  cudaMemset(Data, 0, 96 * sizeof(float));
  sums<<<1, 32>>>(Data, Data + 32, Data + 64);
  cudaMemcpy(&Sum, Data + 64, sizeof Sum, cudaMemcpyDeviceToHost);
  std::puts(Sum == 0 ? "the program passed" : "wrong");
}

//    PROGRAM: the program passed
//      CHECK: the same:
// CHECK-NEXT: True
// CHECK-NEXT: benchmark-hintsets.cu:[[#@LINE-23]]:10 @[ benchmark-hintsets.cu:[[#@LINE-20]]:10 @[ benchmark-hintsets.cu:[[#@LINE-15]]:17 ] ]
// CHECK-NEXT: benchmark-hintsets.cu:[[#@LINE-24]]:10 @[ benchmark-hintsets.cu:[[#@LINE-21]]:26 @[ benchmark-hintsets.cu:[[#@LINE-16]]:17 ] ]
// CHECK-NEXT: benchmark-hintsets.cu:[[#@LINE-17]]:10
// CHECK-NOT: {{.}}
