// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instances of a template have their loops at one place. Each is promoted or
// kept as the plan says of it, by clang's plugin and by opt.
//
// RUN: rm -f %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.on.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-promote=off -fplugin-arg-sluice-throttle=off -o %t.off.ptx
// RUN: awk '/promote: *true/ && !n++ { sub(/true/, "false") } { print }' %t.yaml > %t.kept.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.kept.yaml -o %t.kept.ptx
// RUN: for p in on off kept; do sed -n '/entry _Z4sumsIf/,/^}/p' %t.$p.ptx > %t.$p.float; sed -n '/entry _Z4sumsId/,/^}/p' %t.$p.ptx > %t.$p.double; done
// RUN: diff %t.kept.float %t.off.float
// RUN: diff %t.kept.double %t.on.double
// RUN: not diff -q %t.on.float %t.off.float
// RUN: not diff -q %t.on.double %t.off.double
//
// RUN: %plain-cc -gline-tables-only -Xclang -disable-llvm-passes -emit-llvm %s -o %t.ll
// RUN: %opt -passes='sluice-plan<plan=%t.kept.yaml>,cgscc(inline),function(sroa,instcombine,simplifycfg,loop-simplify,loop-mssa(loop-rotate,licm),lcssa),sluice-promote' -S %t.ll | FileCheck %s
// CHECK-LABEL: define {{.*}}@_Z4sumsIfE
// CHECK-NOT: lver.orig
// CHECK-LABEL: define {{.*}}@_Z4sumsIdE
// CHECK: lver.orig

template <class T> __global__ void sums(const T *A, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[j * 1024 + i];
}

void run(float *F, double *D, int n) {
  sums<<<4, 256>>>(F, F, n);
  sums<<<4, 256>>>(D, D, n);
}
