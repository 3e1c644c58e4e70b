// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test of an argument is emitted, handed back as it is, and changed.
//
// RUN: rm -f %t.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.ptx
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// PLAN: sluice-plan: 3
// PLAN: throttle: 4
// PLAN-NEXT: only-if:
// PLAN-NEXT: - { argument: 3, name: n, at-least: 32 }
// PLAN-NEXT: why: 'footprint {{[0-9]+}} B (
//
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.yaml | diff - %t.ptx
//
// RUN: sed 's/at-least: 32/at-least: 1000/; s/throttle: .*4$/throttle: 8/' %t.yaml > %t.more.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.more.yaml %remarks 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: only-if.cu:{{.*}}: remark: loop of 'rows' throttled, N=8 if n >= 1000: the given plan says N=8
// MORE: setp.{{lt|gt|ge}}.s32 {{.*}}, {{999|1000}};
//
// Without the name, and with a table.
// RUN: sed 's/name: n, at-least: 32/at-least: 48/; s/throttle: .*4$/throttle: by-launch\n        by-launch: [{block: [256], blocks-min: 99, throttle: 2}]/' %t.yaml > %t.table.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.table.yaml %remarks 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: remark: loop of 'rows' throttled, N by launch (256 threads: N=2 from 99 blocks) if n >= 48: the given plan says so
//
// No turns: nothing to test.
// RUN: sed 's/throttle: .*4$/throttle: 1/' %t.yaml > %t.none.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.none.yaml > %t.none.ptx
// RUN: %plain-cc %s | diff - %t.none.ptx
//
// No test: turns for all.
// RUN: sed '/only-if:$/d; /argument:/d' %t.yaml > %t.always.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.always.yaml %remarks 2>&1 | FileCheck %s --check-prefix=ALWAYS
// ALWAYS: remark: loop of 'rows' throttled, N=4: the given plan says N=4
//
// What cannot be tested is refused whoever asks.
// RUN: sed 's/argument: 3, name: n/argument: 4, name: n/' %t.yaml > %t.other.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.other.yaml %remarks 2>&1 | FileCheck %s --check-prefix=OTHER --implicit-check-not=bar.sync
// OTHER: remark: loop of 'rows' not throttled: N=4 if n >= 32 is planned, but the kernel cannot test n >= 32: argument 4 is 'changed' and not 'n' (
// RUN: sed 's/argument: 3, name: n/argument: 4/' %t.yaml > %t.changed.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.changed.yaml %remarks 2>&1 | FileCheck %s --check-prefix=CHANGED --implicit-check-not=bar.sync
// CHANGED: but the kernel cannot test changed >= 32: 'changed' is changed in the kernel at only-if.cu:[[@LINE+20]]:11 (
// RUN: sed 's/argument: 3, name: n/argument: 5/' %t.yaml > %t.volatile.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.volatile.yaml %remarks 2>&1 | FileCheck %s --check-prefix=VOLATILE --implicit-check-not=bar.sync
// VOLATILE: but the kernel cannot test v >= 32: 'v' is no plain integer (
// RUN: sed 's/argument: 3, name: n/argument: 0/' %t.yaml > %t.pointer.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.pointer.yaml %remarks 2>&1 | FileCheck %s --check-prefix=POINTER --implicit-check-not=bar.sync
// POINTER: but the kernel cannot test A >= 32: 'A' is no plain integer (
// RUN: sed 's/argument: 3, name: n/argument: 6/' %t.yaml > %t.none.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.none.yaml %remarks 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=bar.sync
// NONE: but the kernel cannot test argument 6 >= 32: argument 6 is not known in the source (
//
// RUN: sed 's/at-least: 32/at-least: 0/' %t.yaml > %t.bad.yaml
// RUN: not %throttle-cc %s -fplugin-arg-sluice-plan=%t.bad.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: sluice: {{.*}}bad.yaml:{{[0-9]+:[0-9]+}}: at-least must be a number from 1 to 2147483647

__global__ void rows(const float *A, const float *B, float *y, int n,
                     int changed, volatile int v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * n + j] * B[i * n + j];
  changed += i;
  y[i] += changed + v;
}

void run(const float *A, const float *B, float *y, int n) {
  rows<<<1056, 256>>>(A, B, y, n, n, n);
}
