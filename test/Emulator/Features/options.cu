// What can be chosen for a run.
//
// RUN: %sluice emulate %s --gpu=sm_80 | FileCheck %s --check-prefix=SM80
// SM80: sm_80, 108 SMs
// RUN: %sluice emulate %s --memory=64M -- 100 | FileCheck %s --check-prefix=MEMORY
// MEMORY: 64 MiB, out of memory
//
// With one thread blocks come in order; a seed makes another order, the same
// each time.
// RUN: %sluice emulate %s --threads=1 | FileCheck %s --check-prefix=ORDER
// ORDER: order 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// RUN: %sluice emulate %s --threads=1 --schedule-seed=7 > %t.7
// RUN: %sluice emulate %s --threads=1 --schedule-seed=7 | cmp - %t.7
// RUN: not grep 'order 0 1 2 3 4 5 6 7 8 9 10 11' %t.7
// RUN: grep 'sum 120' %t.7
//
// RUN: %sluice emulate %s --statistics 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: sluice emulate: count: {{[0-9.]+}} M lane-instructions in {{[0-9.]+}} s, {{[0-9.]+}} G/s
//
// RUN: not %sluice emulate %s --gpu=sm_42 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: {{.*}}sm_42
// RUN: not %sluice emulate %s --isa=mmx 2>&1 | FileCheck %s --check-prefix=ISA
// ISA: error: {{.*}}mmx{{.*}}avx2
// RUN: not %sluice emulate %s --check=memroy 2>&1 | FileCheck %s --check-prefix=CHECK-OPTION
// CHECK-OPTION: error: {{.*}}memroy{{.*}}races
// RUN: %sluice emulate %s --isa=base | FileCheck %s --check-prefix=BASE
// BASE: sum 120

#include <cstdio>
#include <cstdlib>

__global__ void count(unsigned *next, unsigned *order, unsigned *sum) {
  order[atomicAdd(next, 1u)] = blockIdx.x;
  atomicAdd(sum, blockIdx.x);
}

int main(int argc, char **argv) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("sm_%d%d, %d SMs\n", properties.major, properties.minor,
              properties.multiProcessorCount);
  if (argc > 1) {
    void *large;
    std::printf("%zu MiB, %s\n", properties.totalGlobalMem >> 20,
                cudaGetErrorString(
                    cudaMalloc(&large, size_t(std::atoi(argv[1])) << 20)));
    return 0;
  }
  unsigned *data, host[18];
  cudaMalloc(&data, sizeof host);
  cudaMemset(data, 0, sizeof host);
  count<<<16, 1>>>(data, data + 1, data + 17);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("order");
  for (int i = 0; i < 16; ++i)
    std::printf(" %u", host[1 + i]);
  std::printf("\nsum %u\n", host[17]);
}
