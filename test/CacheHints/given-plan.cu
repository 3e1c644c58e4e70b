// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints of a given plan reach the PTX without -g, which stays as it was but for
// them. A load inlined twice has a hint each way.
//
// RUN: split-file %s %t
// RUN: %plain-cc %t/k.cu > %t/plain.ptx
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-plan=%t/plan.yaml -Rpass=sluice-cache-hints -Rpass-missed=sluice-cache-hints %t/k.cu 2>%t/remarks > %t/hinted.ptx
// RUN: FileCheck %t/k.cu --check-prefix=PTX < %t/hinted.ptx
// RUN: FileCheck %t/k.cu --check-prefix=REMARK < %t/remarks
// RUN: sed 's/\.L1::[a-z_]*//; s/ld\.global\.cs/ld.global/' %t/hinted.ptx | grep -v 'inline asm' | diff %t/plain.ptx -
//
// RUN: not %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-plan=%t/plan.yaml -fplugin-arg-sluice-hints=off %t/k.cu 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: error: sluice: options 'plan' and 'hints' are both given; the plan has its own hints, so leave 'hints' out
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -O0 -fplugin-arg-sluice-plan=%t/plan.yaml %t/k.cu | FileCheck %s --check-prefix=O0
// O0-NOT: L1::
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -g -fplugin-arg-sluice-plan=%t/plan.yaml %t/k.cu | FileCheck %t/k.cu --check-prefix=PTX
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-plan=%t/nowhere.yaml %t/k.cu 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: warning: sluice: the plan's load at k.cu:1:1 matches none in kernel 'k(
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-plan=%t/plan.yaml -fplugin-arg-sluice-emit-plan=- %t/k.cu | FileCheck %s --check-prefix=EMITTED
// EMITTED: loads:
// EMITTED-NEXT: load: 'k.cu:1:53'

//--- plan.yaml
sluice-plan: 4
gpu: sm_90
kernels:
  - name: _Z1kPKfS0_Pfi
    loads:
      - { load: k.cu:1:53, hint: L1::evict_last }
      - { load: k.cu:1:53, inlined-at: [ k.cu:10:12 ], hint: L1::evict_first }
      - { load: k.cu:14:10, hint: cs }
  - name: _Z3offPKfPf
    loads:
      - { load: k.cu:20:10, hint: cg }
//--- nowhere.yaml
sluice-plan: 4
gpu: sm_90
kernels:
  - name: _Z1kPKfS0_Pfi
    loads:
      - { load: k.cu:1:1, hint: cg }
//--- k.cu
__device__ float at(const float *p, int i) { return p[i]; }
// PTX-LABEL: .entry _Z1kPKfS0_Pfi(
// REMARK: k.cu:1:{{.*}}: remark: the load's cache hint is L1::evict_first
// REMARK: k.cu:1:{{.*}}: remark: the load's cache hint is L1::evict_last
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    sum += at(a, j) * at(b, i + j * n);
// PTX-DAG: ld.global.L1::evict_first.b32
// PTX-DAG: ld.global.L1::evict_last.b32
// PTX: ld.global.cs.b32
  out[i] += sum;
}

// PTX-LABEL: .entry _Z3offPKfPf(
// PTX: ld.global.b32
__global__ __attribute__((annotate("sluice:off"))) void off(const float *a, float *out) {
  *out = a[threadIdx.x];
}
