// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of which nobody sees a launch, as those of libraries, and whose source bounds the threads of a block, has
// fewer registers where an SM then holds another block. Not where the source says how many blocks there are to be, or a
// launch says how much shared memory they have.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=auto -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=off | FileCheck %s --check-prefix=OFF
// OFF-NOT: .maxnreg
//
// REMARK: remark: a thread has at most 80 registers: with 80 in place of 1{{[0-9]+}} an SM holds 2 blocks and not 1, and nothing spills [-Rpass=sluice-register-limit]
//
// CHECK: .entry threads
// CHECK-DAG: .maxntid 384
// CHECK-DAG: .maxnreg 80
// CHECK: .entry blocks
// CHECK-NOT: .maxnreg
// CHECK: .entry shared
// CHECK-NOT: .maxnreg

#define PARAMETERS (const float *a, float *out, int n, int m)
#define BODY                                                                   \
  const float *p = a + (blockIdx.x * blockDim.x + threadIdx.x);                \
  float v[72];                                                                 \
  _Pragma("unroll") for (int i = 0; i < 72; ++i) v[i] = p[i * n];              \
  for (int k = 0; k < m; ++k) {                                                \
    _Pragma("unroll") for (int i = 0; i < 72; ++i)                             \
      v[i] = v[i] * v[71 - i] + v[(i * 7 + 3) % 72];                           \
  }                                                                            \
  _Pragma("unroll") for (int i = 0; i < 72; ++i)                               \
    out[(blockIdx.x * 72 + i) * blockDim.x + threadIdx.x] = v[i];

extern "C" __global__ void __launch_bounds__(384) threads PARAMETERS { BODY }
extern "C" __global__ void __launch_bounds__(384, 1) blocks PARAMETERS { BODY }
extern __shared__ float ofLaunch[];
extern "C" __global__ void __launch_bounds__(384) shared PARAMETERS {
  ofLaunch[threadIdx.x] = n;
  BODY
}
