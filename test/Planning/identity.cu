// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names a load in a plan, by clang's plugin and by opt: its kernel, its
// place and the calls it was inlined through. Each load has a type of its own or
// a kernel of its own, so that PTX tells them apart.
//
// RUN: split-file %s %t
// RUN: %sluice-cc -g0 -fplugin-arg-sluice-plan=%t/plan.yaml %t/k.cu 2>%t/warnings > %t/clang.ptx
// RUN: FileCheck %s < %t/clang.ptx
// RUN: %sluice-cc -gno-column-info -fplugin-arg-sluice-plan=%t/plan.yaml %t/k.cu 2>>%t/warnings | FileCheck %s
// RUN: %sluice-cc -g -fplugin-arg-sluice-plan=%t/plan.yaml %t/k.cu 2>>%t/warnings | FileCheck %s
// RUN: %plain-cc -gline-tables-only -Xclang -disable-llvm-passes -emit-llvm %t/k.cu -o %t/k.ll
// RUN: %opt -passes='sluice-plan<plan=%t/plan.yaml>,default<O3>,sluice-cache-hints' %t/k.ll 2>>%t/warnings | %llc -mcpu=sm_90 | FileCheck %s
// RUN: count 0 < %t/warnings
//
// An entry that is for none is said.
// RUN: sed s/k.cu:25:26/k.cu:25:27/ %t/plan.yaml > %t/wrong.yaml
// RUN: %sluice-cc -fplugin-arg-sluice-plan=%t/wrong.yaml %t/k.cu -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %opt -passes='sluice-plan<plan=%t/wrong.yaml>,default<O3>,sluice-cache-hints' %t/k.ll -disable-output 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: warning: sluice: the plan's load at k.cu:25:27 matches none in kernel 'void scale<float>(
// WRONG: warning: sluice: the plan's load at k.cu:25:27 matches none in kernel 'void scale<double>(
//
// One function with a loop in two kernels, whose loads are unrolled; and twice in
// one kernel, with its loop unrolled whole at the first call.
// CHECK-LABEL: .entry _Z5first
// CHECK-NOT: ld.global.{{[^L]|L1::evict_first}}
// CHECK-COUNT-5: ld.global.L1::evict_last.b32
// CHECK-NOT: ld.global.{{[^L]|L1::evict_first}}
// CHECK-LABEL: .entry _Z6second
// CHECK-NOT: ld.global.{{[^L]|L1::evict_last}}
// CHECK-COUNT-5: ld.global.L1::evict_first.b32
// CHECK-NOT: ld.global.{{[^L]|L1::evict_last}}
// CHECK-LABEL: .entry _Z5twice
// CHECK-NOT: ld.global
// CHECK-COUNT-2: ld.global.L1::evict_last.b32
// CHECK-NOT: ld.global.{{[^c]}}
// CHECK-COUNT-5: ld.global.cs.b32
// CHECK-NOT: ld.global.{{[^c]}}
//
// All copies of the two loads of one line.
// CHECK-LABEL: .entry _Z8unrolled
// CHECK-NOT: ld.global
// CHECK: ld.global.L1::evict_last.b32
// CHECK: ld.global.L1::evict_first.b64
// CHECK: ld.global.L1::evict_last.b32
// CHECK: ld.global.L1::evict_first.b64
// CHECK: ld.global.L1::evict_last.b32
// CHECK: ld.global.L1::evict_first.b64
// CHECK: ld.global.L1::evict_last.b32
// CHECK: ld.global.L1::evict_first.b64
// CHECK-NOT: ld.global
//
// Instances of a template, and of a function's in one kernel.
// CHECK-LABEL: .entry _Z5scaleIf
// CHECK: ld.global.L1::evict_last.b32
// CHECK-LABEL: .entry _Z5scaleId
// CHECK: ld.global.L1::evict_first.b64
// CHECK-LABEL: .entry _Z9instances
// CHECK-DAG: ld.global.L1::evict_last.b32 %r{{[0-9]+}}, [%[[A:rd[0-9]+]]];
// CHECK-DAG: ld.global.L1::evict_first.b32 %r{{[0-9]+}}, [%[[A]]+128];
//
// A macro's arguments have places; what is in its body has that of its use, where
// an entry is for all of them: the second kernel's `b` has none, and its hint is
// `a`'s.
// CHECK-LABEL: .entry _Z9arguments
// CHECK-DAG: ld.global.L1::evict_last.b32
// CHECK-DAG: ld.global.L1::evict_first.b64
// CHECK-DAG: ld.global.cs.{{[bs]}}16
// CHECK-DAG: ld.global.b64
// CHECK-LABEL: .entry _Z4body
// CHECK-DAG: ld.global.L1::evict_last.b32
// CHECK-DAG: ld.global.L1::evict_last.b64
// CHECK-DAG: ld.global.L1::evict_first.{{[bs]}}16
// CHECK-LABEL: .entry _Z4line
// CHECK-DAG: ld.global.L1::evict_last.b32
// CHECK-DAG: ld.global.L1::evict_first.b64
// CHECK-DAG: ld.global.{{[bs]}}16
// CHECK-LABEL: .entry _Z5loops
// CHECK-NOT: ld.global.{{[^L]}}
// CHECK: ld.global.L1::evict_last.{{.*}}b32
// CHECK-NOT: ld.global.{{[^L]}}
// CHECK: ld.global.L1::evict_last.{{.*}}b64
// CHECK-NOT: ld.global.{{[^L]}}

