// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instruction lets a warp's load go past the L1 best, where the first
// warps of each block use it and the others do not: `L1::no_allocate` or `.cg`,
// as a pair of guarded loads or as two loops behind one branch. gesummv's loop,
// a row of 1,024 floats for each thread, blocks of 8 warps. Prints milliseconds,
// the median of five, for 0 to 8 warps that use the L1.
// docs/passes/warp-bypass.md has the results.
//
//   nvcc -O3 -arch=sm_90 bypass.cu
//   clang++ -O3 --cuda-gpu-arch=sm_90 bypass.cu ...
//
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int Columns = 1024, Threads = 256, Rows = 135168;

enum Form { Plain, AllPast, Pair, Loops };
enum Past { NoAllocate, CG };

template <Past P> __device__ float loadPast(const float *p) {
  float v;
  if (P == CG)
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p));
  else
    asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
  return v;
}

template <Past P> __device__ float loadPair(const float *p, int cached) {
  float v;
  if (P == CG)
    asm volatile("{.reg .pred %%c; setp.ne.s32 %%c, %2, 0;\n\t"
                 "@%%c ld.global.f32 %0, [%1];\n\t"
                 "@!%%c ld.global.cg.f32 %0, [%1];}"
                 : "=f"(v)
                 : "l"(p), "r"(cached));
  else
    asm volatile("{.reg .pred %%c; setp.ne.s32 %%c, %2, 0;\n\t"
                 "@%%c ld.global.f32 %0, [%1];\n\t"
                 "@!%%c ld.global.L1::no_allocate.f32 %0, [%1];}"
                 : "=f"(v)
                 : "l"(p), "r"(cached));
  return v;
}

template <Form F, Past P>
__device__ void sum(const float *A, const float *B, const float *x, float *y,
                    bool cached) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0, b = 0;
  for (int j = 0; j < Columns; ++j) {
    const float *pa = &A[size_t(row) * Columns + j];
    const float *pb = &B[size_t(row) * Columns + j];
    const float va = F == Pair      ? loadPair<P>(pa, cached)
                     : F == AllPast ? loadPast<P>(pa)
                                    : *pa;
    const float vb = F == Pair      ? loadPair<P>(pb, cached)
                     : F == AllPast ? loadPast<P>(pb)
                                    : *pb;
    a += va * x[j];
    b += vb * x[j];
  }
  y[row] = 1.5f * a + 1.2f * b;
}

template <Form F, Past P>
__global__ void rows(const float *A, const float *B, const float *x, float *y,
                     int warps) {
  const bool cached = int(threadIdx.x / 32) < warps;
  if (F != Loops)
    sum<F, P>(A, B, x, y, cached);
  else if (cached)
    sum<Plain, P>(A, B, x, y, true);
  else
    sum<AllPast, P>(A, B, x, y, false);
}

template <Form F, Past P>
static double time(const float *A, const float *B, const float *x, float *y,
                   int warps) {
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  std::vector<float> times;
  for (int i = 0; i < 6; ++i) {
    cudaEventRecord(from);
    rows<F, P><<<Rows / Threads, Threads>>>(A, B, x, y, warps);
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    float ms = 0;
    cudaEventElapsedTime(&ms, from, to);
    if (i > 0) // the first loads the code
      times.push_back(ms);
  }
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  return times[2];
}

int main() {
  float *A, *B, *x, *y;
  const size_t bytes = size_t(Rows) * Columns * sizeof(float);
  if (cudaMalloc(&A, bytes) || cudaMalloc(&B, bytes) ||
      cudaMalloc(&x, Columns * sizeof(float)) ||
      cudaMalloc(&y, Rows * sizeof(float))) {
    std::fprintf(stderr, "bypass: no GPU, or less than 1.2 GB free\n");
    return 1;
  }
  cudaMemset(A, 0, bytes);
  cudaMemset(B, 0, bytes);
  cudaMemset(x, 0, Columns * sizeof(float));
  std::printf("plain %.3f ms, all no_allocate %.3f, all cg %.3f\n",
              time<Plain, CG>(A, B, x, y, 8),
              time<AllPast, NoAllocate>(A, B, x, y, 0),
              time<AllPast, CG>(A, B, x, y, 0));
  std::printf("warps  pair, no_allocate  two loops, no_allocate  pair, cg  "
              "two loops, cg\n");
  for (int warps = 0; warps <= Threads / 32; ++warps)
    std::printf("%5d  %17.3f  %22.3f  %8.3f  %13.3f\n", warps,
                time<Pair, NoAllocate>(A, B, x, y, warps),
                time<Loops, NoAllocate>(A, B, x, y, warps),
                time<Pair, CG>(A, B, x, y, warps),
                time<Loops, CG>(A, B, x, y, warps));
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
