// cudaLaunchKernel is a launch. Its arguments are behind pointers, so none of
// them is known, and the kernel tests the pitch.
//
// RUN: %sluice-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx _Z5fires:1 _Z9addressOf:1 _Z11cooperative:1 _Z12instantiated:1 _Z6tested:1
// RUN: %same-results %s %t

__global__ void fires(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void addressOf(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'addressOf' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void cooperative(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'cooperative' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

template <class T>
__global__ void instantiated(const T *A, const T *B, T *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'instantiated<float>' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void tested(const float *A, const float *B, float *sums, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'tested' throttled, N=4 if pitch >= 32: footprint 532480 B (8 blocks of 520 lines)
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * pitch + j] * B[i * pitch + j];
}

void run(const float *A, const float *B, float *sums) {
  int pitch = 512;
  void *arguments[] = {&A, &B, &sums, &pitch};
  cudaLaunchKernel((const void *)fires, dim3(1056), dim3(256), arguments, 0, 0);
  cudaLaunchKernel((void *)&addressOf, 1056, 256, arguments, 0, 0);
  cudaLaunchCooperativeKernel((void *)cooperative, dim3(1056), dim3(256), arguments, 0, 0);
  cudaLaunchKernel((const void *)instantiated<float>, dim3(1056), dim3(256), arguments, 0, 0);
  cudaLaunchKernel((const void *)tested, dim3(1056), dim3(256), arguments, 0, 0);
}
