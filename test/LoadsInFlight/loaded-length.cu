// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows whose lengths are loaded, as those of a sparse matrix, are mostly short:
// four iterations go together at most. Of a length that is the same for all
// threads as many do as keep memory busy.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=together
// RUN: for n in 0 1 2 3 4 5 7 8 9 21; do %same-loads %s %t int=$n block=64 grid=2 fill=ints=40 || exit 1; done
//
// CHECK: loaded-length.cu:[[#@LINE+8]]:3: remark: 4 iterations of the loop are taken together
// CHECK: loaded-length.cu:[[#@LINE+15]]:3: remark: {{8|16|32}} iterations of the loop are taken together

#define WORK(V) (((V) ^ sum) * 5 + ((V) > sum ? (V) - sum : sum * 3 - (V)) % 1000)

extern "C" __global__ void rows(const int *__restrict__ a, int *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x, length = a[threadIdx.x] + n;
  int sum = 0;
  for (int j = 0; j < length; ++j)
    sum += WORK(a[(j * 64 + threadIdx.x) & 1023]);
  out[me] = sum;
}

extern "C" __global__ void columns(const int *__restrict__ a, int *out, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  int sum = 0;
  for (int j = 0; j < n; ++j)
    sum += WORK(a[(j * 64 + threadIdx.x) & 1023]);
  out[me] = sum;
}

void launch(const int *a, int *out, int n) {
  rows<<<132, 64>>>(a, out, n);
  columns<<<132, 64>>>(a, out, n);
}
