// Elements of other sizes. 512 chars are four cache lines, and a float4 loads 16
// bytes at a time.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 7doubles:1 _Z5chars:same _Z7vecto:1 18doubleRow:1
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

struct alignas(16) float4 {
  float x, y, z, w;
};

__global__ void doubles(const double *A, double *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'doubles' throttled, N=2: footprint
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

__global__ void chars(const char *A, char *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'chars' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 64; ++j)
    sums[i] += A[i * 64 + j];
}

__global__ void vectors(const float4 *A, const float4 *B, float4 *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'vectors' throttled, N=4:
  for (int j = 0; j < 128; ++j) {
    sums[i].x += A[i * 128 + j].x * B[i * 128 + j].x;
    sums[i].y += A[i * 128 + j].y * B[i * 128 + j].y;
    sums[i].z += A[i * 128 + j].z * B[i * 128 + j].z;
    sums[i].w += A[i * 128 + j].w * B[i * 128 + j].w;
  }
}

// The sums cannot be floats' addresses, so they stay in a register, and the
// loads of several iterations go out together; but few, as they are wide.
__global__ void doubleRowsOfFloats(const double *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'doubleRowsOfFloats' throttled, N=2: footprint
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

void run(const double *A, double *D, char *C, const float4 *V, float4 *W,
         float *F) {
  doubles<<<1056, 256>>>(A, D);
  chars<<<1056, 256>>>(C, C);
  vectors<<<1056, 256>>>(V, V, W);
  doubleRowsOfFloats<<<1056, 256>>>(A, F);
}
