// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the emulator: the attribute is as the plan says, the results are as without
// it, and so is the last error, which one launch refuses.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - {name: _ZN12_GLOBAL__N_14fillEPi, carveout: 50}\n  - {name: _Z3addIiEvPT_, carveout: 25}\n' > %t.yaml
// RUN: %sluicexx --sluice-emulate -O2 %s -o %t.plain
// RUN: %t.plain > %t.plain.out 2> %t.plain.err
// RUN: %sluicexx --sluice-emulate -O2 %s --sluice-plan=%t.yaml -o %t.exe
// RUN: %t.exe > %t.out 2> %t.err
// RUN: diff %t.plain.err %t.err
// RUN: FileCheck %s < %t.out
// RUN: sed 's/carveout.*;/carveout -1;/' %t.out | diff - %t.plain.out
// RUN: %sluicexx --sluice-emulate -fgpu-rdc -O2 %s --sluice-plan=%t.yaml -o %t.rdc.exe
// RUN: %t.rdc.exe 2>/dev/null | FileCheck %s

#include <cstdio>

namespace {
__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }
} // namespace
template <typename T> __global__ void add(T *p) { p[threadIdx.x] += 1; }

template <typename K> void report(const char *name, K kernel) {
  cudaFuncAttributes facts;
  cudaFuncGetAttributes(&facts, kernel);
  std::printf("%s: carveout %d; last error %d\n", name,
              facts.preferredShmemCarveout, cudaPeekAtLastError());
}

int main() {
  int *device, sum = 0, host[32];
  cudaMalloc(&device, sizeof host);
  // CHECK: fill: carveout -1; last error 0
  report("fill", fill);
  fill<<<1, 32>>>(device);
  // CHECK: fill: carveout 50; last error 0
  report("fill", fill);

  cudaSetDevice(7);
  add<<<1, 32>>>(device);
  // CHECK: add: carveout -1; last error 101
  report("add", add<int>);
  cudaGetLastError();
  add<<<1, 32>>>(device);
  // CHECK: add: carveout 25; last error 0
  report("add", add<int>);

  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  for (int x : host)
    sum += x;
  // CHECK: sum 560
  std::printf("sum %d\n", sum);
  return 0;
}
