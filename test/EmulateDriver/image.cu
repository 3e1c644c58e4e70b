// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The image is an offload binary that says what it was compiled as: here that
// of an object of -fgpu-rdc, which has a section of its own. Of several
// architectures the highest is taken.
//
// RUN: %sluicexx --sluice-emulate -fgpu-rdc -c %s -o %t.o
// RUN: llvm-readelf -SW %t.o | FileCheck %s --check-prefix=SECTIONS
// SECTIONS: sluice_images PROGBITS {{.*}} AR {{ *}}0 {{ *}}0 {{ *}}8
// SECTIONS: llvm_offload_entries
// RUN: llvm-objcopy --dump-section sluice_images=%t.image %t.o
// RUN: llvm-offload-binary %t.image --image=file=%t.bc,triple=nvptx64-nvidia-cuda,arch=sm_90,kind=cuda
// RUN: llvm-dis < %t.bc | FileCheck %s --check-prefix=BITCODE
// BITCODE: define {{.*}}ptx_kernel void @_Z6kernelPf
// BITCODE: emissionKind: LineTablesOnly
//
// RUN: %sluicexx --sluice-emulate -fgpu-rdc --cuda-gpu-arch=sm_80 --offload-arch=sm_89,sm_75 -c %s -o %t.o
// RUN: llvm-objcopy --dump-section sluice_images=%t.image %t.o
// RUN: llvm-offload-binary %t.image --image=file=%t.bc,arch=sm_89
//
// RUN: %sluicexx --sluice-emulate -fgpu-rdc -ffp-contract=off -c %s -o %t.o
// RUN: llvm-objcopy --dump-section sluice_images=%t.image %t.o
// RUN: head -c 250 %t.image | FileCheck %s --check-prefix=OFF
// OFF: fp-contract{{.*}}off
__global__ void kernel(float *A) { *A = 1; }
