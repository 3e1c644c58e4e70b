// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// registers=crat: where fewer blocks are enough, a thread may have more registers. Where the source says how many, where
// it switches Sluice off, and where no launch is known, nothing is done.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -Rpass=sluice-register -Rpass-missed=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=off | FileCheck %s --check-prefix=OFF
// OFF-NOT: .maxnreg
// Likewise for the architecture's own features.
// RUN: %sluice-cc --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a %s -fplugin-arg-sluice-registers=crat | FileCheck %s
//
// The choice depends on the code as it is then: a plan that is written has none.
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -fplugin-arg-sluice-emit-plan=%t.plan.yaml | FileCheck %s
// RUN: not grep max-registers %t.plan.yaml
//
// A plan that is given has the last word, as beside registers=N.
// RUN: not %sluice-cc %s -fplugin-arg-sluice-registers=crat -fplugin-arg-sluice-plan=%t.plan.yaml 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: options 'plan' and 'registers' are both given; the plan has its own max-registers
//
// CHECK: .entry busy
// CHECK: .maxnreg [[#]]
// CHECK: .entry bounded
// CHECK-NOT: .maxnreg
// CHECK: .entry off
// CHECK-NOT: .maxnreg
// CHECK: .entry unknown
// CHECK-NOT: .maxnreg
// REMARK-DAG: remark: registers are not limited: its __launch_bounds__ limit them
// REMARK-DAG: remark: registers are not limited: the source switches Sluice off for this kernel
// REMARK-DAG: remark: a thread has at most [[#]] registers: CRAT takes [[#]] blocks on an SM, of [[#]] that are of use, in place of [[#]]

struct alignas(16) float4 {
  float x, y, z, w;
};

// As bodies that attract one another. By itself the assembler keeps to 32
// registers, so that all warps fit; with 40 it orders the loop better.
#define BODY                                                                   \
  __shared__ float4 tile[256];                                                 \
  float4 mine = p[blockIdx.x * 256 + threadIdx.x], sum = {};                   \
  for (int t = 0; t < n; ++t) {                                                \
    tile[threadIdx.x] = p[t * 256 + threadIdx.x];                              \
    __syncthreads();                                                           \
    _Pragma("unroll 8") for (int j = 0; j < 256; ++j) {                        \
      float x = tile[j].x - mine.x, y = tile[j].y - mine.y,                    \
            z = tile[j].z - mine.z;                                            \
      float r = __nvvm_rsqrt_approx_f(x * x + y * y + z * z + 0.01f);          \
      float f = tile[j].w * r * r * r;                                         \
      sum.x += x * f;                                                          \
      sum.y += y * f;                                                          \
      sum.z += z * f;                                                          \
    }                                                                          \
    __syncthreads();                                                           \
  }                                                                            \
  p[blockIdx.x * 256 + threadIdx.x] = sum;

extern "C" __global__ void busy(float4 *p, int n) { BODY }
extern "C" __global__ void __launch_bounds__(256) bounded(float4 *p, int n) { BODY }
extern "C" __global__ __attribute__((annotate("sluice:off"))) void off(float4 *p, int n) { BODY }
extern "C" __global__ void unknown(float4 *p, int n) { BODY }

void launch(float4 *p, int n) {
  busy<<<1056, 256>>>(p, n);
  bounded<<<1056, 256>>>(p, n);
  off<<<1056, 256>>>(p, n);
}
