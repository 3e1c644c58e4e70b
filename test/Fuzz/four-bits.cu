// Integers of four bits, which LLVM makes of masked ones. (Found by sluice-fuzz.)
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=off -std=c++20
// TRANSFORM: -fplugin-arg-sluice-throttle=2
// SCHEDULE: 0
//! buffers:
//!   - { name: A0, type: i32, elements: 3072, fill: random, low: -1000.00, high: 1000.00, seed: 760 }
//!   - { name: out0, type: f64, elements: 128, fill: zero }
//! launches:
//!   - { kernel: k5188_, grid: [1, 1, 1], block: [64, 1, 1],
//!       arguments: [A0, out0] }

template <class T> __device__ inline T bound(T v) {
  return v < T(-256) ? T(-256) : v > T(256) ? T(256) : v;
}

static __device__ float h5188_0(const int *row, int n, unsigned u) {
  float sum = 0;
  int j0 = 0;
  do {
    sum += float(row[j0 & 7]) * float(row[j0 & 7]);
  } while (++j0 < int(u & 15));
  return bound(sum);
}

template <int Q>
__global__ void __launch_bounds__(64) k5188_(const int *__restrict__ A0, double *out0) {
  const int tid = threadIdx.x;
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 64 + tid;
  float v0 = 2;
  int j3 = 0;
  while (j3 < (tid & 7) + 1) {
    const float v4 = 1.0f, v4b = h5188_0(A0 + gid * 24, 6, unsigned(j3));
    v0 += v4 - v4b;
    ++j3;
  }
  out0[gid] += v0;
}

void launch5188(const int *__restrict__ A0, double *out0) {
  k5188_<6><<<dim3(1, 1, 1), dim3(64, 1, 1)>>>(A0, out0);
}
