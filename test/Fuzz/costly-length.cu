// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product from before a loop is fused with a sum in it, as clang keeps the
// loop: to compute how many iterations it has takes a division. Several
// iterations together would use the product several times, and it would be
// rounded alone.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=on -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=8 -fplugin-arg-sluice-early-loads=auto
// SCHEDULE: 0
//! buffers:
//!   - { name: A0, type: f32, elements: 5280, fill: random, low: -2.00, high: 2.00, seed: 611 }
//!   - { name: A1, type: i32, elements: 1056, fill: random, low: 0.00, high: 4000.00, seed: 37 }
//!   - { name: out0, type: f64, elements: 132, fill: zero }
//!   - { name: out1, type: f32, elements: 264, fill: zero }
//!   - { name: out2, type: f64, elements: 1056, fill: zero }
//!   - { name: flags, type: i32, elements: 4, fill: zero }
//! launches:
//!   - { kernel: k370_, grid: [4, 1, 1], block: [33, 1, 1],
//!       arguments: [A0, A1, bytes 08000000, out0, out1, out2, flags, bytes 0b000000, bytes 0a000000] }

#ifdef SFU_MARKED
#define MARKED __attribute__((annotate("sluice:sfu=2")))
#else
#define MARKED
#endif
__constant__ int table[16] = {3, -7, 12, 5, 0, 9, -2, 14,
                              8, 1, -11, 6, 4, 13, 2, -5};
template <class T> __device__ inline T bound(T v) {
  return v < T(-256) ? T(-256) : v > T(256) ? T(256) : v;
}

static MARKED __device__ inline float h370_0(const float *row, int n, unsigned u) {
  float sum = 0;
  for (int j0 = 0; j0 < int((655u | 944u) & 15); ++j0) {
    sum += float(row[j0 & 7]);
    for (int j1 = 0; j1 < 2; j1 += 2)
      sum += float(row[j1]);
  }
  return bound(sum);
}

MARKED __device__ inline float h370_1(const unsigned *row, int n, unsigned u) {
  float sum = 0;
  if (n < n) {
    sum -= bound(float(row[5]));
    switch (11 & 3) {
      case 0: {
      } break;
      case 1: {
      } [[fallthrough]];
      case 2: {
        u = row[unsigned(int(row[((8 >> 7) & 7)])) % 8u];
      } [[fallthrough]];
      default: {
      } break;
    }
  } else {
    if (((int(threadIdx.x) < n ? float(6) : bound(sum)) - (float(3) * bound(float(row[(int(bound(bound(float(row[(6 & 7)])))) & 7)])))) > (bound(float(row[(table[row[(int(unsigned(5) + unsigned(15)) & 7)] & 15] & 7)])) * bound(float(row[(table[u & 15] & 7)])))) {
    }
  }
  if ((10 & 1) == 0) {
    float v0 = (float(7) + 1.25f), v1 = (float(2) * (bound(sum) + float(6)));
  }
  for (int j2 = 0; j2 < n; j2 += 2) {
    sum += float(row[j2]) * float(row[j2]);
  }
  return bound(sum);
}

__global__ void __launch_bounds__(33) k370_(const float *A0, const unsigned *A1, int pitch1, double *__restrict__ out0, float *__restrict__ out1, double *__restrict__ out2, int *flags, int n0, int n1) {
  const int tid = threadIdx.x;
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  float v0 = 0;
  int j1 = 0;
  while (j1 < (tid & 7) + 1) {
    out0[gid] += float(A0[gid * 40 + j1]) * float(A1[j1 * 132 + gid]);
    ++j1;
  }
  bool c3 = float(n0) == 1.0f;
  bool c4 = n1 > 1;
  for (int j2 = 0; j2 < 24 - int(blockIdx.x); ++j2) {
    const float p5 = bound(float(A1[gid * pitch1 + (j2 & 7)])) * bound(float(A1[(j2 & 7)]));
    out0[gid] += bound(float(A0[gid * 40 + (j2 & 7)])) * bound(float(A0[gid * 40 + (j2 & 7)]));
    if (c3) {
      v0 = bound(float(A0[gid + j2])) > 0.2f ? bound(v0) : bound(float(A0[gid + j2]));
    } else {
      v0 += float(n0) * bound(float(A0[(j2 & 7)]));
      v0 += float(n1) * bound(float(A0[(j2 & 7)]));
    }
    if (c4) {
      v0 = bound(v0) + bound(float(A0[gid + j2])) * bound(float(A0[gid * 40 + (j2 & 7)])) + p5;
    } else {
      out2[(tid & 7) * 132 + gid] += bound(float(A1[gid * pitch1 + (j2 & 7)])) * bound(float(A0[gid * 40 + (j2 & 7)]));
    }
  }
  if (tid == 32) atomicAdd(flags + blockIdx.x + gridDim.x * blockIdx.y, 1);
  while (atomicAdd(flags + blockIdx.x + gridDim.x * blockIdx.y, 0) == 0);
  for (int j6 = n1 - 1; j6 >= 0; --j6) {
    v0 += float(A0[j6 * 132 + gid]) * float(A0[gid * 40 + j6]);
    const float *p7 = A0 + gid * 40, *const e8 = p7 + (tid & 7);
    while (p7 < e8) {
      v0 += float(*p7++);
      for (int j9 = 0; j9 < 1; ++j9) {
        v0 += float(A1[j9 * 132 + gid]) * float(A0[j9 * 132 + gid]);
        int j10 = 0;
        while (j10 < 2) {
          out0[gid] += float(A1[gid * pitch1 + j10]);
          ++j10;
        }
      }
    }
    out1[gid * 2 + 1] = ((bound(v0) + bound(A0[j6 * 132 + gid])) * (float(n0 & 255) - bound(v0)));
  }
  out0[gid] += v0;
}

void launch370(const float *A0, const unsigned *A1, double *__restrict__ out0, float *__restrict__ out1, double *__restrict__ out2, int *flags) {
  k370_<<<dim3(4, 1, 1), dim3(33, 1, 1)>>>(A0, A1, 8, out0, out1, out2, flags, 11, 10);
}
