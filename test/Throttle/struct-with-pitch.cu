// A pitch that is a constant of the type is known; one that is a field, behind a
// pointer, is not, and neither is then how far apart the threads are. (Of a struct
// that is passed by value: only-if-fields.cu.)
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off skip=stays

struct Fixed {
  static constexpr int pitch = 512;
  const float *data;
};
struct Free {
  const float *data;
  int pitch;
};

__global__ void fires(Fixed A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=2:
  for (int j = 0; j < 512; ++j)
    sums[i] += A.data[i * A.pitch + j];
}

__global__ void stays(const Free *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: the footprint is unknown: the distance between the threads of a warp is not known at compile time for the load at struct-with-pitch.cu:[[@LINE+2]]:16 (
  for (int j = 0; j < 512; ++j)
    sums[i] += A->data[i * A->pitch + j];
}

void run(const float *A, const Free *B, float *sums) {
  fires<<<1056, 256>>>(Fixed{A}, sums);
  stays<<<1056, 256>>>(B, sums);
}
