// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that does nothing but count digits in shared memory, of elements that
// are in registers, takes two iterations together, also where the source asks
// for it (`#pragma unroll`; LLVM takes one of a length that is not known). Not
// with few counts, nor where their old values are read, nor where the source
// forbids it.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.remarks
// RUN: for n in 0 1 7 8 9 16 17 31 32; do %same-loads %s %t int=$n fill=ints=1000000 block=64 grid=2 || exit 1; done
//
// REMARK: counts.cu:[[#@LINE+15]]:3: remark: 2 iterations of the loop are taken together: what the counts of one need is computed while those of the other are made
// REMARK: counts.cu:{{[0-9]+:[0-9]+}}: remark: 2 iterations of the loop are taken together
//
// CHECK-LABEL: .entry digits(
// CHECK-COUNT-12: atom.shared
// CHECK-NOT: atom.shared
// CHECK: .entry asked(
extern "C" __global__ void digits(const int *in, int *out, int end) {
  __shared__ int bins[4][16];
  for (int i = threadIdx.x; i < 64; i += 64)
    bins[0][i] = 0;
  __syncthreads();
  int keys[4];
  for (int u = 0; u < 4; ++u)
    keys[u] = in[threadIdx.x + u];
  for (int bit = 0, pass = 0; bit < end; bit += 8, ++pass)
    for (int u = 0; u < 4; ++u)
      atomicAdd(&bins[pass & 3][keys[u] >> bit & 15], 1);
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 64] = bins[0][threadIdx.x];
}

extern "C" __global__ void asked(const int *in, int *out, int end) {
  __shared__ int bins[64];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int a = in[threadIdx.x], b = in[threadIdx.x + 1];
#pragma unroll
  for (int bit = 0; bit < end; bit += 8) {
    atomicAdd(&bins[a >> bit & 63], 1);
    atomicAdd(&bins[b >> bit & 63], 2);
    atomicAdd(&bins[(a ^ b) >> bit & 63], 3);
    atomicAdd(&bins[(a + b) >> bit & 63], 4);
  }
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 64] = bins[threadIdx.x];
}

extern "C" __global__ void few(const int *in, int *out, int end) {
  __shared__ int bins[64];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int a = in[threadIdx.x];
  for (int bit = 0; bit < end; bit += 8)
    atomicAdd(&bins[a >> bit & 63], 1);
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 64] = bins[threadIdx.x];
}

extern "C" __global__ void forbidden(const int *in, int *out, int end) {
  __shared__ int bins[64];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int a = in[threadIdx.x], b = in[threadIdx.x + 1];
#pragma nounroll
  for (int bit = 0; bit < end; bit += 8) {
    atomicAdd(&bins[a >> bit & 63], 1);
    atomicAdd(&bins[b >> bit & 63], 2);
    atomicAdd(&bins[(a ^ b) >> bit & 63], 3);
    atomicAdd(&bins[(a + b) >> bit & 63], 4);
  }
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 64] = bins[threadIdx.x];
}
