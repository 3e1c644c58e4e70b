// A reduction of a vector, which LLVM's SLP vectoriser makes. (Found by sluice-fuzz.)
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=on -std=c++17 -gline-tables-only
// TRANSFORM: -fplugin-arg-sluice-throttle=2
// SCHEDULE: 0
//! buffers:
//!   - { name: A0, type: i32, elements: 8448, fill: random, low: 0.00, high: 4000.00, seed: 103 }
//!   - { name: out0, type: i64, elements: 256, fill: zero }
//! launches:
//!   - { kernel: k574_, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A0, out0] }

template <class T> __device__ inline T bound(T v) {
  return v < T(-256) ? T(-256) : v > T(256) ? T(256) : v;
}

__global__ void k574_(const unsigned *__restrict__ A0, long long * out0) {
  const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 64 + tid;
  float v0 = 1;
  int j1 = 0;
  do {
    out0[gid] ^= (long long)((unsigned long long)(long long)(A0[211 * 33 + j1]) * 24u + (A0[j1 * 33 + 1] & threadIdx.x));
  } while (++j1 < 9);
  out0[gid] = unsigned(out0[gid]) * 3u + unsigned(int(bound(v0)));
}

void launch574(const unsigned *__restrict__ A0, long long *out0) {
  k574_<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A0, out0);
}
