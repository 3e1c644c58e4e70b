// The toolkit's own functions in a throttled region, and the loop in a device
// function of a class template.
//
// RUN: %sluicexx --sluice-software-l1=off --sluice-loads-in-flight=off --cuda-gpu-arch=sm_90 -O3 -std=c++17 --cuda-device-only -S %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plainxx --cuda-gpu-arch=sm_90 -O3 -std=c++17 --cuda-device-only -S %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 5fires:1 5stays:same

#include <cuda_runtime.h>

template <class T> struct Row {
  const T *data;
  __device__ T distance(const Row &other, const T *weights, int n) const {
    T sum = 0;
    for (int j = 0; j < n; ++j) {
      T d = __ldg(data + j) - other.data[j];
      sum += d * d * weights[j];
    }
    return sqrt(sum);
  }
};

__global__ void fires(const float *A, const float *B, const float *w, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Row<float> a{A + i * 512}, b{B + i * 512};
  // CHECK-DAG: remark: loop of 'fires' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:20) throttled, N=4:
  const auto d = a.distance(b, w, 512);
  y[i] = d > 1 ? rsqrtf(d) : d;
}

__global__ void stays(const float *A, const float *B, const float *w, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Row<float> a{A + i * 512}, b{B + i * 512};
  // CHECK-DAG: remark: loop of 'stays' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:20) not throttled: {{.*}} fits the L1
  const auto d = a.distance(b, w, 512);
  y[i] = d > 1 ? rsqrtf(d) : d;
}

void run(const float *A, const float *B, const float *w, float *y) {
  fires<<<1056, 256>>>(A, B, w, y);
  stays<<<100, 256>>>(A, B, w, y);
}
