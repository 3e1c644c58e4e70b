// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix fragments that are in shared memory, or that an argument points to,
// are accessed there. One that may be in either is accessed as it was.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %plain-cc %s | FileCheck %s --check-prefix=OFF
// OFF-NOT: wmma.load{{.*}}shared
//
// REMARK: fragments.cu:{{[0-9]+}}:{{[0-9]+}}: remark: 3 accesses of matrix fragments say in which memory they are

// CHECK-LABEL: .entry tiles(
// CHECK-DAG: wmma.load.a.sync.aligned.row.m16n16k16.shared.f16
// CHECK-DAG: wmma.load.b.sync.aligned.col.m16n16k16.global.f16
// CHECK: wmma.store.d.sync.aligned.row.m16n16k16.global.f32
extern "C" __global__ void tiles(const __fp16 *a, const __fp16 *b, float *d) {
  __shared__ __fp16 tile[16 * 24];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  int left[8], right[8];
  float sums[8] = {};
  __hmma_m16n16k16_ld_a(left, (const int *)tile, 24, 0);
  __hmma_m16n16k16_ld_b(right, (const int *)b, 16, 1);
  __hmma_m16n16k16_mma_f32f32(sums, left, right, sums, 1, 0);
  __hmma_m16n16k16_st_c_f32(d, sums, 16, 0);
}

// CHECK-LABEL: .entry either(
// CHECK: wmma.load.a.sync.aligned.row.m16n16k16.f16
// CHECK: wmma.store.d.sync.aligned.row.m16n16k16.f16
extern "C" __global__ void either(__fp16 *a, __fp16 **out, int n) {
  __shared__ __fp16 tile[16 * 24];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  int left[8], sums[4];
  __hmma_m16n16k16_ld_a(left, (const int *)(n > 3 ? tile : a), 24, 0);
  for (int i = 0; i < 4; ++i)
    sums[i] = left[i] ^ left[i + 4];
  __hmma_m16n16k16_st_c_f16((int *)out[n], sums, 16, 0);
}
