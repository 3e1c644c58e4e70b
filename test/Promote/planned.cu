// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A footprint 1.2 times the L1: turns pay where sums stay in memory, and not where
// they leave it. The plan goes by what the compile does.
//
// RUN: %sluice-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s --check-prefixes=BOTH,LEAVES
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-promote=off -o %t.off.ptx 2>&1 | FileCheck %s --check-prefixes=BOTH,STAYS
// `sluice plan` is for a compile like it.
// RUN: %sluice plan %s -nocudainc -nocudalib -std=c++17 -include %inputs/cuda.h --cuda-gpu-arch=sm_90 -Rpass=sluice -Rpass-missed=sluice 2>/dev/null | FileCheck %s --check-prefix=PLAN
// PLAN: name: _Z4rows
// PLAN: throttle: 1{{$}}
// PLAN: below 1.60 turns do not pay
//
// Nothing is promoted, and nothing said of it: without the passes, ...
// RUN: %plain-cc $(echo "%sluice-load" | cut -d" " -f1) %s %remarks -o %t.fplugin.ptx 2>&1 | FileCheck %s --check-prefixes=BOTH,STAYS --implicit-check-not=warning:
// RUN: diff %t.off.ptx %t.fplugin.ptx
// RUN: %plain-cc $(echo "%sluice-load" | cut -d" " -f1) %s -o /dev/null 2>&1 | count 0
// ... in steps, ...
// RUN: %sluice-cc %s %remarks -Xclang -disable-llvm-passes -o /dev/null 2>&1 | FileCheck %s --check-prefixes=BOTH,STAYS --implicit-check-not=warning:
// ... where size is all, ...
// RUN: %sluice-cc %s %remarks -Oz -o %t.Oz.ptx 2>&1 | FileCheck %s --check-prefixes=BOTH,STAYS
// ... and in text for another compiler.
// RUN: %sluice-text %s -o %t.cu 2>&1 | FileCheck %s --check-prefixes=BOTH,STAYS --implicit-check-not=warning:
// RUN: grep -c __syncthreads %t.cu | FileCheck %s --check-prefix=TEXT
// TEXT: {{^}}6{{$}}
//
// Who asks for it hears that it cannot be.
// RUN: %plain-cc $(echo "%sluice-load" | cut -d" " -f1) %s %remarks -fplugin-arg-sluice-promote=on -o /dev/null 2>&1 | FileCheck %s --check-prefixes=BOTH,STAYS,ASKED
// ASKED: warning: sluice: sums are not promoted without -fpass-plugin=Sluice.so

__global__ void rows(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // LEAVES-DAG: planned.cu:[[@LINE+2]]:3: remark: loop of 'rows' not throttled: {{.*}} below 1.60 turns do not pay
  // STAYS-DAG: planned.cu:[[@LINE+1]]:3: remark: loop of 'rows' throttled, N=2
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j];
}

// Where A is read the addresses before the loop do not say: no test can be made.
__global__ void pieces(const float *A, const int *end, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BOTH-DAG: planned.cu:[[@LINE+1]]:3: remark: loop of 'pieces' throttled, N=4
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + (j & end[0])] + A[i * 512 + j];
}

// A sum that some iterations leave alone stays where it is.
__global__ void some(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BOTH-DAG: planned.cu:[[@LINE+1]]:3: remark: loop of 'some' throttled, N=2
  for (int j = 0; j < 512; ++j)
    if (A[i * 512 + j] > 0)
      y[i] += A[i * 512 + j];
}

// clang unrolls 16 iterations whole, before sums are promoted.
__global__ void unrolled(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BOTH-DAG: planned.cu:[[@LINE+1]]:3: remark: loop of 'unrolled' throttled, N=2
  for (int j = 0; j < 16; ++j)
    y[i] += A[i * 512 + j];
}

__global__ void waits(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BOTH-DAG: planned.cu:[[@LINE+1]]:3: remark: loop of 'waits' throttled, N=2
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    __threadfence();
  }
}

void run(const float *A, const int *end, float *y) {
  rows<<<1056, 256>>>(A, y);
  pieces<<<1056, 256>>>(A, end, y);
  some<<<1056, 256>>>(A, y);
  unrolled<<<1056, 256>>>(A, y);
  waits<<<1056, 256>>>(A, y, 512);
}
