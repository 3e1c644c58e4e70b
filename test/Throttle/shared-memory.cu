// Shared memory is cut out of the L1: one matrix of 256 rows to each of 4 blocks
// fits, until the eight blocks that an SM could hold take 17 KiB each for
// themselves.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 10statically:1 11dynamically:1 6unused:same 11unknownSize:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off shared=16384

__global__ void statically(const float *A, float *sums) {
  __shared__ float tile[17 * 256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = sums[i];
  __syncthreads();
  // CHECK: [[@LINE+1]]:3: remark: loop of 'statically' throttled, N=2:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
  sums[i] += tile[(threadIdx.x + 1) % blockDim.x];
}

__global__ void dynamically(const float *A, float *sums) {
  extern __shared__ float room[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  room[threadIdx.x] = sums[i];
  __syncthreads();
  // CHECK: [[@LINE+1]]:3: remark: loop of 'dynamically' throttled, N=2:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
  sums[i] += room[(threadIdx.x + 1) % blockDim.x];
}

__global__ void unused(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'unused' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

__global__ void unknownSize(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'unknownSize' not throttled: the launch at {{.*}} has dynamic shared memory of a size that is not known at compile time
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

void run(const float *A, float *sums, int size) {
  statically<<<132 * 4, 256>>>(A, sums);
  dynamically<<<132 * 4, 256, 17 * 256 * sizeof(float)>>>(A, sums);
  unused<<<132 * 4, 256>>>(A, sums);
  unknownSize<<<132 * 4, 256, size>>>(A, sums);
}
