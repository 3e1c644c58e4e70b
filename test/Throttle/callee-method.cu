// A row of a matrix class is summed by a method and by an operator.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

template <int Pitch> struct Matrix {
  const float *data;
  __device__ float operator()(int i, int j) const {
    return data[i * Pitch + j];
  }
  __device__ void addRow(int i, float *sums, int n) const {
    // CHECK-DAG: [[@LINE+2]]:5: remark: loop of 'fires' ({{.*}}) throttled, N=2:
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'stays' ({{.*}}) not throttled: {{.*}} fits the L1
    for (int j = 0; j < n; ++j)
      sums[i] += (*this)(i, j);
  }
};

__global__ void fires(Matrix<512> A, float *sums) {
  A.addRow(blockIdx.x * blockDim.x + threadIdx.x, sums, 512);
}

__global__ void stays(Matrix<8> A, float *sums) {
  A.addRow(blockIdx.x * blockDim.x + threadIdx.x, sums, 512);
}

void run(const float *A, float *sums) {
  fires<<<1056, 256>>>(Matrix<512>{A}, sums);
  stays<<<1056, 256>>>(Matrix<8>{A}, sums);
}
