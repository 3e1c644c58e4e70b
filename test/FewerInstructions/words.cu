// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours in arrays are accessed in words of 16 or 8 bytes, if the arrays are
// aligned, which is asked when it runs. Where they are not: words-unaligned.cu.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 3 64; do %same-fewer %s %t int=$n block=64 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=3 block=64 grid=2 expect=different skip=rows,behind,distant,inLoop,once,fewInLoop -fplugin-arg-sluice-test-wrong-rewrite=mixed-pair
// RUN: %same-fewer %s %t int=3 block=64 grid=2 expect=different skip=corners,inLoop -fplugin-arg-sluice-test-wrong-rewrite=mixed-pair
// RUN: %same-fewer %s %t int=3 block=64 grid=2 expect=different skip=corners,rows,behind,distant -fplugin-arg-sluice-test-wrong-rewrite=mixed-pair

// REMARK: words.cu:[[#@LINE+24]]:{{[0-9]+}}: remark: 1 group of neighbours is accessed in wider words where the arrays are aligned [-Rpass=sluice-fewer-instructions]

// Two arrays by one test.
// CHECK-LABEL: .entry corners
// CHECK: and.b64 [[BITS:%rd[0-9]+]], %rd{{[0-9]+}}, 15;
// CHECK: setp.{{(ne|eq)}}.b64 {{%p[0-9]+}}, [[BITS]], 0;
// CHECK-COUNT-4: st.global.v2.b64
// CHECK: ret;
// CHECK-COUNT-8: st.global.b64
// CHECK: // -- End function
// OFF-LABEL: .entry corners
// OFF-NOT: .v2
// OFF: ret;
extern "C" __global__ void corners(double *__restrict__ a,
                                   double *__restrict__ b, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = me + n, y = me - 2 * n;
  a[4 * me] = x;
  b[4 * me] = y;
  a[4 * me + 1] = x + 1;
  b[4 * me + 1] = y + 1;
  a[4 * me + 2] = x + 2;
  b[4 * me + 2] = y + 2;
  a[4 * me + 3] = x + 3;
  b[4 * me + 3] = y + 3;
}

// Rows are multiples of 8 bytes, and not of 16. Each product is fused with its
// sum as before.
// CHECK-LABEL: .entry rows
// CHECK-COUNT-5: ld.global.nc.v2.b32
// CHECK-COUNT-10: fma.rn
// CHECK: ret;
// CHECK-COUNT-10: ld.global.nc.b32
// CHECK: // -- End function
extern "C" __global__ void rows(const float *__restrict__ a,
                                float *__restrict__ out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0, t = 1;
#pragma unroll
  for (int i = 0; i < 10; ++i)
    s += a[10 * me + i] * (i + n);
  out[me] = s * t;
}

// Neighbouring threads write a sector together. The L1 joins no stores, and the
// test is made once, before the loop.
// CHECK-LABEL: .entry inLoop
// CHECK: st.global.v4.b32
// CHECK: st.global.b32
// CHECK: // -- End function
extern "C" __global__ void inLoop(unsigned *__restrict__ a, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int i = me; i < me + n; ++i) {
    a[4 * me] = i;
    a[4 * me + 1] = i + n;
    a[4 * me + 2] = i ^ n;
    a[4 * me + 3] = i * n;
    __syncthreads();
  }
}

// Outside of loops three accesses less are no more than the test.
// CHECK-LABEL: .entry once
// CHECK-NOT: {{[.]v[24]}}
// CHECK: ret;
extern "C" __global__ void once(unsigned *__restrict__ a, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  a[4 * me] = me;
  a[4 * me + 1] = me + n;
  a[4 * me + 2] = me ^ n;
  a[4 * me + 3] = me * n;
}

// Two less are too few in loops too, and loads may be in the L1.
// CHECK-LABEL: .entry fewInLoop
// CHECK-NOT: {{[.]v[24]}}
// CHECK: // -- End function
extern "C" __global__ void fewInLoop(unsigned *__restrict__ a,
                                     const unsigned *__restrict__ b, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = 0;
#pragma unroll 1
  for (int i = me; i < me + n; ++i) {
    s ^= b[4 * i] + b[4 * i + 1] * 3 + (b[4 * i + 2] ^ b[4 * i + 3]);
    a[4 * me] = s;
    a[4 * me + 1] = s + n;
    __syncthreads();
  }
}

// What is stored may be what is loaded behind it, as nobody says that the
// arrays are two.
// CHECK-LABEL: .entry behind
// CHECK-NOT: .v2
// CHECK: ret;
extern "C" __global__ void behind(float *a, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    out[8 * me + i] = a[8 * me + i] + n;
}

// A barrier between keeps them apart.
// CHECK-LABEL: .entry apart
// CHECK-NOT: .v2
// CHECK: ret;
extern "C" __global__ void apart(float *__restrict__ a, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    a[8 * me + i] = n + i;
    __syncthreads();
  }
}

// Neighbours of other threads: the accesses have their lines together already.
// CHECK-LABEL: .entry beside
// CHECK-NOT: .v2
// CHECK: ret;
extern "C" __global__ void beside(const float *__restrict__ a,
                                  float *__restrict__ out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    s += a[me + i];
  out[me] = s * n;
}

// All threads read the same.
// CHECK-LABEL: .entry same
// CHECK-NOT: .v2
// CHECK: ret;
extern "C" __global__ void same(const float *__restrict__ a,
                                float *__restrict__ out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    s += a[8 * blockIdx.x + i];
  out[me] = s * n;
}

// Volatile is what the source says.
// CHECK-LABEL: .entry asWritten
// CHECK-NOT: .v2
// CHECK: ret;
extern "C" __global__ void asWritten(volatile float *__restrict__ a, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    a[8 * me + i] = n;
}

// A product that would come to stand before the test, and its sum behind it,
// would be rounded between.
// CHECK-LABEL: .entry distant
// CHECK-NOT: ld.global{{.*}}.v2
// CHECK: ret;
extern "C" __global__ void distant(const float *__restrict__ a,
                                   const float *__restrict__ b,
                                   float *__restrict__ out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  const float product = b[me] * b[me + 1];
  out[4 * me] = product;
  float s = product;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    s += a[8 * me + i];
  out[4 * me + 1] = s;
}
