// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the low bits of numbers, and compares them with those of the host.

#include <cmath>
#include <cstdio>
#include <cstring>
__global__ void bytes(unsigned char *p, const float *q, unsigned short *h,
                      unsigned *w, const double *d) {
  int i = threadIdx.x;
  float y = q[i] * q[0];
  memcpy(p + 4 * i, &y, 4);
  h[i] = __float_as_uint(y + 1.0f);
  double z = d[i] * d[0];
  w[i] = (unsigned)__double_as_longlong(z);
}
int main() {
  float q[64];
  double d[64];
  for (int i = 0; i < 64; ++i)
    q[i] = sinf(i + 1.f) * 3, d[i] = sin(i + 2.) * 5;
  unsigned char *p;
  float *dq;
  unsigned short *h;
  unsigned *w;
  double *dd;
  cudaMallocManaged(&p, 256);
  cudaMallocManaged(&dq, 256);
  cudaMallocManaged(&h, 128);
  cudaMallocManaged(&w, 256);
  cudaMallocManaged(&dd, 512);
  memcpy(dq, q, 256);
  memcpy(dd, d, 512);
  bytes<<<1, 64>>>(p, dq, h, w, dd);
  cudaDeviceSynchronize();
  int bad[3] = {};
  for (int i = 0; i < 64; ++i) {
    float y = q[i] * q[0], x;
    memcpy(&x, p + 4 * i, 4);
    bad[0] += memcmp(&x, &y, 4) != 0;
    float y1 = fmaf(q[i], q[0], 1.0f);
    unsigned u;
    memcpy(&u, &y1, 4);
    bad[1] += h[i] != (unsigned short)u;
    double z = d[i] * d[0];
    unsigned long long l;
    memcpy(&l, &z, 8);
    bad[2] += w[i] != (unsigned)l;
  }
  printf("of 64 wrong: bytes of a float %d, low half %d, low word of a double "
         "%d\n",
         bad[0], bad[1], bad[2]);
}
