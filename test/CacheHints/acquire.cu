// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that waits for another one, or the host, reads what that has written:
// `nc`, of a plan or at random, is left out, or the reads behind the wait would
// become the one in front of it.
//
// RUN: split-file %s %t
// RUN: %sluice-cc %t/k.cu -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-plan=%t/plan.yaml -Rpass-missed=sluice-cache-hints 2>%t/remarks > %t/plan.ptx
// RUN: FileCheck %s < %t/remarks
// RUN: FileCheck %s --check-prefix=PTX < %t/plan.ptx
// RUN: %sluice-cc %t/k.cu -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-test-hints=7 | FileCheck %s --check-prefix=PTX
// CHECK: k.cu:8:12: remark: no nc: the memory that is read is not known to be read-only, the kernel has an atomic operation, behind which it may read what others have written
//
// PTX-LABEL: .entry _Z6polled
// PTX-NOT: .nc
// PTX: ret;

//--- plan.yaml
sluice-plan: 4
gpu: sm_90
kernels:
  - name: _Z6polledPiPKfPf
    loads:
      - { load: k.cu:8:12, hint: nc }

//--- k.cu
__global__ void polled(int *__restrict__ flags, const float *data,
                       float *__restrict__ out) {
  float sum = 0;
  for (int i = 0; i < 16; ++i) {
    while (atomicAdd(flags, 0) <= i)
      ;
    __threadfence();
    sum += data[0];
  }
  out[threadIdx.x] = sum;
}
