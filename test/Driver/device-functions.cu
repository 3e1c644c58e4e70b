// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin alone gives a CUDA source the device functions that clang lacks. Not what is preprocessed already, nor a source
// without clang's own headers of CUDA, nor C++.
//
// RUN: %plainxx %sluice-load -DIS=int -x cuda -O2 --cuda-gpu-arch=sm_90 --cuda-device-only -S %s -o - | FileCheck %s
// RUN: %plainxx -DIS=unsigned -x cuda --cuda-gpu-arch=sm_90 -fsyntax-only %s
// RUN: %plainxx -DIS=unsigned -x cuda --cuda-gpu-arch=sm_90 --cuda-device-only -E %s -o %t.cui
// RUN: %plainxx %sluice-load -x cuda-cpp-output --cuda-gpu-arch=sm_90 -fsyntax-only %t.cui
// RUN: %plainxx %sluice-load -DIS=int -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_90 --cuda-device-only -fsyntax-only %s
// RUN: %plainxx %sluice-load -DIS=int -x c++ -fsyntax-only %s
//
// As code finds out that asks when it is compiled: cub's sums of a warp.

#ifdef __CLANG_CUDA_RUNTIME_WRAPPER_H__
#ifdef __CUDA_ARCH__
static_assert(__is_same(decltype(__reduce_add_sync(1u, 1)), IS), "");
// CHECK: redux.sync.add
__global__ void sum(int *values) { *values = __reduce_add_sync(~0u, *values); }
#endif
#elif !defined(__CUDA__) && defined(SLUICE_FUNCTIONS_H)
#error it is there
#endif
