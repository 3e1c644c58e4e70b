// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers that do overlap, by one element or wholly: the test before the loop
// sees it, and results are those of the program as it stands.
//
// RUN: %sluice emulate %s -O3 --sluice-promote=off -Rpass=sluice-promote -- > %t.plain 2> %t.plain.remarks
// RUN: %sluice emulate %s -O3 --sluice-promote=on -Rpass=sluice-promote -- > %t.promoted 2> %t.remarks
// RUN: count 0 < %t.plain.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: diff %t.plain %t.promoted && grep -c sums %t.plain | FileCheck %s --check-prefix=LINES
// CHECK-COUNT-2: stays in registers
// LINES: {{^}}24{{$}}
//
// Without the test those that overlap differ, four of each kernel; A's first
// element is read before it is written.
// RUN: %sluice emulate %s -O3 --sluice-promote=on --sluice-test-wrong-rewrite=untested-overlap -- > %t.untested
// RUN: not diff %t.plain %t.untested | FileCheck %s --check-prefix=UNTESTED --implicit-check-not="sums 64" --implicit-check-not="sums 100" --implicit-check-not="sums -"
// UNTESTED-COUNT-4: {{^}}> sums {{[0-9]+}} sum
// UNTESTED-COUNT-4: {{^}}> sums {{[0-9]+}} among

#include <cstdio>

__global__ void sum(const float *A, float *y, int n) {
  int i = threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[j] * 0.5f;
}

// One store among four loads, at distances that nobody knows.
__global__ void among(const float *A, float *y, int n, int b, int c, int d) {
  int i = threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += (A[j] + A[b + j]) * 0.25f + (A[c + j] - A[d + j]) * 0.125f;
}

int main() {
  float *Data;
  cudaMallocManaged(&Data, 512 * sizeof(float));
  // One thread, so that nothing races: y before, in and behind A.
  for (const char *Name : {"sum", "among"})
    for (int Shift : {0, 1, 5, 62, 63, 64, 100, -1, -5, -63, -64, -100}) {
      for (int I = 0; I < 512; ++I)
        Data[I] = float(I % 5) - 1;
      if (Name[0] == 's')
        sum<<<1, 1>>>(Data + 128, Data + 128 + Shift, 64);
      else
        among<<<1, 1>>>(Data + 128, Data + 128 + Shift, 64, 0, 0, 0);
      cudaDeviceSynchronize();
      unsigned Hash = 2166136261u;
      for (int I = 0; I < 512; ++I)
        Hash = (Hash ^ unsigned(int(Data[I] * 1024))) * 16777619u;
      printf("sums %d %s %u\n", Shift, Name, Hash);
    }
}
