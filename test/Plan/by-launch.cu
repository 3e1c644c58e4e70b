// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table is emitted, handed back as it is, and changed.
//
// RUN: rm -f %t.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.ptx
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// PLAN: sluice-plan: 2
// PLAN: throttle: by-launch
// PLAN-NEXT: by-launch:
// PLAN-NEXT: - { block: [ 256, 1, 1 ], blocks-min: 397, throttle: 2 }
// PLAN-NEXT: - { block: [ 256, 1, 1 ], blocks-min: 793, throttle: 4 }
// PLAN-NEXT: why:
//
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.yaml | diff - %t.ptx
//
// RUN: sed 's/blocks-min: 397/blocks-min: 100/; s/throttle: 4/throttle: 8/' %t.yaml > %t.8.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.8.yaml -Rpass=sluice 2>&1 | FileCheck %s
// CHECK: by-launch.cu:[[@LINE+21]]:3: remark: loop of 'gesummv' throttled, N by launch (256 threads: N=2 from 100 blocks, N=8 from 793 blocks): the given plan says so
// CHECK-DAG: setp.{{[a-z]+}}.u64 {{.*}}, {{99|100}};
// CHECK-DAG: setp.{{[a-z]+}}.u64 {{.*}}, {{792|793}};
//
// One N for all in place of the table.
// RUN: sed '/{ block/d; /by-launch:$/d; s/throttle: .*by-launch/throttle: 2/' %t.yaml > %t.one.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.one.yaml -Rpass=sluice 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=nctaid
// ONE: remark: loop of 'gesummv' throttled, N=2: the given plan says N=2
//
// What is wrong with a table stands at its row.
// RUN: sed 's/throttle: 4/throttle: 3/' %t.yaml > %t.bad.yaml
// RUN: not %throttle-cc %s -fplugin-arg-sluice-plan=%t.bad.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: sluice: {{.*}}bad.yaml:{{[0-9]+:[0-9]+}}: throttle in by-launch must be a power of two from 1 to 32
// RUN: sed 's/blocks-min: 397/blocks-min: 800/' %t.yaml > %t.order.yaml
// RUN: not %throttle-cc %s -fplugin-arg-sluice-plan=%t.order.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: sluice: {{.*}}order.yaml:{{[0-9]+:[0-9]+}}: rows of one block in by-launch must have rising blocks-min, not 793 after 800

constexpr int Columns = 512;

__global__ void gesummv(const float *A, const float *B, float *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < Columns; ++j)
    tmp[i] += A[i * Columns + j] * B[i * Columns + j];
}

void run(const float *A, const float *B, float *tmp, int rows) {
  gesummv<<<(rows + 255) / 256, 256>>>(A, B, tmp);
}
