// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// benchmarks/harness/hinted.py gives every load of global memory the hint, but
// .nc only to those through pointers through which the kernel stores nothing.
//
// DEFINE: %{hint} = env PYTHONPATH=%S/../../benchmarks/harness python3 -Bc \
// DEFINE:   "import sys, hinted; \
// DEFINE:    print(hinted.add_hint(sys.stdin.read(), sys.argv[1]))"
//
// RUN: %plain-cc %s > %t.ptx
// RUN: %{hint} no_allocate < %t.ptx | FileCheck %s --check-prefix=ALL
// RUN: %{hint} nc < %t.ptx | FileCheck %s

// ALL-NOT: ld.global.b32
// ALL-COUNT-7: ld.global.L1::no_allocate.b32

// CHECK-LABEL: .entry _Z6gatherPfPKfPKi(
// CHECK: ld.global.nc.b32
// CHECK: ld.global.nc.b32
// CHECK: ld.global.b32
// CHECK: st.global.b32
__global__ void gather(float *Sums, const float *Values, const int *Index) {
  Sums[threadIdx.x] += Values[Index[threadIdx.x]];
}

// The store may be to either.
//
// CHECK-LABEL: .entry _Z6choosePfS_PKfi(
// CHECK-NOT: ld.global.b32
// CHECK: ld.global.nc.b32
// CHECK: ld.global.b32
// CHECK: ld.global.b32
// CHECK: st.global.b32
__global__ void choose(float *First, float *Second, const float *Value, int N) {
  float *To = N > 5 ? First : Second;
  To[threadIdx.x] = Value[threadIdx.x] + First[2 * N] + Second[2 * N];
}

// It is not known where a loaded pointer points to.
//
// CHECK-LABEL: .entry _Z7throughPPfPKf(
// CHECK: ld.global.b32
// CHECK-NOT: ld.global.nc
__global__ void through(float **Rows, const float *Value) {
  *Rows[threadIdx.x] = Value[threadIdx.x];
}
