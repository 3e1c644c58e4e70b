// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile predicts what other carveouts give: one is taken with the turns
// that are taken, one of a kernel without loops, and with throttle=off, where
// turns are not, none.
//
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-profile=%S/Inputs/predicted.yaml -o %t.ptx 2>&1 | FileCheck %s
// RUN: %sluice-cc --cuda-host-only -emit-llvm %s %remarks -Xclang -fcuda-include-gpubinary -Xclang %t.ptx 2> %t.err | FileCheck %s --check-prefix=HOST
// RUN: FileCheck %s --check-prefix=SET < %t.err
// CHECK: remark: carveout of 'turns' is 50 %: predicted from the profile: the driver's 1.400 ms, 50 % 1.200 ms [-Rpass=sluice-throttle]
// CHECK: remark: loop of 'turns' throttled, N=4
// CHECK: remark: carveout of 'gather' is 93 %: predicted from the profile: the driver's 0.900 ms, 57 % 0.800 ms, 93 % 0.700 ms [-Rpass=sluice-throttle]
// HOST: call void @__sluice_set_carveout({{.*}}, i32 50)
// HOST: call void @__sluice_set_carveout({{.*}}, i32 93)
// SET-DAG: carveout of 'turns(float const*, float const*, float*)' set to 50 per cent
// SET-DAG: carveout of 'gather(int const*, float const*, float*)' set to 93 per cent
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-profile=%S/Inputs/predicted.yaml -fplugin-arg-sluice-throttle=off -o - | not grep sluice_host
// RUN: %sluice-cc %s -fplugin-arg-sluice-profile=%S/Inputs/predicted.yaml -fplugin-arg-sluice-carveout=off -o - | not grep sluice_host
// RUN: %sluice-cc %s -fplugin-arg-sluice-profile=%S/Inputs/predicted.yaml -fplugin-arg-sluice-l1-kib=100 -o - | not grep sluice_host
//
// The program's own setting stands.
// RUN: %sluice-cc --cuda-host-only -emit-llvm %s %remarks -DOWN -Xclang -fcuda-include-gpubinary -Xclang %t.ptx 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: carveout of 'gather({{.*}})' left alone: the program
// OWN-NOT: call void @__sluice_set_carveout({{.*}}, i32 93)

#ifdef OWN
#include "Inputs/attributes.h"
#endif
__global__ void turns(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void gather(const int *at, const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = A[at[i]];
}

void run(const int *at, const float *A, const float *B, float *y) {
#ifdef OWN
  cudaFuncSetCacheConfig((const void *)gather, cudaFuncCachePreferL1);
#endif
  turns<<<8 * 132, 256>>>(A, B, y);
  gather<<<8 * 132, 256>>>(at, A, y);
}
