// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who waits at a terminal sees how far a launch is, and nothing of it stays.
// Elsewhere, and of what is short, there is nothing.
//
// RUN: %sluicexx --sluice-emulate -O1 --cuda-gpu-arch=sm_90 %s -o %t
// RUN: env SLUICE_EMULATE=threads=1 python3 %S/Inputs/on-terminal.py %t | FileCheck %s
// RUN: %t short 2>&1 | FileCheck %s --check-prefix=PIPE
// CHECK: <CR><ESC>[Kspin(unsigned int*, int): [{{#*-*}}] {{[0-9]+}} % of 64 blocks, {{[0-9]+}} s left<CR><ESC>[K
// CHECK: <CR><ESC>[Kthe sum is {{[0-9]+}}
// PIPE-NOT: blocks
// PIPE: the sum is
#include <cstdio>

__global__ void spin(unsigned *Sum, int Rounds) {
  unsigned X = threadIdx.x;
  for (int I = 0; I < Rounds; ++I)
    X = X * 1664525u + (X >> 7);
  atomicAdd(Sum, X);
}

int main(int argc, char **) {
  unsigned *Sum, Host = 0;
  cudaMalloc(&Sum, 4);
  cudaMemset(Sum, 0, 4);
  spin<<<64, 256>>>(Sum, argc > 1 ? 100 : 400000);
  cudaMemcpy(&Host, Sum, 4, cudaMemcpyDeviceToHost);
  std::printf("the sum is %u\n", Host);
}
