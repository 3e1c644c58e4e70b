// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By default a kernel has fewer registers where an SM then holds more blocks, nothing spills, and the model says that the
// blocks gain time. Not where shared memory limits the blocks, the grid has no more of them, the source limits registers,
// or nobody knows the launch.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=auto -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=off | FileCheck %s --check-prefix=OFF
// OFF-NOT: .maxnreg
//
// REMARK: remark: a thread has at most 32 registers: with 32 in place of 3{{[3-9]}} an SM holds 8 blocks and not 6, and nothing spills [-Rpass=sluice-register-limit]
//
// CHECK: .entry distances
// CHECK: .maxnreg 32
// CHECK: .entry inShared
// CHECK-NOT: .maxnreg
// CHECK: .entry fewBlocks
// CHECK-NOT: .maxnreg
// CHECK: .entry bounded
// CHECK-NOT: .maxnreg
// CHECK: .entry unknown
// CHECK-NOT: .maxnreg

#define PARAMETERS (const double *a, const double *b, double *out, int n, int m)
#define BODY                                                                   \
  const int row = blockIdx.y * blockDim.y + threadIdx.y,                       \
            column = blockIdx.x * blockDim.x + threadIdx.x;                    \
  double sum = 0;                                                              \
  for (int k = 0; k < n; ++k)                                                  \
    sum += __nvvm_sqrt_rn_d(a[row * n + k] * b[k * m + column]);               \
  const double rest = 1 - sum;                                                 \
  out[row * m + column] = __nvvm_sqrt_rn_d(rest < 0 ? 0 : rest);

extern "C" __global__ void distances PARAMETERS { BODY }
extern "C" __global__ void inShared PARAMETERS { BODY }
extern "C" __global__ void fewBlocks PARAMETERS { BODY }
extern "C" __global__ void __launch_bounds__(256, 1) bounded PARAMETERS { BODY }
extern "C" __global__ void unknown PARAMETERS { BODY }

void launch(const double *a, double *out, int n, int block) {
  const dim3 grid(192, 48), threads(16, 16);
  distances<<<grid, threads>>>(a, a, out, n, n);
  inShared<<<grid, threads, 50 * 1024>>>(a, a, out, n, n);
  fewBlocks<<<132 * 6, 256>>>(a, a, out, n, n);
  bounded<<<grid, threads>>>(a, a, out, n, n);
  unknown<<<grid, block>>>(a, a, out, n, n);
}
