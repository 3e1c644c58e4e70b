// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a loop's condition does not change in it is asked before it, and
// conditions at which lanes part are asked together.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not=remark:
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 7 30; do %same-fewer %s %t int=$n block=32 grid=1 || exit 1; done
// RUN: %same-fewer %s %t int=7 block=32 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=lost-condition

// REMARK: before.cu:{{.*}}: remark: 1 condition of a loop is asked in part before it: that does not change
// REMARK: before.cu:{{.*}}: remark: 1 condition is asked with the one before it: a load would wait for that, lanes would part twice, or a load be branched around

// CHECK-LABEL: .entry tiles(
// CHECK: or.pred
// CHECK: nounroll
// CHECK-COUNT-2: setp
// CHECK-NOT: setp
// CHECK: bra
// CHECK: ld.global
// OFF-LABEL: .entry tiles(
// OFF: nounroll
// OFF: setp.le
// OFF-NEXT: bra
// OFF: setp.lt
// OFF: setp.gt
// OFF: bra
// OFF: ld.global
extern "C" __global__ void tiles(const float *a, float *out, int n) {
  const int me = threadIdx.x, low = n - 5, high = n + 9;
  float kept = 0;
#pragma unroll 1
  for (int i = 0; i < 6; i++) {
    if (me > i && me + i * 3 <= 40 && me >= low && me * 2 <= high && me * me != n) {
      kept = kept * 0.5f + a[me + i];
      out[me] = kept;
    }
    __syncthreads();
  }
  out[me] += 1;
}

// One of it does not change; all of it does not; all changes; it is in no loop.
extern "C" __global__ void one(const float *a, float *out, int n) {
  const int me = threadIdx.x;
  float kept = 0;
#pragma unroll 1
  for (int i = 0; i < 6; i++) {
    if (me * 2 > n && me > i)
      kept = kept * 0.5f + a[me + i];
    __syncthreads();
  }
  out[me] = kept;
}

extern "C" __global__ void same(const float *a, float *out, int n) {
  const int me = threadIdx.x;
  float kept = 0;
#pragma unroll 1
  for (int i = 0; i < 6; i++) {
    if (me * 2 > n && me != 7)
      kept = kept * 0.5f + a[me + i];
    __syncthreads();
  }
  out[me] = kept;
}

extern "C" __global__ void none(const float *a, float *out, int n) {
  const int me = threadIdx.x;
  if (me * 2 > n && me != 7)
    out[me] = a[me];
}
