// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By default both: the turns are around the test and both versions of the loop.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: grep -c bar.sync %t.ptx | FileCheck %s --check-prefix=BARRIERS
// BARRIERS: {{^}}1{{$}}
// RUN: %same-results %s %t

// CHECK-DAG: throttled.cu:[[@LINE+26]]:3: remark: loop of 'gesummv' throttled, N=4
// CHECK-DAG: throttled.cu:[[@LINE+25]]:3: remark: what the loop adds up in memory stays in registers
// The test, once; then in each turn the loop as it was, whose stores part the
// loads of its iterations, and the one without stores.
// PTX-LABEL: .entry _Z7gesummv
// PTX: div.u32
// PTX: setp.lt.u64 {{.*}}, [[Y:%rd[0-9]+]], {{.*}};
// PTX: [[STORE:\$L__BB[0-9_]+]]:
// PTX-NEXT: st.global.b32
// PTX-NEXT: st.global.b32
// PTX-NEXT: [[END:\$L__BB[0-9_]+]]:
// PTX-NEXT: bar.sync
// PTX: bra [[TURN:\$L__BB[0-9_]+]];
// PTX: [[TURN]]:
// PTX: nounroll
// PTX: bra [[END]];
// PTX-COUNT-8: st.global.b32
// PTX: bra [[END]];
// PTX-COUNT-12: ld.global.b32
// PTX-NOT: st.global
// PTX: bra.uni [[STORE]];
__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *tmp, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 270336)
    return;
  for (int j = 0; j < 512; ++j) {
    tmp[i] += A[i * 512 + j] * x[j];
    y[i] += B[i * 512 + j] * x[j];
  }
}

void run(const float *A, const float *B, const float *x, float *tmp, float *y) {
  gesummv<<<1056, 256>>>(A, B, x, tmp, y);
}
