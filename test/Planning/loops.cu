// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names a loop in a plan: its kernel, its place, the calls it was inlined
// through, and a number among those that are equal. Turns go to the loop that the
// plan says, and to no other: of a function's loop in two kernels, of instances
// of a template, of two loops of one macro. By opt it is sums that stay in
// registers.
//
// RUN: split-file %s %t
// RUN: %sluice-cc -fplugin-arg-sluice-plan=%t/turns.yaml %t/k.cu 2>%t/warnings | FileCheck %s --check-prefix=TURNS
// RUN: %sluice-cc -g0 -emit-llvm -fplugin-arg-sluice-plan=%t/sums.yaml -Rpass-missed=sluice-promote -Rpass=sluice-promote %t/k.cu -o /dev/null 2>%t/remarks
// RUN: FileCheck %s --check-prefix=SUMS --implicit-check-not=remark: < %t/remarks
// RUN: %plain-cc -gline-tables-only -Xclang -disable-llvm-passes -emit-llvm %t/k.cu -o %t/k.ll
// RUN: %opt -passes='sluice-plan<plan=%t/sums.yaml>,cgscc(inline),function(sroa,instcombine,simplifycfg,loop-simplify,loop-mssa(loop-rotate,licm),lcssa),sluice-promote' -pass-remarks=sluice-promote -pass-remarks-missed=sluice-promote -disable-output %t/k.ll 2>%t/opt-remarks
// RUN: FileCheck %s --check-prefix=SUMS --implicit-check-not=remark: < %t/opt-remarks
// RUN: count 0 < %t/warnings
//
// TURNS-LABEL: .entry _Z5first
// TURNS-NOT: bar.sync
// TURNS-LABEL: .entry _Z6second
// TURNS: bar.sync
// TURNS-LABEL: .entry _Z5macro
// TURNS-NOT: bar.sync
// TURNS: st.global.b32
// TURNS-NOT: bar.sync
// TURNS: st.global.b64
// TURNS: bar.sync
// TURNS-LABEL: .entry _Z4sumsIf
// TURNS: bar.sync
// TURNS-LABEL: .entry _Z4sumsId
// TURNS-NOT: bar.sync
//
// SUMS: {{^.*}}k.cu:2:3: {{.*}}stays there: the given plan says so
// SUMS: {{^.*}}k.cu:2:3: {{.*}}stays in registers
// SUMS: {{^.*}}k.cu:31:3: {{.*}}stays there: the given plan says so
// SUMS: {{^.*}}k.cu:31:3: {{.*}}stays there: the given plan says so
// SUMS: {{^.*}}k.cu:16:3: {{.*}}stays in registers
// SUMS: {{^.*}}k.cu:16:3: {{.*}}stays there: the given plan says so

//--- turns.yaml
sluice-plan: 1
gpu: sm_90
kernels:
  - name: _Z5firstPKfPf
    loops: [ { loop: k.cu:2:3, inlined-at: [ k.cu:7:3 ], throttle: 1 } ]
  - name: _Z6secondPKfPf
    loops: [ { loop: k.cu:2:3, inlined-at: [ k.cu:11:3 ], throttle: 8 } ]
  - name: _Z4sumsIfEvPKT_PS0_
    loops: [ { loop: k.cu:16:3, throttle: 8 } ]
  - name: _Z4sumsIdEvPKT_PS0_
    loops: [ { loop: k.cu:16:3, throttle: 1 } ]
  - name: _Z5macroPKfPKdPfPd
    loops:
      - { loop: k.cu:31:3, throttle: 1 }
      - { loop: k.cu:31:3, ordinal: 1, throttle: 8 }
//--- sums.yaml
sluice-plan: 6
gpu: sm_90
kernels:
  - name: _Z5firstPKfPf
    loops: [ { loop: k.cu:2:3, inlined-at: [ k.cu:7:3 ], throttle: 1, promote: false } ]
  - name: _Z6secondPKfPf
    loops: [ { loop: k.cu:2:3, inlined-at: [ k.cu:11:3 ], throttle: 1, promote: true } ]
  - name: _Z4sumsIfEvPKT_PS0_
    loops: [ { loop: k.cu:16:3, throttle: 1, promote: true } ]
  - name: _Z4sumsIdEvPKT_PS0_
    loops: [ { loop: k.cu:16:3, throttle: 1, promote: false } ]
  - name: _Z5macroPKfPKdPfPd
    loops:
      - { loop: k.cu:31:3, throttle: 1, promote: false }
      - { loop: k.cu:31:3, ordinal: 1, throttle: 1, promote: false }
//--- k.cu
__device__ inline void add(const float *a, float *y, int i) {
  for (int j = 0; j < 512; ++j)
    y[i] += a[i * 512 + j];
}
__global__ void first(const float *a, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  add(a, y, i);
}
__global__ void second(const float *a, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  add(a, y, i);
}
template <class T> __global__ void sums(const T *a, T *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  for (int j = 0; j < 512; ++j)
    y[i] += a[i * 512 + j];
}
void run(float *f, double *d) {
  first<<<1056, 256>>>(f, f);
  second<<<1056, 256>>>(f, f);
  sums<<<1056, 256>>>(f, f);
  sums<<<1056, 256>>>(d, d);
}
#define ROW_SUMS                                                               \
  for (int j = 0; j < 512; ++j)                                                \
    y[i] += a[i * 512 + j];                                                    \
  for (int j = 0; j < 512; ++j)                                                \
    z[i] += b[i * 512 + j];
__global__ void macro(const float *a, const double *b, float *y, double *z) { int i = blockIdx.x * blockDim.x + threadIdx.x;
  ROW_SUMS
}
void run(const float *a, const double *b, float *y, double *z) {
  macro<<<1056, 256>>>(a, b, y, z);
}
