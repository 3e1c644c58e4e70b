// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the assembler told of a kernel is asked once, also by other compiles of
// the same code. A folder that cannot be used costs no more than time.
//
// RUN: rm -rf %t && mkdir %t && touch %t/file
// RUN: %throttle-cc %s -fplugin-arg-sluice-assembly-cache=%t/new/folder -Xclang -ftime-trace=%t/1.json -Xclang -ftime-trace-granularity=0 -o %t/1.s
// RUN: FileCheck %s --check-prefix=ASKED --input-file %t/1.json
// RUN: ls %t/new/folder | FileCheck %s --check-prefix=KEPT
// RUN: %throttle-cc %s -fplugin-arg-sluice-assembly-cache=%t/new/folder -Xclang -ftime-trace=%t/2.json -Xclang -ftime-trace-granularity=0 -o %t/2.s
// RUN: FileCheck %s --check-prefix=NOT-ASKED --input-file %t/2.json
// RUN: cmp %t/1.s %t/2.s
//
// RUN: %throttle-cc %s -DTWO -fplugin-arg-sluice-assembly-cache=%t/new/folder -Xclang -ftime-trace=%t/3.json -Xclang -ftime-trace-granularity=0 -o %t/3.s
// RUN: FileCheck %s --check-prefix=ASKED --input-file %t/3.json
//
// RUN: %throttle-cc %s -fplugin-arg-sluice-assembly-cache=off -Xclang -ftime-trace=%t/4.json -Xclang -ftime-trace-granularity=0 -o %t/4.s
// RUN: FileCheck %s --check-prefix=ASKED --input-file %t/4.json
// RUN: cmp %t/1.s %t/4.s
// RUN: %throttle-cc %s -fplugin-arg-sluice-assembly-cache=%t/file/folder -o %t/5.s
// RUN: cmp %t/1.s %t/5.s
//
// ASKED: "SluiceAssembler"
// NOT-ASKED: "SluiceRegisterEstimate"
// NOT-ASKED-NOT: "SluiceAssembler"
// KEPT: llvmcache-{{[0-9a-f]+}}
// KEPT-NOT: tmp

__global__ void rows(const float *A, const float *B, float *out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    out[row] += A[row * 512 + j] + B[row * 512 + j];
#ifdef TWO
  out[row] *= out[row];
#endif
}

void start(const float *A, const float *B, float *out) {
  rows<<<1056, 256>>>(A, B, out);
}
