// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks of passes on code of system headers are at the user's line that calls
// it. What is left alone in a library's own kernel is silent; what is done to
// it is not. With remarks=all each is at its own line, and the record has each.
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %sluice-cc -isystem library k.cu -Rpass=sluice-promote -Rpass-missed=sluice-promote -o k.ptx 2>&1 | FileCheck k.cu --implicit-check-not=remark:
// RUN: %sluice-cc -isystem library k.cu -Rpass=sluice-promote -Rpass-missed=sluice-promote -fplugin-arg-sluice-remarks=all -o all.ptx 2>&1 | FileCheck k.cu --check-prefix=ALL --implicit-check-not=remark:
// RUN: diff k.ptx all.ptx
// RUN: %sluice-cc -isystem library k.cu -o record.ptx -fsave-optimization-record -foptimization-record-file=record.yaml
// RUN: grep -c 'Name: *Conditional' record.yaml | FileCheck %s --check-prefix=RECORD
// RECORD: 2
//
// Preprocessed, the line markers tell.
// RUN: (echo '# 1 "library/sum.h" 1 3'; cat library/sum.h; echo '# 2 "k.cu" 2'; sed 1d k.cu) > marked.cu
// RUN: %sluice-cc marked.cu -Rpass-missed=sluice-promote -o marked.ptx 2>&1 | FileCheck k.cu --check-prefix=MARKED --implicit-check-not=remark:

//--- library/sum.h
#pragma once
inline __device__ void add(float *to, const float *A, int n) {
  for (int j = 0; j < n; ++j)
    *to += A[j];
}
inline __device__ void addSome(float *to, const float *A, int n) {
  for (int j = 0; j < n; ++j)
    if (A[j] > 0)
      *to += A[j];
}
template <class T> __global__ void librarys(T *to, const T *A, int n) {
  addSome(to + threadIdx.x, A + threadIdx.x * n, n);
}
template <class T> __global__ void librarysSum(T *to, const T *A, int n) {
  for (int j = 0; j < n; ++j)
    to[threadIdx.x] += A[threadIdx.x * n + j];
}
//--- k.cu
#include "sum.h"
__global__ void mine(float *to, const float *A, int n) {
  // CHECK-DAG: k.cu:[[@LINE+2]]:3: remark: what the loop adds up in memory stays in registers where it overlaps nothing that the loop reads or writes (in sum.h:3:3) [-Rpass=sluice-promote]
  // ALL-DAG: sum.h:3:3: remark: what the loop adds up in memory stays in registers where it overlaps nothing that the loop reads or writes [-Rpass=sluice-promote]
  add(to + threadIdx.x, A + threadIdx.x * n, n);
  // CHECK-DAG: k.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays there: it is not written in each iteration (in sum.h:7:3) [-Rpass-missed=sluice-promote]
  // ALL-COUNT-2: sum.h:7:3: remark: what the loop adds up in memory stays there: it is not written in each iteration [-Rpass-missed=sluice-promote]
  // MARKED: remark: what the loop adds up in memory stays there: {{.*}} (in sum.h:7:3)
  addSome(to + n + threadIdx.x, A + threadIdx.x * n, n);
}
// CHECK-DAG: sum.h:15:3: remark: what the loop adds up in memory stays in registers where it overlaps nothing that the loop reads or writes [-Rpass=sluice-promote]
// ALL-DAG: sum.h:15:3: remark: what the loop adds up in memory stays in registers
template __global__ void librarys(float *, const float *, int);
template __global__ void librarysSum(float *, const float *, int);
