// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A real compile for two GPUs, whose code stands in clang's fat binary: one host
// program serves both, so what their plans agree on is done, and of the rest it
// is said.
//
// RUN: printf -- '---\nsluice-plan: 2\ngpu: sm_80\nkernels:\n  - {name: same, claimed-shared-bytes: 7168}\n  - {name: other, claimed-shared-bytes: 7168}\n  - {name: one, claimed-shared-bytes: 7168}\n---\nsluice-plan: 2\ngpu: sm_90\nkernels:\n  - {name: same, claimed-shared-bytes: 7168}\n  - {name: other, claimed-shared-bytes: 3072}\n' > %t.yaml
// RUN: %sluicexx -c -O2 --cuda-gpu-arch=sm_80 --cuda-gpu-arch=sm_90 %s --sluice-plan=%t.yaml %remarks -o %t.o > %t.out 2>&1
// RUN: grep -E 'remark.*launches of|left alone' %t.out | FileCheck %s --implicit-check-not=remark:
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOL
//
// CHECK-DAG: remark: launches of 'same' claim 7168 bytes of shared memory for each block
// CHECK-DAG: remark: thread blocks and carveout of 'other' left alone: what is planned for sm_80 and sm_90 differs [-Rpass-missed=sluice-carveout]
// CHECK-DAG: remark: thread blocks and carveout of 'one' left alone: what is planned for sm_80 and sm_90 differs
// SYMBOL: __sluice_claim_shared

extern "C" {
__global__ void same(float *p) { p[threadIdx.x] = 1; }
__global__ void other(float *p) { p[threadIdx.x] = 2; }
__global__ void one(float *p) { p[threadIdx.x] = 3; }
}

void run(float *p) {
  same<<<1, 32>>>(p);
  other<<<1, 32>>>(p);
  one<<<1, 32>>>(p);
}
