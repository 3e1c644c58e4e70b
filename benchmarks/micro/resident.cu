// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks an SM holds if blocks claim shared memory and the program
// asks for a carveout: does the driver give what the blocks could use, or what
// was asked for? Then a claim of a few KiB limits the blocks and leaves the L1.
//
//   resident   claimed bytes a block, carveout asked for, blocks an SM held
//
// `ncu --metrics launch__shared_mem_config_size` says what was configured.
//
#include "probe.h"

using bench::DeviceArray;

/// Counts the blocks that each SM holds at a time. Most[SM]: the highest.
__global__ void countResident(int *Now, int *Most) {
  extern __shared__ char Claimed[];
  if (threadIdx.x)
    return;
  unsigned SM;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(SM));
  asm volatile(
      "" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(Claimed))));
  int Held = atomicAdd(&Now[SM], 1) + 1;
  atomicMax(&Most[SM], Held);
  for (int I = 0; I < 200; ++I)
    __nanosleep(1000);
  atomicSub(&Now[SM], 1);
}

int main() {
  int SMs = probe::printDevice();
  DeviceArray<int> Now(SMs), Most(SMs);
  std::printf("\nresident,claimed_kib,carveout_percent,blocks_per_sm\n");
  auto *Kernel = reinterpret_cast<const void *>(countResident);
  for (int KiB : {0, 1, 3, 7, 15, 24, 31, 47, 56, 75, 100, 112, 160, 227})
    for (int Percent : {-1, 0, 4, 7, 14, 28, 44, 57, 100}) {
      CUDA_CHECK(cudaFuncSetAttribute(
          Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
      CUDA_CHECK(cudaFuncSetAttribute(
          Kernel, cudaFuncAttributePreferredSharedMemoryCarveout, Percent));
      CUDA_CHECK(cudaMemset(Now, 0, SMs * sizeof(int)));
      CUDA_CHECK(cudaMemset(Most, 0, SMs * sizeof(int)));
      countResident<<<SMs * 20, 128, KiB * 1024>>>(Now, Most);
      CUDA_CHECK(cudaGetLastError());
      probe::finish();
      int Highest = 0;
      for (int M : Most.toHost())
        Highest = std::max(Highest, M);
      std::printf("resident,%d,%d,%d\n", KiB, Percent, Highest);
    }
}
