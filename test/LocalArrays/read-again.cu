// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that reads an array of its thread, has few iterations and may end
// early, in a loop that does not write the array: unrolled whole, each iteration
// with its end, the elements are read once, before the outer loop.
//
// RUN: %arrays-cc %s -Rpass=sluice-local-arrays 2>%t.remarks >%t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: %arrays-cc %s -fplugin-arg-sluice-local-arrays=off | FileCheck %s --check-prefix=PLAIN
// RUN: for n in 0 1 3 4 7; do %same-staged %s %t int=$n block=64 grid=2 || exit 1; done

// REMARK: read-again.cu:[[#@LINE+24]]:5: remark: the loop is unrolled whole, each iteration with its ends: the loop around it reads the same elements of an array of 32 bytes again [-Rpass=sluice-local-arrays]

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

// An array whose index is loaded stays in memory.
#define FILL                                                                   \
  int key[8];                                                                  \
  for (int k = 0; k < 8; ++k)                                                  \
    key[k] = k;                                                                \
  key[a[ME] & 7] = 5;                                                          \
  int keys = (a[ME] & 1) + (n > 1) + (n > 3), found = 0;

#define COMPARE(MOST)                                                          \
  bool same = true;                                                            \
  for (int k = 0; k < MOST; ++k)                                               \
    if (((a[row * 3 + k] + row) & 3) != key[k]) {                              \
      same = false;                                                            \
      break;                                                                   \
    }                                                                          \
  found += same ? row : -1;

extern "C" __global__ void matches(const int *__restrict__ a, int *out, int n) {
  FILL
  for (int row = 0; row < 50; ++row) {
    COMPARE(keys)
  }
  out[ME] = found;
}
// CHECK-LABEL: .entry matches
// CHECK: ld.local
// CHECK: ld.local
// CHECK: ld.local
// CHECK-NOT: ld.local
// CHECK: ret;
// PLAIN-LABEL: .entry matches
// PLAIN: [[LOOP:\$L__BB[0-9_]+]]:
// PLAIN: ld.local

// The outer loop writes the array.
extern "C" __global__ void changes(const int *__restrict__ a, int *out, int n) {
  FILL
  for (int row = 0; row < 50; ++row) {
    COMPARE(keys)
    key[found & 7] = row;
  }
  out[ME] = found;
}

// There are sums of products in it.
extern "C" __global__ void products(const int *__restrict__ a, int *out, int n) {
  FILL
  float s = 0;
  for (int row = 0; row < 50; ++row) {
    for (int k = 0; k < keys; ++k) {
      s += s * a[row * 3 + k];
      if (((a[row * 3 + k] + row) & 3) != key[k])
        break;
    }
    found ^= int(s);
  }
  out[ME] = found;
}

// Its number of iterations is not known to be small.
extern "C" __global__ void many(const int *__restrict__ a, int *out, int n) {
  FILL
  for (int row = 0; row < 50; ++row) {
    COMPARE(n)
  }
  out[ME] = found + keys;
}

// Where it is not read again, nothing is gained.
extern "C" __global__ void once(const int *__restrict__ a, int *out, int n) {
  FILL
  for (int k = 0; k < keys; ++k)
    if ((a[k] & 3) != key[k]) {
      found = 7;
      break;
    }
  out[ME] = found;
}
