// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan's turns and hints together: places are those of the source, also in a
// loop that has been rewritten. All copies of an unrolled load get the hint.
//
// RUN: echo '{sluice-plan: 4, gpu: sm_90, kernels: [{name: _Z1kPKfPfi, loops: [{loop: "with-throttling.cu:18:3", throttle: 2}], loads: [{load: "with-throttling.cu:19:12", hint: L1::evict_last}]}]}' > %t.yaml
// RUN: %sluice-cc -fplugin-arg-sluice-plan=%t.yaml -Rpass=sluice %s 2>&1 | FileCheck %s
// CHECK-DAG: remark: loop of 'k' throttled
// CHECK-DAG: remark: the load's cache hint is L1::evict_last
// CHECK: .entry _Z1kPKfPfi(
// CHECK: bar
// CHECK-COUNT-4: ld.global.L1::evict_last.b32
// CHECK: ld.global.b32

__global__ void k(const float *a, float *out, int n) {
  float sum = 0;
#pragma unroll 4
  for (int j = 0; j < 512; ++j)
    sum += a[threadIdx.x * 512 + j];
  out[threadIdx.x] += sum;
}
void run(float *a) { k<<<1056, 256>>>(a, a, 1); }
