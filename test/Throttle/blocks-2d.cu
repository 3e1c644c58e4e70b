// Blocks of two dimensions. With a row to each tid.x, all rows of a block are
// touched at a time; with a row to each tid.y (as in syr2k), the 32 threads of
// a warp share theirs.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void fires(const float *A, const float *B, float *C) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N={{[0-9]+}}:
  for (int k = 0; k < 512; ++k)
    C[i * 2048 + j] += A[(i * 2048 + j) * 512 + k] * B[(i * 2048 + j) * 512 + k];
}

__global__ void stays(const float *A, const float *B, float *C) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: {{.*}} fits the L1
  for (int k = 0; k < 512; ++k)
    C[i * 2048 + j] += A[i * 512 + k] * B[i * 512 + k];
}

void run(const float *A, const float *B, float *C) {
  dim3 block(32, 8);
  dim3 grid(2048 / block.x, 2048 / block.y);
  fires<<<grid, block>>>(A, B, C);
  stays<<<grid, block>>>(A, B, C);
}
