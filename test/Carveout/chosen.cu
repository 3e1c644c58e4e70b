// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without a plan file: a loop with a barrier in it thrashes in the L1 that the
// driver leaves beside 7 KiB of shared memory a block, and fits the one that
// the blocks leave (CATT, Eq. 4). The device compile tells the host compile.
// The plan says so and is carried out alike when it is handed back.
//
// RUN: rm -f %t.yaml
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.ptx 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: FileCheck %s --check-prefix=PLAN < %t.yaml
// RUN: %sluice-cc --cuda-host-only -emit-llvm %s -Xclang -fcuda-include-gpubinary -Xclang %t.ptx > %t.ll
// RUN: FileCheck %s < %t.ll
// RUN: %sluice-cc --cuda-host-only -emit-llvm %s -fplugin-arg-sluice-plan=%t.yaml | FileCheck %s
//
// Nothing but a byte that nothing reads is new in the device's code.
// RUN: %sluice-cc %s -fplugin-arg-sluice-carveout=off -fplugin-arg-sluice-blocks=off -o %t.off.ptx
// RUN: not grep sluice_host %t.off.ptx
// RUN: grep -v sluice_host %t.ptx | diff - %t.off.ptx
//
// Without it fewer blocks stay, and where the host would not hear of either
// nothing does.
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-carveout=off -o /dev/null 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: %sluice-cc %s %remarks -fgpu-rdc -o %t.rdc.ptx 2>&1 | FileCheck %s --check-prefix=RDC
// RUN: not grep sluice_host %t.rdc.ptx
//
// DEVICE-NOT: thread blocks
// DEVICE: chosen.cu:[[@LINE+24]]:17: remark: carveout of 'staged' is [[P:[0-9]+]] %: footprint 196608 B (6 blocks of 256 lines) of the loop at chosen.cu:[[@LINE+28]]:3 is beyond the L1 of 126976 B that the driver leaves; all blocks need 64 KiB of shared memory, which leaves 196608 B [-Rpass=sluice-throttle]
// DEVICE-NOT: thread blocks
//
// PLAN: sluice-plan: 5
// PLAN: name: _Z6stagedPKfPf
// PLAN: static-shared-bytes: 7168
// PLAN: carveout: [[P:[0-9]+]]
// PLAN-NEXT: carveout-why: 'footprint
// PLAN-NOT: blocks-why
// PLAN: name: _Z5plainPKfPf
// PLAN-NOT: carveout
//
// CHECK-LABEL: @_Z21__device_stub__stagedPKfPf(
// CHECK: call void @__sluice_set_carveout({{.*}}, i32 21)
// CHECK-NEXT: call noundef i32 @cudaLaunchKernel
// CHECK-LABEL: @_Z20__device_stub__plainPKfPf(
// CHECK-NOT: __sluice
// CHECK: ret void
//
// BLOCKS-NOT: carveout of
// BLOCKS: thread blocks of 'staged' limited to M=
// RDC-NOT: carveout of
// RDC: thread blocks of 'staged' not limited: with -fgpu-rdc

__global__ void staged(const float *A, float *y) {
  __shared__ float tile[1792];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 512; ++j) {
    tile[threadIdx.x * 7] = A[i * 512 + j];
    __syncthreads();
    sum += tile[(255 - threadIdx.x) * 7];
    __syncthreads();
  }
  y[i] = sum;
}

__global__ void plain(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = A[i];
}

void run(const float *A, float *y) {
  staged<<<6 * 132, 256>>>(A, y);
  plain<<<6 * 132, 256>>>(A, y);
}
