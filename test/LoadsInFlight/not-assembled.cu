// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the assembler has no answer, who wants to know what a kernel takes is
// told why.
//
// RUN: %loads-cc %s -fplugin-arg-sluice-launch=few:8:64 -Rpass-analysis=sluice 2>&1 >%t.ptx | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=maxnreg < %t.ptx
//
// CHECK: not-assembled.cu:[[#@LINE+4]]:{{[0-9]+}}: remark: how many registers kernel 'few{{.*}}' takes is not known: {{.+}} [-Rpass-analysis=sluice
// PTX: nonsense
// PTX: ret;

extern "C" __global__ void few(const float *__restrict__ a, float *__restrict__ out, int n) {
  asm volatile("nonsense;");
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i * 64 + threadIdx.x];
  out[threadIdx.x] = s;
}
