// The exit status is the program's; with 0 and a reported error it is 86.
//
// RUN: %sluice emulate %s -o %t -- 0 0
// RUN: not %t 5 0; %t 5 0; test $? = 5
// RUN: %t 0 1; test $? = 86
// RUN: %t 5 1; test $? = 5
// RUN: env SLUICE_EMULATE=fail-fast=1 %t 5 1; test $? = 86

#include <cstdlib>

__global__ void k(int *data, int offset) { data[offset] = 1; }

int main(int, char **argv) {
  int *data;
  cudaMalloc(&data, 4);
  k<<<1, 1>>>(data, std::atoi(argv[2]));
  cudaDeviceSynchronize();
  return std::atoi(argv[1]);
}
