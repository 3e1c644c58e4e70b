// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels without a loop of their own.

#ifdef LOOP
__device__ float inner(const float *A, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += A[i];
  return s;
}
#elif defined(RECURSION)
__device__ float inner(const float *A, int n) {
  return n == 0 ? *A : inner(A + int(*A), n - 1);
}
#else
__device__ float inner(const float *A, int n) { return n ? *A : 0; }
#endif

#ifndef TABLE
__global__ void calls(const float *A, float *y, int n) {
  y[threadIdx.x] = inner(A, n);
}
#endif

// Reached through a table of functions.
__device__ float (*const table[])(const float *, int) = {inner};

__global__ void callsByTable(const float *A, float *y, int n) {
  y[threadIdx.x] = table[n](A, n);
}

__global__ void copies(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = A[i];
}
