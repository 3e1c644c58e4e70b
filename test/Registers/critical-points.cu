// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice registers`: a table of each launch, as JSON, as a plot, and what is
// said where nothing can be shown.
//
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=sums --plot=%t.svg | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLOT --input-file %t.svg
// RUN: python3 -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" %t.svg
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=sums --json | python3 %S/Inputs/check-report.py
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=sums --sluice-registers=32 | FileCheck %s
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=sums --also=36 | FileCheck %s --check-prefix=ALSO
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=sums -Xcuda-ptxas -maxrregcount=40 | FileCheck %s --check-prefix=USERS
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=sums -Xcuda-ptxas --maxrregcount -Xcuda-ptxas 40 | FileCheck %s --check-prefix=USERS
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=bound | FileCheck %s --check-prefix=BOUND
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=unknown --block=128 | FileCheck %s --check-prefix=GIVEN
//
// CHECK: sums on sm_90: a thread takes 24 to [[#MOST:]] registers, [[#]] as the assembler chooses
// CHECK-NEXT: blocks of 256 threads at critical-points.cu:[[#]]:3
// CHECK-NEXT: limit takes spill stores loads blocks warps occupancy rank TPSC cycles
// CHECK-NEXT: none
// CHECK-NEXT: 32 32 {{[1-9][0-9]*}} {{[1-9][0-9]*}} 8 64 100% [[#]]
// CHECK-NEXT: 40 40 {{[1-9][0-9]*}} {{[1-9][0-9]*}} 6 48 75% [[#]]
// CHECK-NEXT: 48 {{.*}} 5 40 63%
// CHECK: {{^ +}}[[#MOST]] {{.*}} 0 0
// CHECK-NEXT: enough: [[#]] blocks by the static model's time, [[#]] by the greedy scheduler's first block
// CHECK-EMPTY:
// CHECK: by a static model that knows no cache
// PLOT: <svg
// PLOT: sums, blocks of 256 threads, sm_90
// PLOT: <polyline
// PLOT: <circle
// PLOT: 32 ({{[0-9]+}} B)
// ALSO: 36 36 {{.*}}not critical
// USERS: takes 24 to 40 registers, 40 as the assembler chooses
// USERS-NOT: {{^ +48}}
// BOUND: its source limits them
// BOUND-NEXT: blocks of 512 threads by its launch bounds
// ALL: note: the block of 'unknown' is not known in this file: say --block=THREADS
// ALL-DAG: sums on
// ALL-DAG: bound on
// GIVEN: blocks of 128 threads by --block
//
// RUN: not %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=unknown 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=other 2>&1 | FileCheck %s --check-prefix=NO-NAME
// RUN: not %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=sums --also=20 2>&1 | FileCheck %s --check-prefix=LOW
// RUN: not %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=sums --also=256 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not %sluice registers %s --also=4x 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not %sluice registers %s --block=1025 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not %sluice registers %s --plot=a.png 2>&1 | FileCheck %s --check-prefix=PNG
// RUN: not %sluice registers -O2 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not %sluice registers 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: %sluice registers --help | FileCheck %s --check-prefix=USAGE
// RUN: not %sluice registers %s --cuda-gpu-arch=sm_90 -DBROKEN 2>&1 | FileCheck %s --check-prefix=COMPILE
// BLOCK: error: the block of 'unknown' is not known in this file: say --block=THREADS, or --sluice-launch=KERNEL:GRID:BLOCK
// NO-NAME: error: there is no kernel 'other'; there are sums, bound, unknown
// LOW: error: a limit of 20 registers is none for 'sums({{.*}})', whose thread takes 24 to
// HIGH: error: a limit of 256 registers is none for 'sums({{.*}})', whose thread takes 24 to
// NUMBER: error: --also=4x: numbers of registers, such as 40,56, is expected
// THREADS: error: --block=1025: a number of threads from 1 to 1024 is expected
// RUN: not %sluice registers %s --cuda-gpu-arch=sm_90 --kernel=sums --plot=%t/nowhere/a.svg 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: sluice registers: error: cannot write '{{.*}}a.svg': No such file or directory
// PNG: error: --plot=a.png: the name of an SVG file
// SOURCE: error: no .cu file was given
// USAGE: usage: sluice registers FILE.cu
// USAGE: --also=N[,N...]
// COMPILE: error: the compile failed

#ifdef BROKEN
#error broken
#endif

__global__ void sums(const float *A, const float *B, float *out) {
  float sum[48];
#pragma unroll
  for (int k = 0; k < 48; ++k)
    sum[k] = B[k * 64 + threadIdx.x];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j) {
    float a = A[j];
#pragma unroll
    for (int k = 0; k < 48; ++k)
      sum[k] += a * sum[(k + 1) % 48];
  }
#pragma unroll
  for (int k = 0; k < 48; ++k)
    out[row * 48 + k] = sum[k];
}

__global__ void __launch_bounds__(512) bound(float *x) { x[threadIdx.x] *= 2; }

__global__ void unknown(float *x) { x[threadIdx.x] *= 2; }

void run(const float *A, const float *B, float *out, int n) {
  sums<<<1024, 256>>>(A, B, out);
  unknown<<<1, n>>>(out);
}
