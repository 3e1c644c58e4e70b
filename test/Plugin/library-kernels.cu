// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of CUB and Thrust that no launch here starts are not planned, which
// the compiler's own trace of its time tells, unless code of the user's is in
// them or someone asks for all.
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %throttle-cc -isystem library k.cu %remarks -Xclang -ftime-trace=t.json -Xclang -ftime-trace-granularity=0 -o none.ptx 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=SluiceAnalysis < t.json
// RUN: %plain-cc -isystem library k.cu | diff - none.ptx
// NONE: SluiceScratchModule
// RUN: %throttle-cc -isystem library k.cu -fsave-optimization-record -foptimization-record-file=record.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=RECORD < record.yaml
// RECORD: NotPlanned
// RECORD: is all its library{{'+}}s, and no launch of it is in this file
//
// RUN: %throttle-cc -isystem library k.cu -DOTHERS %remarks 2>&1 | FileCheck %s
// RUN: %throttle-cc -isystem library k.cu -DFUNCTOR %remarks 2>&1 | FileCheck %s
// RUN: %throttle-cc -isystem library k.cu -DLAUNCH %remarks 2>&1 | FileCheck %s
// RUN: %throttle-cc -isystem library k.cu %remarks -fplugin-arg-sluice-remarks=all 2>&1 | FileCheck %s
// RUN: %throttle-cc -isystem library k.cu %remarks -fplugin-arg-sluice-throttle=4 2>&1 | FileCheck %s
// RUN: %throttle-cc -isystem library k.cu %remarks -fplugin-arg-sluice-launch=cub::rows:1056:256 2>&1 | FileCheck %s
// RUN: %throttle-cc -isystem library k.cu -fplugin-arg-sluice-emit-plan=plan.yaml -o /dev/null && FileCheck %s --check-prefix=PLAN < plan.yaml
// CHECK: remark: loop of '{{.*}}rows<{{.*}} throttled, N
// CHECK: bar.sync
// PLAN: throttle: by-launch
//
// Where a library's loop cannot take turns no footprint is computed, unless it
// is read.
// RUN: %throttle-cc -isystem library k.cu -DBARRIER -fsave-optimization-record -foptimization-record-file=record.yaml %remarks -o /dev/null 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=BARRIER < record.yaml
// BARRIER: no launch of this kernel is in this file; give one with launch=KERNEL:GRID:BLOCK[:SMEM]; the region at cub.h:{{.*}} contains a block barrier
// RUN: %throttle-cc -isystem library k.cu -DBARRIER %remarks -fplugin-arg-sluice-remarks=all 2>&1 -o /dev/null | FileCheck %s --check-prefix=WANTED
// WANTED: N={{[0-9]+}} is wanted {{.*}} contains a block barrier

//--- library/cub.h
#pragma once
struct Product {
  __device__ float operator()(float a, float b) const { return a * b; }
};
#define ROWS(Barrier)                                                          \
  template <class T, class Op>                                                 \
  __global__ void rows(const T *A, const T *B, const T *x, T *y, Op op) {      \
    int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +   \
            __nvvm_read_ptx_sreg_tid_x();                                      \
    for (int j = 0; j < 4096; ++j) {                                           \
      y[i] += op(A[i * 4096 + j], x[j]) + op(B[i * 4096 + j], x[j]);           \
      Barrier;                                                                 \
    }                                                                          \
  }
namespace cub {
ROWS()
} // namespace cub
namespace others {
ROWS()
} // namespace others
namespace waiting {
ROWS(__syncthreads())
} // namespace waiting
//--- k.cu
#include "cub.h"
#define INSTANTIATE(Kernel, Op) template __global__ void Kernel(const float *, const float *, const float *, float *, Op);
#if defined(FUNCTOR)
struct Mine {
  __device__ float operator()(float a, float b) const { return a * b; }
};
INSTANTIATE(cub::rows, Mine)
#elif defined(OTHERS)
INSTANTIATE(others::rows, Product)
#elif defined(BARRIER)
INSTANTIATE(waiting::rows, Product)
#elif defined(LAUNCH)
void run(float *p) { cub::rows<<<1056, 256>>>(p, p, p, p, Product()); }
#else
INSTANTIATE(cub::rows, Product)
#endif
