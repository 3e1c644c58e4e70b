// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By default a kernel in which Sluice itself makes more values alive at once, by iterations that are taken together or by
// arrays in registers, may have as many registers as leave all blocks on an SM. No other kernel, and none with
// registers=off, nor where nobody knows the launch: these have more only for their loads (loads.cu).
//
// RUN: %loads-cc %s -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.ptx

// RUN: %loads-cc %s -fplugin-arg-sluice-registers=off | FileCheck %s --check-prefix=OFF
// RUN: %loads-cc %s -fplugin-arg-sluice-loads-in-flight=off | FileCheck %s --check-prefix=ALONE
// OFF-NOT: .maxnreg
// ALONE: .entry grown
// ALONE-NOT: .maxnreg
// ALONE: .entry pragma
//
// CHECK: .entry grown
// CHECK: .maxnreg 48
// CHECK: .entry pragma
// CHECK: .maxnreg 64
// REMARK: remark: a thread has at most 64 registers: {{.*}} more of its loads are on their way together
// CHECK: .entry unknown
// CHECK: .maxnreg 64
// REMARK: remark: a thread has at most 64 registers: {{.*}} more of its loads are on their way together
// REMARK: remark: a thread has at most 48 registers: with [[#]] in place of [[#]] an SM holds as many blocks

#define PARAMETERS                                                             \
  (const float *__restrict__ px, const float *__restrict__ py,                 \
   const float *__restrict__ pz, const float *__restrict__ w,                  \
   float *__restrict__ out, int n, float limit)
#define BODY(PRAGMA)                                                           \
  const int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
  float x = px[i], y = py[i], z = pz[i], fx = 0, fy = 0, fz = 0;               \
  PRAGMA for (int j = 0; j < n; ++j) {                                         \
    float dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z;                      \
    float r2 = dx * dx + dy * dy + dz * dz + 0.01f;                            \
    float r = __nvvm_rsqrt_approx_f(r2);                                       \
    float f = w[j] * (r * r * r - (0.2f + r2 * (0.3f + r2 * (0.1f + r2 * (0.5f + r2 * 0.7f))))); \
    f = r2 < limit ? f : 0;                                                    \
    fx += f * dx;                                                              \
    fy += f * dy;                                                              \
    fz += f * dz;                                                              \
  }                                                                            \
  out[i] += fx + fy + fz;

extern "C" __global__ void grown PARAMETERS { BODY() }
extern "C" __global__ void pragma PARAMETERS { BODY(_Pragma("unroll 4")) }
extern "C" __global__ void unknown PARAMETERS { BODY() }

void launch(const float *p, float *q, int n, int block) {
  grown<<<1056, 256, 40 * 1024>>>(p, p, p, p, q, n, 2);
  pragma<<<1056, 256, 40 * 1024>>>(p, p, p, p, q, n, 2);
  unknown<<<1056, block, 40 * 1024>>>(p, p, p, p, q, n, 2);
}
