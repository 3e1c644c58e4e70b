// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short loop that begins with what is loaded already takes its first
// iteration from that. A loop in a loop that writes, one that computes floats,
// one that begins elsewhere and one whose length is known stay.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 90; do %same-fewer %s %t int=$n fill=ints=4 block=64 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=90 fill=ints=4 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-start

// REMARK: peeled.cu:{{[0-9]+}}:{{[0-9]+}}: remark: the first iteration of a loop stands before it: what it begins with is loaded already
// REMARK-NOT: the first iteration

// The text and the pattern's first, each once; then both in each iteration.
// CHECK-LABEL: .entry search
// CHECK: This Loop Header: Depth=1
// CHECK-COUNT-2: ld.global.b32
// CHECK-NOT: ld.global.b32
// CHECK: Inner Loop Header: Depth=2
// CHECK-COUNT-2: ld.global.b32
// CHECK-NOT: ld.global.b32
// CHECK: ret;
// OFF-LABEL: .entry search
// OFF: This Loop Header: Depth=1
// OFF-COUNT-1: ld.global.b32
// OFF-NOT: ld.global.b32
// OFF: Inner Loop Header: Depth=2
// OFF-COUNT-2: ld.global.b32
extern "C" __global__ void search(const int *text, const int *pattern, int *out,
                                  int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0;
  for (int i = me; i < me + n; ++i) {
    if (text[i] == 3) {
      ++count;
      continue;
    }
    for (int j = i, k = 0; k < n; ++j, ++k) {
      if (text[j] != pattern[k])
        break;
      count += k;
    }
  }
  out[me] = count;
}

extern "C" __global__ void writes(const int *text, const int *pattern, int *out,
                                  int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = me; i < me + n; ++i) {
    if (text[i] == 3)
      continue;
    for (int j = i, k = 0; k < n; ++j, ++k) {
      if (text[j] != pattern[k])
        break;
      out[me] += k;
    }
  }
}

extern "C" __global__ void floats(const int *text, const int *pattern,
                                  float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = me; i < me + n; ++i) {
    if (text[i] == 3)
      continue;
    for (int j = i, k = 0; k < n; ++j, ++k) {
      if (text[j] != pattern[k])
        break;
      sum = sum * 0.5f + k;
    }
  }
  out[me] = sum;
}

extern "C" __global__ void elsewhere(const int *text, const int *pattern,
                                     int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0;
  for (int i = me; i < me + n; ++i) {
    if (text[i] == 3)
      continue;
    for (int j = i + 1, k = 0; k < n; ++j, ++k) {
      if (text[j] != pattern[k])
        break;
      count += k;
    }
  }
  out[me] = count;
}

extern "C" __global__ void counted(const int *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0;
  for (int i = me; i < me + n; ++i) {
    if (text[i] == 3)
      continue;
    for (int j = i; j < i + n; ++j)
      count = count * 3 + text[j];
  }
  out[me] = count;
}
