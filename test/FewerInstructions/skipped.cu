// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all iterations but one read is read before the loop. Not where the loop
// writes memory, where more may be left out, where a product would be taken out
// that a sum is fused with, or where the source switches Sluice off.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks >%t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: for n in 0 1 2 9 64; do %same-fewer %s %t int=$n fill=ints=50 block=64 grid=1 || exit 1; done
// RUN: %same-fewer %s %t int=64 fill=ints=50 block=64 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=swapped-choice
//
// REMARK: skipped.cu:[[@LINE+9]]:{{[0-9]+}}: remark: 2 loads are done before the loop, of which one iteration at most is left out
// REMARK-NOT: done before the loop

extern "C" __global__ void forces(const int *x, int *out, int n) {
  const int i = threadIdx.x;
  int sum = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i)
      continue;
    sum += (x[j] - x[i]) * (x[j + 1] ^ x[i + 1]);
  }
  out[i] = sum;
}

extern "C" __global__ void writes(const int *x, int *out, int n) {
  const int i = threadIdx.x;
  for (int j = 0; j < n; ++j)
    if (j != i)
      out[i] += x[j] - x[i];
}

extern "C" __global__ void several(const int *x, int *out, int n) {
  const int i = threadIdx.x;
  int sum = 0;
  for (int j = 0; j < n; ++j)
    if (x[j] != i)
      sum += x[j] - x[i];
  out[i] = sum;
}

extern "C" __global__ void fused(const float *x, float *out, int n) {
  const int i = threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    if (j != i)
      sum = (x[j] + x[i] * 3.0f) * 0.5f + sum * 0.25f;
  out[i] = sum;
}

extern "C" __global__ void off(const int *x, int *out, int n) {
  const int i = threadIdx.x;
  int sum = 0;
#pragma sluice off
  for (int j = 0; j < n; ++j)
    if (j != i)
      sum += x[j] - x[i];
  out[i] = sum;
}
