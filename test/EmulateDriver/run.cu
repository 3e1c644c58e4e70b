// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built, run and removed; and the same in two steps.
//
// RUN: rm -rf %t && mkdir %t && env TMPDIR=%t %sluice emulate %s -DFIRST=5 -- 37 | FileCheck %s
// RUN: ls %t | count 0
// RUN: %sluicexx --sluice-emulate -DFIRST=5 -c %s -o %t.o
// RUN: %sluicexx --sluice-emulate %t.o -lcudart_static -lcudadevrt -o %t.exe
// RUN: %t.exe 37 | FileCheck %s
// RUN: %sluice emulate %t.exe --gpu=sm_80 -- 37 | FileCheck %s
// RUN: env SLUICE_EMULATE=threads=1 %t.exe 37 | FileCheck %s
// RUN: env SLUICE_EMULATE=thread=1 not %t.exe 37 2>&1 | FileCheck %s --check-prefix=KEY
// CHECK: {{^}}42{{$}}
// KEY: unknown emulator option 'thread'; valid options are gpu=, check=, {{.*}}statistics=
#include <cstdio>
#include <cstdlib>

__global__ void add(int *Result, int Other) { *Result = FIRST + Other; }

int main(int argc, char **argv) {
  int *Device;
  int Host = 0;
  cudaMalloc(&Device, sizeof(int));
  add<<<1, 1>>>(Device, std::atoi(argv[1]));
  cudaMemcpy(&Host, Device, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(Device);
  std::printf("%d\n", Host);
  return 0;
}
