// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of a matrix product. The factors of a thread's products are arrays, which the loop around fills
// anew, or come from shared memory, which that one fills. So no product is the same each time, and be
// taken out of the loop around: the sums may be in registers. Where an element stays, a product might.
//
// RUN: %arrays-cc %s -Rpass=sluice-local-arrays -Rpass-missed=sluice-local-arrays 2>%t.remarks >%t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: %same-staged %s %t block=32 grid=2 int=48
// RUN: %same-staged %s %t block=32 grid=2 int=48 -ffp-contract=off
//
// REMARK: refilled.cu:34:5: remark: the loop is unrolled whole: arrays of 544 bytes that it goes over are in registers then
// REMARK: refilled.cu:53:5: remark: the loop is unrolled whole: arrays of 544 bytes
// REMARK: refilled.cu:69:5: remark: an array of 512 bytes is not kept in registers: a product in it may be the same each time, and be taken out of a loop around it
// REMARK: refilled.cu:69:5: remark: an array of 32 bytes is not kept in registers: a product in it may be the same each time
// REMARK: refilled.cu:82:5: remark: an array of 512 bytes is not kept in registers: a product in it may be the same each time

constexpr int Rows = 8, Columns = 16;
#define DOWN(I) for (int I = 0; I < Rows; ++I)
#define ALONG(J) for (int J = 0; J < Columns; ++J)

__device__ inline float *place(float *out) {
  return out + (blockIdx.x * blockDim.x + threadIdx.x) * Rows * Columns;
}

// Both factors are read in each iteration, at other places.
extern "C" __global__ void read(const float *a, const float *b, float *out,
                                int n) {
  float sum[Rows * Columns] = {0.0f}, x[Rows], y[Columns];
  for (int k = 0; k < n; ++k) {
    DOWN(i) x[i] = a[k * Rows + i + threadIdx.x];
    ALONG(j) y[j] = b[k * Columns + j];
    DOWN(i) ALONG(j) sum[i * Columns + j] += x[i] * y[j];
  }
  DOWN(i) ALONG(j) place(out)[i * Columns + j] = sum[i * Columns + j];
}
// CHECK-LABEL: .entry read
// CHECK-NOT: .local
// CHECK: ret;

// Of shared memory, at the same places each time; but others were written.
extern "C" __global__ void tiles(const float *a, const float *b, float *out,
                                 int n) {
  __shared__ float tile[Columns * 32];
  float sum[Rows * Columns] = {0.0f}, x[Rows];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    for (int i = threadIdx.x; i < Columns * 32; i += blockDim.x)
      tile[i] = a[k * 16 + i];
    __syncthreads();
    DOWN(i) x[i] = tile[i * 32 + threadIdx.x];
    DOWN(i) ALONG(j) sum[i * Columns + j] += x[i] * tile[j * 32];
  }
  DOWN(i) ALONG(j) place(out)[i * Columns + j] = sum[i * Columns + j];
}
// CHECK-LABEL: .entry tiles
// CHECK-NOT: .local
// CHECK: ret;

// The last element stays.
extern "C" __global__ void stays(const float *a, const float *b, float *out,
                                 int n) {
  float sum[Rows * Columns] = {0.0f}, x[Rows];
  DOWN(i) x[i] = b[i];
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < Rows - 1; ++i)
      x[i] = a[k * Rows + i + threadIdx.x];
    DOWN(i) ALONG(j) sum[i * Columns + j] += x[i] * b[j];
  }
  DOWN(i) ALONG(j) place(out)[i * Columns + j] = sum[i * Columns + j];
}
// CHECK-LABEL: .entry stays
// CHECK: .local
// CHECK: ret;

// The same each time.
extern "C" __global__ void same(const float *a, const float *b, float *out,
                                int n) {
  float sum[Rows * Columns] = {0.0f};
  for (int k = 0; k < n; ++k)
    DOWN(i) ALONG(j) sum[i * Columns + j] += a[i + threadIdx.x] * b[j];
  DOWN(i) ALONG(j) place(out)[i * Columns + j] = sum[i * Columns + j];
}
// CHECK-LABEL: .entry same
// CHECK: .local
// CHECK: ret;
