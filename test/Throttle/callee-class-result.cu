// A class's object cannot be declared first and assigned later, so the rest of
// its scope goes along into the turns; with a return there, it may not.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t

struct Sums {
  float plain, weighted;
  __device__ Sums(float plain, float weighted)
      : plain(plain), weighted(weighted) {}
};

__device__ Sums sumRow(const float *a, const float *b, const float *x, int n) {
  float plain = 0, weighted = 0;
  for (int j = 0; j < n; ++j) {
    plain += a[j] + b[j];
    weighted += (a[j] + b[j]) * x[j];
  }
  return Sums(plain, weighted);
}

__global__ void fires(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: loop of 'fires' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:15) throttled, N=4:
  Sums sums = sumRow(A + i * 512, B + i * 512, x, 512);
  y[i] = sums.plain * sums.weighted;
}

__global__ void stays(const float *A, const float *B, const float *x,
                      float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: loop of 'stays' ({{.*}} inlined at {{.*}}:[[@LINE+1]]:15) not throttled: N=4 is wanted ({{.*}}), but the region at {{.*}}:[[@LINE+1]]:3 contains a return at {{.*}}:[[@LINE+3]]:5
  Sums sums = sumRow(A + i * 512, B + i * 512, x, 512);
  if (sums.plain == 0)
    return;
  y[i] = sums.plain * sums.weighted;
}

void run(const float *A, const float *B, const float *x, float *y) {
  fires<<<1056, 256>>>(A, B, x, y);
  stays<<<1056, 256>>>(A, B, x, y);
}
