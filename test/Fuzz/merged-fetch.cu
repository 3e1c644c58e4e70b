// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=software-l1-lines --seed=5101, kernel 3409):
// LLVM made one load of two that fetch a line, and their mark was lost, so that
// the emulator took the bytes between two threads' for the program's.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O1 -ffp-contract=on -std=c++20
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=shared -fplugin-arg-sluice-test-count=1 -fplugin-arg-sluice-promote=on
// SCHEDULE: 0
//! buffers:
//!   - { name: data, type: i8, elements: 1664, fill: random, low: 0.00, high: 100.00, seed: 66 }
//! launches:
//!   - { kernel: k3409_, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [data] }

__global__ void __launch_bounds__(64) k3409_(unsigned char *data) {
  const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 64 + tid;
  unsigned char *mine = data + gid * 13;
  unsigned sum = 7, at = tid;
  for (int j5 = 0; j5 < 13 && unsigned(mine[(j5 % 9)]) % 51u != 3u; ++j5) {
    if (unsigned(mine[(j5 % 9)]) & 6u) {
      sum = sum * 3u + unsigned(mine[(j5 / 5 % 9)]);
    } else {
      sum = sum * 1u + unsigned(mine[(at % 9u)]);
    }
    at = at * 3u + unsigned(mine[(j5 / 4 % 9)]);
  }
  mine[8] = (unsigned char)sum;
}

void launch3409(unsigned char *data) {
  k3409_<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(data);
}