//--- plan.yaml
sluice-plan: 4
gpu: sm_90
kernels:
  - name: _Z5firstPKfPfii
    loads:
      - { load: k.cu:4:14, hint: L1::evict_last }
  - name: _Z6secondPKfPfii
    loads:
      - { load: k.cu:4:14, hint: L1::evict_first }
  - name: _Z5twicePKfPfii
    loads:
      - { load: k.cu:4:14, inlined-at: [ k.cu:14:16 ], hint: L1::evict_last }
      - { load: k.cu:4:14, inlined-at: [ k.cu:15:29 ], hint: cs }
  - name: _Z8unrolledPKfPKdPfi
    loads:
      - { load: k.cu:21:14, hint: L1::evict_last }
      - { load: k.cu:21:43, hint: L1::evict_first }
  - name: _Z5scaleIfEvPKT_PS0_
    loads:
      - { load: k.cu:25:26, hint: L1::evict_last }
  - name: _Z5scaleIdEvPKT_PS0_
    loads:
      - { load: k.cu:25:26, hint: L1::evict_first }
  - name: _Z9instancesPKfPf
    loads:
      - { load: k.cu:29:64, inlined-at: [ k.cu:31:22 ], hint: L1::evict_last }
      - { load: k.cu:29:64, inlined-at: [ k.cu:31:33 ], hint: L1::evict_first }
  - name: _Z9argumentsPKfPKdPKsPKlPf
    loads:
      - { load: k.cu:35:30, hint: L1::evict_last }
      - { load: k.cu:35:33, hint: L1::evict_first }
      - { load: k.cu:35:46, hint: cs }
  - name: _Z4bodyPKfPKdPKsPf
    loads:
      - { load: k.cu:39:22, hint: L1::evict_last }
      - { load: k.cu:39:27, hint: L1::evict_first }
  - name: _Z4linePKfPKdPKsPf
    loads:
      - { load: k.cu:42:22, hint: L1::evict_last }
      - { load: k.cu:42:39, hint: L1::evict_first }
  - name: _Z5loopsPKfPKdPf
    loads:
      - { load: k.cu:50:3, hint: L1::evict_last }
//--- k.cu
__device__ float sum(const float *p, int pitch, int n) {
  float total = 0;
  for (int j = 0; j < n; ++j)
    total += p[j * pitch];
  return total;
}
__global__ void first(const float *a, float *out, int pitch, int n) {
  out[threadIdx.x] = sum(a + threadIdx.x, pitch, n);
}
__global__ void second(const float *a, float *out, int pitch, int n) {
  out[threadIdx.x] = sum(a + threadIdx.x, pitch, n);
}
__global__ void twice(const float *a, float *out, int pitch, int n) {
  float some = sum(a + threadIdx.x, pitch, 2);
  out[threadIdx.x] = some * sum(a + pitch, pitch, n);
}
__global__ void unrolled(const float *a, const double *b, float *out, int pitch) {
  float total = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j)
    total += a[threadIdx.x + j * pitch] * b[j * pitch];
  out[threadIdx.x] = total;
}
template <class T> __global__ void scale(const T *a, T *out) {
  out[threadIdx.x] = 2 * a[threadIdx.x];
}
template __global__ void scale(const float *a, float *out);
template __global__ void scale(const double *a, double *out);
template <int N, class T> __device__ T at(const T *p) { return p[threadIdx.x + N]; }
__global__ void instances(const float *a, float *out) {
  out[threadIdx.x] = at<0>(a) * at<32>(a);
}
#define PRODUCT(A, B) (A[threadIdx.x] * B[threadIdx.x])
__global__ void arguments(const float *a, const double *b, const short *c, const long *d, float *out) {
  out[threadIdx.x] = PRODUCT(a, b) + PRODUCT(c, d);
}
#define AB (a[threadIdx.x] * b[threadIdx.x])
__global__ void body(const float *a, const double *b, const short *c, float *out) {
  out[threadIdx.x] = AB + c[threadIdx.x];
}
__global__ void line(const float *a, const double *b, const short *c, float *out) {
  out[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x] + c[threadIdx.x];
}
#define LOOPS                                                                  \
  for (int j = 0; j < 512; ++j)                                                \
    total += a[j];                                                             \
  for (int j = 0; j < 512; ++j)                                                \
    total += b[j];
__global__ void loops(const float *a, const double *b, float *out) { float total = 0;
  LOOPS
  out[threadIdx.x] = total;
}
