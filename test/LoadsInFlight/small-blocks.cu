// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of 2,048 elements that blocks of 64 threads fill takes 32 iterations:
// several go together. Not where the blocks fill it in two, nor where how much of
// it is filled is known when the kernel runs only.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=together
// RUN: %same-loads %s %t int=128 block=64 grid=2
//
// CHECK: small-blocks.cu:[[#@LINE+10]]:3: remark: 16 iterations of the loop are taken together: 512 threads of an SM have 32 KiB on their way so, and 2 KiB as clang has it

constexpr int Elements = 2048;

#define FILL(END)                                                                \
  for (int i = threadIdx.x; i < END; i += blockDim.x)                            \
    tile[i] = i < n ? in[i] : 0;
__global__ void small(const float *in, float *out, int n) {
  __shared__ float tile[Elements];

  FILL(Elements)
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x * 7 % Elements];
}

__global__ void large(const float *in, float *out, int n) {
  __shared__ float tile[Elements];
  FILL(Elements)
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x * 7 % Elements];
}

__global__ void open(const float *in, float *out, int n) {
  __shared__ float tile[Elements];
  FILL(n)
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x];
}

void launch(const float *in, float *out, int n) {
  small<<<1024, 64>>>(in, out, n);
  large<<<1024, 1024>>>(in, out, n);
  open<<<1024, 64>>>(in, out, n);
}
