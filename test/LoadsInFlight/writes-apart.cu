// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that write global memory, and whose iterations read nothing of what
// others write, as LLVM sees by itself: several iterations go together, with
// their loads first. As many as too little is on its way for.
//
// RUN: %writes-cc %s -fplugin-arg-sluice-loads-in-flight=auto -Rpass=sluice-loads 2>%t.remarks | FileCheck %s --check-prefix=PTX
// RUN: FileCheck %s --implicit-check-not=remark: < %t.remarks
// RUN: for n in 0 1 2 7 8 9 16 31; do %same-writes %s %t int=$n block=64 grid=1 -fplugin-arg-sluice-loads-in-flight=auto || exit 1; done
// RUN: for n in 0 1 3 4 31; do %same-writes %s %t int=$n block=64 grid=1 -fplugin-arg-sluice-loads-in-flight=4 || exit 1; done

#define LONG(V) (((V) * (V) + 1.5f) / ((V) + 2) + ((V) + 3) / ((V) * (V) + 4))

// In place, by a constant step, and another array that is apart.
// The rest of the loop is taken in pieces likewise.
// CHECK: writes-apart.cu:[[@LINE+10]]:3: remark: 8 iterations of the loop are taken together: 64 threads of an SM have
// CHECK: writes-apart.cu:[[@LINE+9]]:3: remark: the rest of the loop, fewer than 8 iterations, is not taken one by one
// PTX-LABEL: .entry project
// PTX-COUNT-16: ld.global
// PTX-NOT: ld.global
// PTX-COUNT-8: st.global
// PTX-COUNT-8: ld.global
// PTX: st.global
extern "C" __global__ void project(float *__restrict__ a, const float *__restrict__ q, int n) {
  const int i = threadIdx.x;
  for (int j = 0; j < n; ++j)
    a[j * 64 + i] -= q[j] * 0.25f;
}

// A row of its own by a step that is known when it runs, out of blocks: what is
// only read the assembler loads when it likes. The launch is not known.
// CHECK: writes-apart.cu:[[@LINE+4]]:3: remark: 4 iterations of the loop are taken together: 2048 threads of an SM, if it is full
extern "C" __global__ void path(float *__restrict__ out, const float *__restrict__ a, int n, int grid) {
  float s = 1;
  int at = threadIdx.x;
  for (int j = 0; j < n; ++j, at += 64) {
    const float v = a[at];
    s *= v > 0.5f ? LONG(v) : LONG(v + 1);
    out[at] = s;
  }
}

// The next iteration reads it.
extern "C" __global__ void next(float *__restrict__ a, int n) {
  const int i = threadIdx.x;
  for (int j = 0; j < n; ++j)
    a[(j + 1) * 64 + i] = a[j * 64 + i] + LONG(a[j * 64 + i + 64]);
}

// Nobody knows if they overlap.
extern "C" __global__ void maybe(float *a, const float *b, int n) {
  const int i = threadIdx.x;
  for (int j = 0; j < n; ++j)
    a[j * 64 + i] = LONG(b[j * 64 + i]) + 1;
}

// What stays at one place is written by the last iteration only, and elements
// that two iterations write by the later one.
extern "C" __global__ void again(float *__restrict__ a, const float *__restrict__ b, int n) {
  const int i = threadIdx.x;
  for (int j = 0; j < n; ++j) {
    a[j * 64 + i] = LONG(b[j * 64 + i]) + 1;
    a[(j + 1) * 64 + i] = b[j * 64 + i + 64];
  }
}

// A product that it writes, and reads: where LLVM sees it through it is fused.
extern "C" __global__ void product(float *__restrict__ a, int n) {
  const int i = threadIdx.x;
  for (int j = 0; j < n; ++j) {
    a[j * 64 + i] = a[j * 64 + i] * 0.5f;
    a[j * 64 + i + 2048] = LONG(a[j * 64 + i]);
  }
}

// One thread waits for each: more go together.
// CHECK: writes-apart.cu:[[@LINE+4]]:3: remark: 16 iterations of the loop are taken together: 32 threads of an SM have
// CHECK: writes-apart.cu:[[@LINE+3]]:3: remark: the rest of the loop, fewer than 16 iterations, is not taken one by one
extern "C" __global__ void serial(float *__restrict__ a, const float *__restrict__ b, float s, int n) {
  float last = 0;
  for (int j = 0; j < n; ++j) {
    last = b[j] - s / (last + 1);
    a[j] = last;
  }
}

void launch(float *a, const float *b, int n) {
  project<<<132, 64>>>(a, b, n);
  next<<<132, 64>>>(a, n);
  maybe<<<132, 64>>>(a, b, n);
  again<<<132, 64>>>(a, b, n);
  product<<<132, 64>>>(a, n);
  serial<<<1, 1>>>(a, b, 0.5f, n);
}
