// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile predicts that two blocks are faster than turns: they take their
// place, unless the host would not hear of it or nobody wants it. Source text
// cannot say it.
//
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-profile=%S/Inputs/predicted.yaml -o %t.ptx 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: grep sluice_host %t.ptx && not grep bar.sync %t.ptx
// BLOCKS: remark: thread blocks of 'turns' limited to M=2 of 8: claim of {{[0-9]+}} B with a carveout of {{[0-9]+}} %: predicted from the profile: M=all 9.000 ms, M=2 1.300 ms; with turns 1.400 ms
// BLOCKS: remark: loop of 'turns' not throttled: M=2 in place of N=4, predicted to be as fast without barriers (
//
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-profile=%S/Inputs/predicted.yaml -fplugin-arg-sluice-blocks=off -o %t.off.ptx 2>&1 | FileCheck %s --check-prefix=TURNS
// RUN: not grep sluice_host %t.off.ptx && grep bar.sync %t.off.ptx
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-profile=%S/Inputs/predicted.yaml -fgpu-rdc -o %t.rdc.ptx 2>&1 | FileCheck %s --check-prefix=TURNS
// RUN: %sluice throttle %s -o %t.text.cu --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -std=c++17 -include %inputs/cuda.h --sluice-software-l1=off --sluice-profile=%S/Inputs/predicted.yaml 2>&1 | FileCheck %s --check-prefix=TURNS
// TURNS-NOT: limited
// TURNS: remark: loop of 'turns' throttled, N=4
// TURNS-NOT: limited

__global__ void turns(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * B[i * 512 + j];
}

void run(const float *A, const float *B, float *y) {
  turns<<<8 * 132, 256>>>(A, B, y);
}
