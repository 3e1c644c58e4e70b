// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's argument points to is no shared memory: sums in global memory
// stay in registers while tables in shared memory are read at places that
// nobody knows, and nothing is tested. (LLVM knows it of variables that no
// function is called with.) A state of bytes, as of ciphers.
//
// RUN: %sluice emulate %s -O3 --sluice-promote=off -- > %t.plain
// RUN: %sluice emulate %s -O3 --sluice-promote=on -Rpass=sluice-promote -- > %t.promoted 2> %t.remarks
// RUN: FileCheck %s < %t.remarks --implicit-check-not=remark:
// RUN: diff %t.plain %t.promoted && FileCheck %s --check-prefix=RAN < %t.plain
// CHECK: shared-tables.cu:[[#@LINE+28]]:3: remark: what the loop adds up in memory stays in registers
// RAN: state {{[0-9]+}}
// RAN: read {{[0-9]+}}
//
// All that is global is taken to be apart from what else is.
// RUN: %sluice emulate %s -O3 --sluice-promote=on --sluice-test-wrong-rewrite=untested-overlap -- > %t.wrong
// RUN: not diff %t.plain %t.wrong
//
// RUN: %sluicexx -x cuda %s -O3 -S -o - --cuda-device-only --cuda-gpu-arch=sm_90 -Wno-unknown-cuda-version --cuda-path=%cuda --sluice-transforms=off --sluice-promote=on | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry state(
// PTX: bar.sync
// PTX: ld.shared
// PTX-NOT: st.global
// PTX: bra
// PTX-LABEL: .entry read(

#include <cstdio>

__device__ unsigned char of(const unsigned char *box, unsigned char at) {
  return box[at];
}

extern "C" __global__ void state(unsigned char *data, const unsigned char *table, int rounds) {
  __shared__ unsigned char box[256];
  for (int i = threadIdx.x; i < 256; i += 32)
    box[i] = table[i];
  __syncthreads();
  unsigned char *mine = data + 4 * threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    const unsigned char first = of(box, mine[0]);
    for (int i = 0; i < 3; ++i)
      mine[i] = of(box, mine[i + 1]) ^ round;
    mine[3] = first;
  }
}

// One of what is read may be the sum's place: it is no shared memory.
extern "C" __global__ void read(unsigned char *data, const unsigned char *table, int rounds) {
  __shared__ unsigned char box[256];
  for (int i = threadIdx.x; i < 256; i += 32)
    box[i] = table[i];
  __syncthreads();
  unsigned char *mine = data + 4 * threadIdx.x;
  for (int round = 0; round < rounds; ++round)
    mine[0] = of(box, mine[0]) + table[of(box, round) & 124];
}

int main() {
  unsigned char *data;
  cudaMallocManaged(&data, 512);
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 512; ++i)
      data[i] = i * 7 + 3;
    if (k)
      read<<<1, 32>>>(data, data, 100);
    else
      state<<<1, 32>>>(data, data + 128, 9);
    cudaDeviceSynchronize();
    unsigned hash = 2166136261u;
    for (int i = 0; i < 512; ++i)
      hash = (hash ^ data[i]) * 16777619u;
    printf("%s %u\n", k ? "read" : "state", hash);
  }
}
