// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where each thread has its default stream, the stub launches by another name.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - name: _Z4fillPf\n    carveout: 50\n' > %t.yaml
// RUN: %host-ir -Xclang -fgpu-default-stream=per-thread %s -fplugin-arg-sluice-plan=%t.yaml | FileCheck %s
// CHECK: call void @__sluice_set_carveout(
// CHECK-NEXT: call {{.*}}@cudaLaunchKernel_ptsz(

extern "C" cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid,
                                             dim3 block, void **arguments,
                                             size_t shared,
                                             cudaStream_t stream);

__global__ void fill(float *p) { *p = 1; }
