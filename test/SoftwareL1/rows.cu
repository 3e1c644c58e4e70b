// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row for each thread: chunks of it go through shared memory, copied by the
// lanes that are there, and what all lanes read alike stays where it was.
//
// RUN: %staging-cc %s -Rpass=sluice -Rpass-missed=sluice 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %plain-cc %s > %t.clang
// RUN: %staging-cc %s -fplugin-arg-sluice-transforms=off | diff %t.clang -
// RUN: %staging-cc %s -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=auto | FileCheck %s
// RUN: %staging-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.s
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// RUN: %staging-cc %s -fplugin-arg-sluice-plan=%t.yaml | diff %t.s -
// RUN: %staging-cc %s -fplugin-arg-sluice-plan=%t.yaml -fplugin-arg-sluice-software-l1=off | FileCheck %s --check-prefix=OFF
//
// CHECK: .entry _Z5twiceILi512EEvPKfS1_S1_Pf(
// CHECK: .maxnreg 64
// CHECK: bar.sync 0;
// CHECK: activemask.b32
// CHECK: atom.{{.*}}shared.cas.b32
// CHECK: bar.warp.sync
// CHECK: activemask.b32
// CHECK: vote.sync.all.pred
// CHECK-COUNT-8: cp.async.cg.shared.global
// CHECK: cp.async.wait_all;
// CHECK: bar.warp.sync
// CHECK: ld.shared.
// CHECK: atom.{{.*}}shared.add.u32
// REMARK: rows.cu:[[#LOOP:]]:3: remark: loop of 'twice<512>' not throttled: its rows are staged in shared memory in place of N=
// REMARK: rows.cu:[[#LOOP]]:3: remark: 2 streams of the loop are staged in shared memory, 32 iterations at a time: each lane reads 2 rows of its own
// PLAN: sluice-plan: 8
// PLAN: throttle: 1
// PLAN: staged:
// PLAN-NEXT: - at: 'rows.cu:[[#A:]]:
// PLAN-NEXT: - at: 'rows.cu:[[#A]]:
// PLAN-NEXT: chunk-bytes: 128
// PLAN-NEXT: staged-warps: 4
// OFF-NOT: cp.async

template <int Columns>
__global__ void twice(const float *__restrict__ A, const float *__restrict__ B,
                      const float *__restrict__ x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
#define ROW(M) M[(long)i * Columns + j]
  // Two loads in one line.
  // clang-format off
  for (int j = 0; j < Columns; ++j)
    s += ROW(A) * x[j] + ROW(B);
  // clang-format on
  y[i] = s;
}

void run(const float *A, float *y) { twice<512><<<1056, 256>>>(A, A, A, y); }
