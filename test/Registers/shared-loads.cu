// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where all lanes of a warp load the same, and so much is on its way that the L1 has more to do than it can, fewer warps
// lose nothing. So a kernel that waits less may have more registers, though not those of 64 where that costs too many
// blocks. Not where the launch is not known (it has 64 at most then, so that any is possible), or each lane loads its own.
//
// RUN: %loads-cc %s -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.ptx
// RUN: %loads-cc %s -fplugin-arg-sluice-registers=off -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: .maxnreg
//
// CHECK: .entry bits
// CHECK: .maxnreg 56
// REMARK: shared-loads.cu:[[#@LINE+27]]:1: remark: a thread has at most 56 registers: with [[#]] in place of [[#]] more of its loads are on their way together, and it waits [[#]] cycles and not [[#]]
//
// CHECK: .entry own
// CHECK-NOT: .maxnreg
// CHECK: .entry unknown
// CHECK: .maxnreg 64

// A product of a vector and a matrix of bits.
#define PRODUCT(NAME, MATRIX)                                                  \
  extern "C" __global__ void NAME(unsigned *out, const unsigned *matrices,     \
                                  int n) {                                     \
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;                  \
    unsigned words[5] = {1, 2, 3, 4, 5};                                       \
    for (int k = 0; k < n; ++k) {                                              \
      const unsigned *matrix = matrices + (MATRIX) * 800;                      \
      unsigned sum[5] = {};                                                    \
      for (int i = 0; i < 5; ++i)                                              \
        for (int bit = 0; bit < 32; ++bit)                                     \
          if (words[i] >> bit & 1)                                             \
            for (int j = 0; j < 5; ++j)                                        \
              sum[j] ^= matrix[(32 * i + bit) * 5 + j];                        \
      for (int j = 0; j < 5; ++j)                                              \
        words[j] = sum[j] + thread;                                            \
    }                                                                          \
    for (int j = 0; j < 5; ++j)                                                \
      out[5 * thread + j] = words[j];                                          \
  }
PRODUCT(bits, k)
PRODUCT(own, k + thread)
PRODUCT(unknown, k)

void launch(unsigned *out, const unsigned *matrices, int n, int block) {
  bits<<<132 * 16, 128>>>(out, matrices, n);
  own<<<132 * 16, 128>>>(out, matrices, n);
  unknown<<<132 * 16, block>>>(out, matrices, n);
}
