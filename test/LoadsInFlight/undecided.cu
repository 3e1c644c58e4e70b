// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that stay in their loops: threads decide them differently, they
// change, the loop is long, has a barrier or a shuffle in it, or its results
// would be rounded another way.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | not grep "asked once"
// RUN: %loads-cc %s -Rpass-missed=sluice-loads 2>&1 >/dev/null | grep asked | FileCheck %s --implicit-check-not=remark:

extern "C" __global__ void ownCondition(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  const bool first = a[threadIdx.x] > 0.5f;
  for (int j = 0; j < n; ++j) {
    float v = a[j];
    if (first)
      out[me] = out[me] / 3 - v, s = v / 3;
    else
      s = s > v ? s / 3 : v;
  }
  out[me] = s;
}

extern "C" __global__ void changes(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  bool first = n & 1;
  for (int j = 0; j < n; ++j) {
    if (first)
      s = s / 3, out[me] = s;
    else
      s += a[j + threadIdx.x];
    first ^= j % 3 == 1;
  }
  out[me] = s;
}

// The threads write what they ask: one may have written before it is asked.
extern "C" __global__ void written(const float *a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    if (a[0] > 0.5f)
      s = s / 3, out[me] = s;
    else
      s += a[j + threadIdx.x];
  }
  out[me] = s;
}

// CHECK: undecided.cu:[[#@LINE+4]]:3: remark: a condition of the loop is not asked before it, though all threads decide alike: it has a barrier, a shuffle or a call in it [-Rpass-missed=sluice-loads-in-flight]
extern "C" __global__ void barrier(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    if (n & 1)
      s = s / 3, out[me] = s;
    __syncthreads();
    s += a[j + threadIdx.x];
  }
  out[me] = s;
}

// CHECK: undecided.cu:[[#@LINE+4]]:3: remark: {{.*}} alike: it has a barrier, a shuffle or a call in it
extern "C" __global__ void shuffle(const int *__restrict__ a, int *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  int s = 0;
  for (int j = 0; j < n; ++j) {
    if (n & 1)
      s = s / 3, out[me] = s;
    s += __nvvm_shfl_sync_bfly_i32(-1, a[j + threadIdx.x], 1, 31);
  }
  out[me] = s;
}

#define MORE(V) (((V) > y ? (V) / y : y / (V)) / ((V) / 3 + y))

// CHECK: undecided.cu:[[#@LINE+4]]:3: remark: {{.*}} alike: it is {{[0-9]+}} of LLVM's units long, and 100 may be there twice
extern "C" __global__ void longer(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    float y = a[j] + 1.5f;
    for (int k = 0; k < 8; ++k)
      s = MORE(s) + y, y = y / (s + 2);
    if (n & 1)
      s = s / 3, out[me] = s;
  }
  out[me] = s;
}

// The product and its sum would be in one block.
// CHECK: undecided.cu:[[#@LINE+4]]:3: remark: {{.*}} alike: whether a product is fused with a sum depends on its sides
extern "C" __global__ void apart(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    float v = a[j] * a[j + 1];
    if (n > 3)
      out[me] = out[me] / 3 - s + v;
    else
      s = s / 3 - v;
  }
  out[me] = s;
}

// LLVM may make one sum of both, which takes neither product.
// CHECK: undecided.cu:[[#@LINE+4]]:3: remark: {{.*}} alike: its sides have sums of products, or products, alike
extern "C" __global__ void alike(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    if (n > 3)
      out[me] = s = s + a[j] * a[j + 1];
    else
      s = s + a[j] * a[j + 2], out[me] = s / 3;
  }
  out[me] = s;
}

// x * 2 is x + x, and in no fma.
// CHECK: undecided.cu:[[#@LINE+4]]:3: remark: {{.*}} alike: a product in it would be of a constant
extern "C" __global__ void constant(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    const float v = a[j];
    float factor = 2;
    if (n > 3)
      factor = v / 3, out[me] = v;
    s += factor * v;
  }
  out[me] += s;
}

// One product of two may be fused, the one that is used once.
// CHECK: undecided.cu:[[#@LINE+4]]:3: remark: {{.*}} alike: whether a product is fused
extern "C" __global__ void oneOfTwo(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    const float p = a[j] * a[j + 1], q = a[j + 2] * a[j + 3];
    s = s / 3 + (p + q) / 7;
    if (n > 3)
      out[me] = p;
  }
  out[me] += s;
}

// Without what is written in between, a sum would see the product behind it.
// CHECK: undecided.cu:[[#@LINE+4]]:3: remark: {{.*}} alike: it may read a product that it writes
extern "C" __global__ void passed(const float *a, float *b, float *out, int n, int m) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    b[me * 64 + j] = a[j] * a[j + 1];
    if (m > 3)
      out[me] = a[j];
    else
      out[me + 1024] = a[j] / 3;
    s = s / 3 + b[me * 64 + j];
  }
  out[me] += s;
}

// A loop of one iteration is none, and its product meets the sum behind it.
// CHECK: undecided.cu:[[#@LINE+4]]:3: remark: {{.*}} alike: its number of iterations may be known where the condition is
extern "C" __global__ void fewIterations(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    if (n == 1)
      out[me] = a[j] / 3;
    s += a[j] * a[j];
  }
  out[me] += s;
}

extern "C" __global__ void off(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
#pragma sluice off
  for (int j = 0; j < n; ++j) {
    if (n & 1)
      s = s / 3, out[me] = s;
    s += a[j + threadIdx.x];
  }
  out[me] = s;
}
