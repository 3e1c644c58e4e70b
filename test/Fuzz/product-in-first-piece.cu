// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=loads-in-flight --seed=25001, kernel 8068):
// the first of a loop's pieces subtracts zero from a product.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O2 -ffp-contract=on -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=2 -fplugin-arg-sluice-promote=on
// SCHEDULE: 0
//! buffers:
//!   - { name: A1, type: i32, elements: 8192, fill: random, low: 0.00, high: 4000.00, seed: 116 }
//!   - { name: io, type: f32, elements: 14336, fill: random, low: -2.00, high: 2.00, seed: 652 }
//! launches:
//!   - { kernel: k8068_, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A1, io, bytes 1c000000, bytes 36000000] }

__global__ void k8068_(const unsigned *__restrict__ A1, float *io, int width, int shift) {
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  io[gid * 56 + shift] = 0;
  for (int j5 = width - 1; j5 >= 0; --j5)
    io[gid * 56 + shift] = float(A1[gid + j5]) * 0.3f - io[gid * 56 + shift];
}

void launch8068(const unsigned *__restrict__ A1, float *io) {
  k8068_<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A1, io, 28, 54);
}
