// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More device functions that nvcc declares and clang 22 does not, from
// sluice/functions.h. Emulator/Programs/cuda-functions.cu has those that are run.
//
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -ptx %s -o - | FileCheck %s
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -G -c %s -o %t.o
// RUN: %sluicexx -O2 --cuda-gpu-arch=sm_100 --cuda-device-only -S %s -o - | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: %sluice-nvcc --sluice-strict -arch=sm_75 -ptx %s -o - | FileCheck %s --check-prefix=OLD
//
// Without clang's own headers of CUDA there is nothing.
// RUN: %sluicexx --cuda-gpu-arch=sm_90 -nocudainc -nocudalib --cuda-device-only -fsyntax-only -x cuda %S/Inputs/no-headers.h
// RUN: %sluicexx -fsyntax-only -x c++ %S/Inputs/no-headers.h -x cuda --cuda-gpu-arch=sm_90 %s

struct alignas(16) Pair {
  long First, Second;
};

// CHECK-LABEL: .entry _Z6atomic
// OLD-LABEL: .entry _Z6atomic
// OLD-NOT: b128
__global__ void atomic(Pair *P, __int128 *W, unsigned long long *U) {
#if __CUDA_ARCH__ >= 900
  // CHECK: atom.cas.b128
  P[0] = atomicCAS(P, P[1], P[2]);
  // CHECK: atom.cta.exch.b128
  P[3] = atomicExch_block(P, P[4]);
  // CHECK: atom.sys.cas.b128
  W[0] = atomicCAS_system(W, 3, W[1]);
#endif
  // Those that clang has stay as they are.
  // CHECK: atom.global.exch.b64
  // OLD: atom.global.exch.b64
  atomicExch(U, 5ull);
}

// CHECK-LABEL: .entry _Z7numbers
// OLD-LABEL: .entry _Z7numbers
__global__ void numbers(float *F, float2 *Pairs) {
  // CHECK: pmevent 3
  // OLD: pmevent 3
  __prof_trigger(3);
  // CHECK: tanh.approx.f32
  // OLD: tanh.approx.f32
  F[0] = __tanhf(F[1]);
#if __CUDA_ARCH__ >= 1000
  // PAIRS: fma.rn.f32
  Pairs[0] = __ffma2_rn(Pairs[1], Pairs[2], Pairs[3]);
  // PAIRS: mul.rp.f32
  // PAIRS: add.rz.f32
  Pairs[4] = __fadd2_rz(Pairs[5], __fmul2_ru(Pairs[6], Pairs[7]));
#endif
}
