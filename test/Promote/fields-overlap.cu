// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One test for all fields of a struct: where structs do overlap, results are
// those of the program as it stands.
//
// RUN: %sluice emulate %s -O3 --sluice-promote=off -Rpass=sluice-promote -- > %t.plain 2> %t.plain.remarks
// RUN: %sluice emulate %s -O3 --sluice-promote=on -Rpass=sluice-promote -- > %t.promoted 2> %t.remarks
// RUN: count 0 < %t.plain.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: diff %t.plain %t.promoted && grep -c sums %t.plain | FileCheck %s --check-prefix=LINES
// CHECK-COUNT-2: stays in registers
// LINES: {{^}}11{{$}}
//
// Without the test those that overlap differ, and only those.
// RUN: %sluice emulate %s -O3 --sluice-promote=on --sluice-test-wrong-rewrite=untested-overlap -- > %t.untested
// RUN: not diff %t.plain %t.untested | FileCheck %s --check-prefix=UNTESTED --implicit-check-not="> {{.*}}apart"
// UNTESTED-DAG: > same overlap sums 0
// UNTESTED-DAG: > rows overlap sums 5

#include <cstdio>

struct Ten {
  float s0, s1, s2, s3, s4, s5, s6, s7, s8, s9;
};

__global__ void same(Ten *dest, const Ten *src, int iters) {
#define EACH(F) dest[threadIdx.x].F += src[threadIdx.x].F;
  for (int i = 0; i < iters; ++i) {
    EACH(s0) EACH(s1) EACH(s2) EACH(s3) EACH(s4) EACH(s5) EACH(s6) EACH(s7)
    EACH(s8) EACH(s9)
  }
}

__global__ void rows(Ten *dest, const Ten *src, int iters) {
#define ROW(F) dest[threadIdx.x].F += src[i].F * 0.5f;
  for (int i = 0; i < iters; ++i) {
    ROW(s0) ROW(s1) ROW(s2) ROW(s3) ROW(s4) ROW(s5) ROW(s6) ROW(s7) ROW(s8)
    ROW(s9)
  }
}

int main() {
  float *Data;
  cudaMallocManaged(&Data, 2048 * sizeof(float));
  auto Fill = [&] {
    for (int I = 0; I < 2048; ++I)
      Data[I] = float(I % 7) - 3;
  };
  auto Print = [&](const char *Name, bool Overlap, int At) {
    cudaDeviceSynchronize();
    unsigned Hash = 2166136261u;
    for (int I = 0; I < 2048; ++I)
      Hash = (Hash ^ unsigned(int(Data[I] * 64))) * 16777619u;
    printf("%s %s sums %d %u\n", Name, Overlap ? "overlap" : "apart", At, Hash);
  };
  Ten *All = reinterpret_cast<Ten *>(Data) + 64;
  // One thread, so that nothing races.
  for (int At : {-2, -1, 0, 1, 2}) {
    Fill();
    same<<<1, 1>>>(All + At, All, 9);
    Print("same", At == 0, At);
  }
  for (int At : {-1, 0, 5, 8, 9, 20}) {
    Fill();
    rows<<<1, 1>>>(All + At, All, 9);
    Print("rows", At >= 0 && At < 9, At);
  }
}
