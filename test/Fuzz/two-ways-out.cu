// Lanes leave a loop by two ways, each a branch that its lanes take alike, in
// different iterations: what all lanes share in an iteration is then not shared
// behind the loop. (Found by sluice-fuzz.)
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=off -std=c++20
// TRANSFORM: -fplugin-arg-sluice-throttle=16
// SCHEDULE: 121
//! buffers:
//!   - { name: A0, type: i32, elements: 12288, fill: random, low: -1000.00, high: 1000.00, seed: 720 }
//!   - { name: A1, type: i16, elements: 15360, fill: random, low: -300.00, high: 300.00, seed: 981 }
//!   - { name: out0, type: f64, elements: 768, fill: zero }
//! launches:
//!   - { kernel: k5523_, grid: [1, 1, 1], block: [64, 1, 1],
//!       arguments: [A0, A1, out0, bytes 05000000] }

template <int Q>
__global__ void __launch_bounds__(128) k5523_(const int *__restrict__ A0, const short *__restrict__ A1, double *out0, int n0) {
  const int tid = threadIdx.x;
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  float v0 = 0;
  double v2 = 2;
  for (int j3 = 0; j3 < 18; ++j3) {
    v2 -= 1.0;
    auto f4 = [=](int n) {
      float sum = 0;
      for (int i = 0; i < n; ++i) {
        sum += float((A1 + gid * 40)[i]);
      }
      return sum;
    };
    v0 += f4(Q);
    if (gid < n0 && A0[j3 * 384 + j3] != 0) {
      break;
    }
  }
  out0[gid * 2 + (gid & 1)] += v0;
  out0[gid * 2 + (tid & 1)] += v2;
}

void launch5523(const int *__restrict__ A0, const short *__restrict__ A1, double *out0) {
  k5523_<15><<<dim3(1, 1, 1), dim3(64, 1, 1)>>>(A0, A1, out0, 5);
}
