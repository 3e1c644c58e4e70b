// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A condition that stays the same in a loop, and that all threads decide alike,
// is asked once, before it.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>%t.remarks | FileCheck %s
// RUN: grep -v "taken together\|rest of the loop" %t.remarks | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: for n in 0 1 3 4 9 40; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done
// RUN: %same-loads %s %t int=9 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=swapped-bodies
// RUN: %loads-cc %s -fplugin-arg-sluice-conditions-first=off -Rpass=sluice-loads 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not="asked once"
// OFF: .entry argument(
// RUN: printf 'sluice-plan: 23\ngpu: sm_90\nkernels:\n  - name: argument\n    conditions-first: false\n' > %t.yaml
// RUN: %loads-cc %s -fplugin-arg-sluice-plan=%t.yaml -Rpass=sluice-loads 2>&1 >/dev/null | grep -v "taken together\|rest of the loop" | FileCheck %s --check-prefix=PLAN --implicit-check-not=:27:
// PLAN-COUNT-7: asked once

// An argument's. Only one of the loops divides.
// REMARK: decided.cu:[[#@LINE+10]]:3: remark: a condition of the loop is asked once, before it: all threads decide alike [-Rpass=sluice-loads-in-flight]
// CHECK-LABEL: .entry argument(
// CHECK: setp.{{.*}}.s32 %[[P:p[0-9]+]]
// CHECK-DAG: sqrt.rn.f32
// CHECK-DAG: div.rn.f32
__device__ float root(float x) { return __nvvm_sqrt_rn_f(x); }

extern "C" __global__ void argument(const float *__restrict__ a, float *out, int n, int m) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j)
    if (m > 3)
      s += root(a[j] * a[j]) - 1;
    else
      s = (s + a[j + threadIdx.x]) / 3;
  out[me] = s;
}

// A block's.
// REMARK: decided.cu:[[#@LINE+4]]:3: remark: a condition of the loop is asked once
extern "C" __global__ void block(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    if (blockIdx.x & 1)
      s = s / 3, out[me + 128 * j] = s;
    s += a[j + threadIdx.x];
  }
  out[me + 128 * n] = s;
}

// One that is read, and a loop that writes.
// REMARK: decided.cu:[[#@LINE+5]]:3: remark: a condition of the loop is asked once
extern "C" __global__ void readOnce(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  const bool first = a[1] > 0.5f;
  for (int j = 0; j < n; ++j) {
    float v = a[j];
    if (first)
      out[me] = out[me] / 3 - v, s = v / 3;
    else
      s = s > v ? s / 3 : v;
  }
  out[me] = s;
}

// Not asked in each iteration, and of a loop that its data may end. Then what
// nobody had asked must not be poison.
// REMARK: decided.cu:[[#@LINE+4]]:3: remark: a condition of the loop is asked once
extern "C" __global__ void guarded(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    float v = a[j + threadIdx.x];
    if (v > 0.9f)
      break;
    if (v > 0) {
      if ((n >> 1) % 3 == 1)
        out[me] = v / 3, s = s / 5;
      else
        s = s + v / 7;
    }
  }
  out[me] += s;
}

// Two, and one of a thread's own, which stays.
// REMARK: decided.cu:[[#@LINE+6]]:3: remark: a condition of the loop is asked once
// REMARK: decided.cu:[[#@LINE+5]]:3: remark: a condition of the loop is asked once
// REMARK: decided.cu:[[#@LINE+4]]:3: remark: a condition of the loop is asked once
extern "C" __global__ void several(const float *__restrict__ a, float *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  for (int j = 0; j < n; ++j) {
    float v = a[j];
    if (n & 1)
      s = s / 3, out[me] = v;
    if (threadIdx.x & 1)
      out[me] = v / 3;
    if (n & 8)
      s = s + v / 7, out[me] = s;
  }
  out[me] += s;
}

// Atomics and volatile accesses are there once for each side.
// REMARK: decided.cu:[[#@LINE+3]]:3: remark: a condition of the loop is asked once
extern "C" __global__ void counted(const float *__restrict__ a, float *out, int *counts, int n) {
  volatile float *seen = out;
  for (int j = 0; j < n; ++j)
    if (n > 3)
      seen[threadIdx.x + blockIdx.x * blockDim.x] = a[j] / 3;
    else
      __nvvm_atom_add_gen_i(counts, 1);
}
