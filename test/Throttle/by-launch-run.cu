// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches whose sizes are known only when the program runs: the results are
// those without turns, and each launch takes as many turns as its sizes ask for.
// On a GPU of two SMs, four blocks an SM are more than the L1, seven more than
// twice. (Where there are no turns, there is no barrier either.)
//
// RUN: %sluice emulate %s --sluice-sms=2 --compare --check=memory,races --trace=%t.trace
// RUN: awk -f %S/Inputs/turns.awk %t.trace | FileCheck %s

#define BODY                                                                   \
  (const float *A, const float *B, float *sums) {                              \
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; \
    int thread =                                                               \
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;   \
    int i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;           \
    for (int j = 0; j < 8; ++j)                                                \
      sums[i] += A[i * 64 + j] * B[i * 64 + j];                                \
  }

__global__ void anyBlock BODY
__global__ void ofPlane BODY
__global__ void notWhole BODY
__global__ void various BODY

int main() {
  const int Threads = 16 * 1024;
  float *A, *B, *sums;
  cudaMallocManaged(&A, Threads * 64 * sizeof(float));
  cudaMallocManaged(&B, Threads * 64 * sizeof(float));
  cudaMallocManaged(&sums, Threads * sizeof(float));
  for (int i = 0; i < Threads * 64; ++i) {
    A[i] = i % 17 * 0.5f;
    B[i] = i % 13 * 0.25f - 1;
  }
  for (int i = 0; i < Threads; ++i)
    sums[i] = 0;

  // One-dimensional blocks of whole warps, ...
  // CHECK: _Z8anyBlockPKfS0_Pf 6,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 7,1,1 256,1,1 2 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 12,1,1 256,1,1 2 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 13,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 1,2,4 256,1,1 2 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 40,1,1 64,1,1 2 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 2,1,1 1024,1,1 0 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 3,1,1 1024,1,1 4 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 64,1,1 32,1,1 0 turns
  // and what the table does not have.
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 13,1,1 250,1,1 0 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 13,1,1 128,2,1 0 turns
  // CHECK-NEXT: _Z8anyBlockPKfS0_Pf 13,1,1 64,1,4 0 turns
  struct {
    dim3 Grid, Block;
  } Any[] = {{6, 256},  {7, 256},    {12, 256},          {13, 256},
             {dim3(1, 2, 4), 256},   {40, 64},           {2, 1024},
             {3, 1024}, {64, 32},    {13, 250},          {13, dim3(128, 2)},
             {13, dim3(64, 1, 4)}};
  for (auto &L : Any)
    anyBlock<<<L.Grid, L.Block>>>(A, B, sums);

  // CHECK-NEXT: _Z7ofPlanePKfS0_Pf 3,2,1 16,16,1 0 turns
  // CHECK-NEXT: _Z7ofPlanePKfS0_Pf 7,1,1 16,16,1 2 turns
  // CHECK-NEXT: _Z7ofPlanePKfS0_Pf 7,2,1 16,16,1 4 turns
  for (dim3 Grid : {dim3(3, 2), dim3(7), dim3(7, 2)})
    ofPlane<<<Grid, dim3(16, 16)>>>(A, B, sums);

  // Seven warps and a part of one.
  // CHECK-NEXT: _Z8notWholePKfS0_Pf 6,1,1 250,1,1 0 turns
  // CHECK-NEXT: _Z8notWholePKfS0_Pf 8,1,1 250,1,1 2 turns
  // CHECK-NEXT: _Z8notWholePKfS0_Pf 15,1,1 250,1,1 4 turns
  for (int Grid : {6, 8, 15})
    notWhole<<<Grid, 250>>>(A, B, sums);

  // Sizes that are known, and ask for different N.
  // CHECK-NEXT: _Z7variousPKfS0_Pf 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z7variousPKfS0_Pf 8,1,1 256,1,1 2 turns
  // CHECK-NEXT: _Z7variousPKfS0_Pf 2,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z7variousPKfS0_Pf 6,1,1 512,1,1 2 turns
  // CHECK-NEXT: _Z7variousPKfS0_Pf 3,1,1 100,1,1 0 turns
  various<<<16, 256>>>(A, B, sums);
  various<<<8, 256>>>(A, B, sums);
  various<<<2, 256>>>(A, B, sums);
  various<<<6, 512>>>(A, B, sums);
  various<<<3, 100>>>(A, B, sums);
  return cudaDeviceSynchronize();
}
