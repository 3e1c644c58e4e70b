// A launch in a host template is seen in each of its instantiations, and in a
// lambda, a class's method and a function nobody calls.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 IfLi256E:1 IdLi32E:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off skip=Id

template <class T, int Threads>
__global__ void sumRows(const T *A, const T *B, T *sums) {
  int i = blockIdx.x * Threads + threadIdx.x;
  // CHECK-DAG: [[@LINE+2]]:3: remark: loop of 'sumRows<float, 256>' throttled, N=4:
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'sumRows<double, 32>' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

template <class T, int Threads, int Rows>
void runRows(const T *A, const T *B, T *sums) {
  sumRows<T, Threads><<<Rows / Threads, Threads>>>(A, B, sums);
}

__global__ void fires(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

template <class F> void timed(F f) { f(); }

void run(const float *A, const float *B, float *sums, double *D) {
  runRows<float, 256, 1056 * 256>(A, B, sums);
  runRows<double, 32, 4 * 32>(D, D, D);
  timed([=] {
    int threads = 256;
    fires<<<1056, threads>>>(A, B, sums);
  });
}
