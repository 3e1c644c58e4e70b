// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=loads-in-flight --seed=26002, kernel 1497):
// with an inner loop that is not unrolled clang unrolls the two loops around it
// whole, and a product from before is not in a loop any more.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=off -std=c++20 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=4
// SCHEDULE: 0
//! buffers:
//!   - { name: A0, type: i64, elements: 12800, fill: random, low: -100000.00, high: 100000.00, seed: 693 }
//!   - { name: A1, type: i16, elements: 12800, fill: random, low: -300.00, high: 300.00, seed: 909 }
//!   - { name: A2, type: i8, elements: 3200, fill: random, low: -128.00, high: 127.00, seed: 789 }
//!   - { name: out2, type: f32, elements: 400, fill: zero }
//! launches:
//!   - { kernel: k1497_, grid: [1, 1, 1], block: [64, 1, 1],
//!       shared: 400, arguments: [A0, A1, A2, out2] }

template <int Q>
__global__ void __launch_bounds__(100) k1497_(const long long *__restrict__ A0, const short *__restrict__ A1, const unsigned char *__restrict__ A2, float *__restrict__ out2) {
  const int tid = threadIdx.x;
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 100 + tid;
  float v0 = 0;
  int j2 = 0;
  do {
    for (int j4 = 0; j4 < 2; ++j4) {
      v0 += float(A0[j4 * 400 + gid]) * float(A1[j4 * 400 + gid]);
      const unsigned char *p5 = A2 + gid * 8, *const e6 = p5 + (tid & 3);
      while (p5 < e6)
        v0 += float(*p5++);
    }
  } while (++j2 < 9);
  out2[gid] += v0;
}

void launch1497(const long long *__restrict__ A0, const short *__restrict__ A1, const unsigned char *__restrict__ A2, float *__restrict__ out2) {
  k1497_<8><<<dim3(1, 1, 1), dim3(64, 1, 1), 400>>>(A0, A1, A2, out2);
}
