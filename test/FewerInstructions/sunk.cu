// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A polynomial that LLVM has moved down behind a barrier, to where its value is used, goes back up to its coefficients,
// which would be in 144 registers until then. Not a short one, nor what reads memory, nor where a product would leave its
// sum, nor with fast-math flags.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.remarks
// RUN: %fewer-cc %s -ffast-math -Rpass=sluice-fewer 2>&1 >/dev/null | FileCheck %s --check-prefix=FAST --allow-empty
// RUN: for n in 0 5 64; do %same-fewer %s %t int=$n block=64 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=5 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=passed-store
//
// REMARK: sunk.cu:[[#]]:[[#]]: remark: {{[0-9]+}} instructions go back up to their operands: there are fewer registers to hold so [-Rpass=sluice-fewer-instructions]
// FAST-NOT: go back

template <int Count> __device__ double polynomial(const double *c, double x) {
  double sum = 0;
#pragma unroll
  for (int k = 0; k < Count; ++k)
    sum = sum * x + c[k];
  return sum;
}

#define EXCHANGE                                                               \
  __shared__ int t[64];                                                        \
  t[threadIdx.x] = n + threadIdx.x;                                            \
  if (n > 3) {                                                                 \
    __syncthreads();                                                           \
    t[threadIdx.x ^ 1] += 2;                                                   \
  }                                                                            \
  __syncthreads();

// CHECK-LABEL: .entry longOne
// CHECK-COUNT-70: fma.rn.f64
// CHECK: bra
// CHECK-NOT: fma.rn.f64
// CHECK: ret;
extern "C" __global__ void longOne(const double *c, double *out, int n) {
  const double value = polynomial<72>(c, threadIdx.x * 0.001);
  EXCHANGE
  out[blockIdx.x * 64 + threadIdx.x] = value + t[63 - threadIdx.x];
}

// CHECK-LABEL: .entry shortOne
// CHECK: bra
// CHECK-COUNT-8: fma.rn.f64
// CHECK: ret;
extern "C" __global__ void shortOne(const double *c, double *out, int n) {
  const double value = polynomial<10>(c, threadIdx.x * 0.001);
  EXCHANGE
  out[blockIdx.x * 64 + threadIdx.x] = value + t[63 - threadIdx.x];
}

// CHECK-LABEL: .entry product
// CHECK: bra
// CHECK-COUNT-70: fma.rn.f64
// CHECK: bar.sync
// CHECK: fma.rn.f64
// CHECK: ret;
extern "C" __global__ void product(const double *c, double *out, int n) {
  const double value = polynomial<72>(c, threadIdx.x * 0.001) * c[99];
  EXCHANGE
  out[blockIdx.x * 64 + threadIdx.x] = value + t[63 - threadIdx.x];
}
