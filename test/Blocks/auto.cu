// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without a plan file: a loop with a barrier in it thrashes, its warps cannot
// take turns, so fewer blocks stay on an SM. The plan that is written says so,
// and is carried out alike when it is handed back; throttle=off does nothing.
//
// RUN: rm -f %t.yaml
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.ptx 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: FileCheck %s --check-prefix=PLAN < %t.yaml
// RUN: %sluice-cc --cuda-host-only -emit-llvm %s -Xclang -fcuda-include-gpubinary -Xclang %t.ptx > %t.ll
// RUN: FileCheck %s < %t.ll
// RUN: cp %t.ptx %t.first.ptx && %device && diff %t.first.ptx %t.ptx
// RUN: %host | diff %t.ll -
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off | not grep sluice_host
// RUN: %sluice-cc %s -fplugin-arg-sluice-blocks=off -o %t.off.ptx
// RUN: not grep sluice_host %t.off.ptx && grep bar.sync %t.off.ptx
//
// DEVICE: auto.cu:[[@LINE+22]]:17: remark: thread blocks of 'staged' limited to M=4 of 8: claim of 768 B with a carveout of 1 %: footprint 524288 B (8 blocks of 512 lines) of the loop at auto.cu:[[@LINE+26]]:3 is beyond the L1; with M=4 it is 262144 B and the L1 253952 B [-Rpass=sluice-throttle]
// DEVICE: remark: loop of 'staged' not throttled: N=4 is wanted
// DEVICE-NOT: thread blocks of 'turns'
// DEVICE: remark: loop of 'turns' throttled, N=4
//
// PLAN: name: _Z6stagedPKfS0_Pf
// PLAN: static-shared-bytes: 256
// PLAN: carveout: 1
// PLAN-NEXT: resident-blocks: 4
// PLAN-NEXT: claimed-shared-bytes: 768
// PLAN-NEXT: blocks-why: 'footprint
// PLAN: name: _Z5turnsPKfS0_Pf
// PLAN-NOT: carveout
// PLAN-NOT: resident-blocks
//
// CHECK-LABEL: @_Z21__device_stub__stagedPKfS0_Pf(
// CHECK: call void @__sluice_set_carveout({{.*}}, i32 1)
// CHECK-NEXT: call i64 @__sluice_claim_shared({{.*}}, i64 768)
// CHECK-LABEL: @_Z20__device_stub__turnsPKfS0_Pf(
// CHECK-NOT: __sluice
// CHECK: ret void

__global__ void staged(const float *A, const float *B, float *y) {
  __shared__ bool negative[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 512; ++j) {
    negative[threadIdx.x] = A[i * 512 + j] < 0;
    __syncthreads();
    float b = B[i * 512 + j];
    sum += negative[255 - threadIdx.x] ? -b : b;
    __syncthreads();
  }
  y[i] = sum;
}

__global__ void turns(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * B[i * 512 + j];
}

void run(const float *A, const float *B, float *y) {
  staged<<<8 * 132, 256>>>(A, B, y);
  turns<<<8 * 132, 256>>>(A, B, y);
}
