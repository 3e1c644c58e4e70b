// A loop around the loop that all threads of a block run alike, in the ways
// that kernels bound one. The turns are then taken inside it: they must be, as
// there is a barrier in it.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 11blockStride:1 9tileStart:1 14globalConstant:10 12staticMember:10 13templateBoundI:10 11structBound:1 8negation:1 10localBound:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off int=4 kib=8192 grid=1 skip=stays

const int Rounds = 10;
struct Limits {
  static const int Rounds = 10;
  int rounds;
};

#define ADD_ROW(I)                                                             \
  for (int j = 0; j < 512; ++j)                                                \
    sums[I] += A[(I) * 512 + j] * B[(I) * 512 + j];

__global__ void blockStride(const float *A, const float *B, float *sums, int blocks) {
  for (int b = blockIdx.x; b < blocks; b += gridDim.x) {
    int i = b * blockDim.x + threadIdx.x;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'blockStride' throttled, N=4:
    ADD_ROW(i)
    __syncthreads();
  }
}

__global__ void tileStart(const float *A, const float *B, float *sums, int rows) {
  for (int start = 0; start < rows; start += 256) {
    int i = start + threadIdx.x;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'tileStart' throttled, N=4:
    ADD_ROW(i)
    __syncthreads();
  }
}

__global__ void globalConstant(const float *A, const float *B, float *sums) {
  for (int r = 0; r < Rounds; ++r) {
    int i = threadIdx.x + r * 256;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'globalConstant' throttled, N=4:
    ADD_ROW(i)
    __syncthreads();
  }
}

__global__ void staticMember(const float *A, const float *B, float *sums) {
  for (int r = 0; r < Limits::Rounds; ++r) {
    int i = threadIdx.x + r * 256;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'staticMember' throttled, N=4:
    ADD_ROW(i)
    __syncthreads();
  }
}

template <int N>
__global__ void templateBound(const float *A, const float *B, float *sums) {
  for (int r = 0; r < N; ++r) {
    int i = threadIdx.x + r * 256;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'templateBound<10>' throttled, N=4:
    ADD_ROW(i)
    __syncthreads();
  }
}

__global__ void structBound(const float *A, const float *B, float *sums, Limits limits) {
  for (int r = 0; r < limits.rounds; ++r) {
    int i = threadIdx.x + r * 256;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'structBound' throttled, N=4:
    ADD_ROW(i)
    __syncthreads();
  }
}

__global__ void negation(const float *A, const float *B, float *sums, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    int i = threadIdx.x + r * 256;
    if (threadIdx.x > 7)
      sums[i] = -r;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'negation' throttled, N=4:
    ADD_ROW(i)
    __syncthreads();
  }
}

__global__ void localBound(const float *A, const float *B, float *sums, int rows) {
  const int rounds = (rows + 255) / 256;
  int r = 0;
  while (true) {
    int i = threadIdx.x + r * 256;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'localBound' throttled, N=4:
    ADD_ROW(i)
    __syncthreads();
    r += 1;
    if (r == rounds)
      break;
  }
}

// What is read from memory is each thread's own as far as anyone knows.
__global__ void stays(const float *A, const float *B, float *sums, const int *rounds) {
  for (int r = 0; r < *rounds; ++r) {
    int i = threadIdx.x + r * 256;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'stays' not throttled: N=4 is wanted ({{.*}}), but the region at {{.*}}:[[@LINE-2]]:3 contains a block barrier
    ADD_ROW(i)
    __syncthreads();
  }
}

void run(const float *A, const float *B, float *sums, int n, const int *p) {
  blockStride<<<1056, 256>>>(A, B, sums, n);
  tileStart<<<1056, 256>>>(A, B, sums, n);
  globalConstant<<<1056, 256>>>(A, B, sums);
  staticMember<<<1056, 256>>>(A, B, sums);
  templateBound<10><<<1056, 256>>>(A, B, sums);
  structBound<<<1056, 256>>>(A, B, sums, Limits{n});
  negation<<<1056, 256>>>(A, B, sums, n);
  localBound<<<1056, 256>>>(A, B, sums, n);
  stays<<<1056, 256>>>(A, B, sums, p);
}
