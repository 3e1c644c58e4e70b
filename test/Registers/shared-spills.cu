// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shared-spills=ptxas: what a limit leaves no register for is spilled to shared memory by ptxas, where it takes its pragma, where that is of
// use, and where as many blocks stay on an SM.
//
// REQUIRES: ptxas-13
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=56 -fplugin-arg-sluice-shared-spills=ptxas -Rpass=sluice-register -Rpass-missed=sluice-register -o %t.all.ptx 2> %t.all.remarks
// RUN: FileCheck %s --check-prefixes=CHECK,ALL < %t.all.ptx
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.all.remarks
// RUN: FileCheck %s --check-prefix=SAID --input-file %t.all.remarks
// RUN: %cuda/bin/ptxas -arch=sm_90 %t.all.ptx -o /dev/null
// RUN: %same-results %s %t -fplugin-arg-sluice-registers=56 -fplugin-arg-sluice-shared-spills=ptxas skip=dynamic,few int=200 block=64 grid=2
//
// Without a limit nothing is done, and where it is switched off.
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=auto | FileCheck %s --check-prefix=NONE
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=56 -fplugin-arg-sluice-shared-spills=off | FileCheck %s --check-prefix=NONE
// RUN: %sluice-cc %s -fplugin-arg-sluice-shared-spills=ptxas | FileCheck %s --check-prefix=BOUNDS
//
// ptxas ends with an error where it compiles for a link or for a debugger.
// RUN: %sluice-cc %s -fgpu-rdc -fplugin-arg-sluice-registers=56 -fplugin-arg-sluice-shared-spills=ptxas | FileCheck %s --check-prefix=NONE
// RUN: %sluice-cc %s -fgpu-rdc -fplugin-arg-sluice-shared-spills=ptxas 2>&1 | FileCheck %s --check-prefix=RDC
// RUN: %sluice-cc %s -g --cuda-noopt-device-debug -fplugin-arg-sluice-registers=56 -fplugin-arg-sluice-shared-spills=ptxas | FileCheck %s --check-prefix=NONE
// RUN: %sluice-cc %s -g -fplugin-arg-sluice-registers=56 -fplugin-arg-sluice-shared-spills=ptxas -o %t.g.ptx
// RUN: grep -q enable_smem_spilling %t.g.ptx
// RUN: %cuda/bin/ptxas -arch=sm_90 -lineinfo %t.g.ptx -o /dev/null
//
// CHECK: .entry wide(
// CHECK: .maxnreg 56
// CHECK: {{^}}{
// CHECK: .pragma "enable_smem_spilling";
// CHECK: .entry few(
// CHECK-NOT: .pragma
// CHECK: .entry crowded(
// CHECK-NOT: .pragma
// CHECK: .entry bounded(
// ALL: .pragma "enable_smem_spilling";
// CHECK: .entry dynamic(
// CHECK-NOT: .pragma
// CHECK: .entry unknown(
// CHECK-NOT: .pragma
// NONE: .entry wide(
// NONE-NOT: .pragma
// BOUNDS: .entry crowded(
// BOUNDS-NOT: .pragma
// BOUNDS: .entry bounded(
// BOUNDS: .pragma
// BOUNDS: .entry dynamic(
// BOUNDS-NOT: .pragma
// RDC: warning: sluice: shared-spills=ptxas has no effect: ptxas refuses it for code that is linked
// RDC-NOT: .pragma
// REMARK: [[#WIDE:]]:1: remark: a thread spills [[#]] bytes to local memory in place of [[#]]; the others go to [[#]] bytes of shared memory that are to spare
// REMARK: remark: what a thread spills goes to local memory: with [[#]] bytes of shared memory an SM would hold [[#]] of 18 blocks of 64 threads
// REMARK: remark: what a thread spills goes to local memory: ptxas refuses: it calls functions, has dynamic shared memory, or ptxas is older than CUDA 13
// SAID: remark: what a thread spills goes to local memory: no launch of it is in this file

// 40 values that are all alive.
#define BODY                                                                   \
  float a[40];                                                                 \
  int t = blockIdx.x * blockDim.x + threadIdx.x;                               \
  _Pragma("unroll") for (int i = 0; i < 40; ++i) a[i] = p[t + i * n];          \
  for (int k = 0; k < n; ++k)                                                  \
    _Pragma("unroll") for (int i = 0; i < 40; ++i) a[i] =                      \
        a[i] * a[(i * 7 + 3) % 40] + a[(i + 1) % 40];                          \
  _Pragma("unroll") for (int i = 0; i < 40; ++i) p[t + i * n] = a[i];

extern "C" __global__ void wide(float *p, int n) { BODY }
extern "C" __global__ void few(float *p, int n) { p[threadIdx.x] = n; }
extern "C" __global__ void crowded(float *p, int n) { BODY }
extern "C" __global__ void __launch_bounds__(256, 6) bounded(float *p, int n) { BODY }
extern "C" __global__ void dynamic(float *p, int n) {
  extern __shared__ float s[];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[n];
  BODY
}
extern "C" __global__ void unknown(float *p, int n) { BODY }

void launch(float *p, int n) {
  wide<<<1000, 1024>>>(p, n);
  few<<<1000, 1024>>>(p, n);
  crowded<<<10000, 64>>>(p, n);
  bounded<<<1000, 256>>>(p, n);
  dynamic<<<1000, 256, 1024>>>(p, n);
}
