// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compile takes with the plugin, in numbers that are the same on each
// machine: runs of passes, and how often what is expensive is done.
//
// RUN: %plain-cc %s -Xclang -ftime-trace=%t.plain -Xclang -ftime-trace-granularity=0 -o /dev/null
// RUN: %plain-cc %sluice-load %s -fplugin-arg-sluice-merge-blocks=off -Xclang -ftime-trace=%t.sluice -Xclang -ftime-trace-granularity=0 -o /dev/null
// RUN: python3 %S/Inputs/pass-runs.py %t.plain %t.sluice 1.4
//
// No launch is seen here, so each small kernel has another one beside it, for
// which code is generated (docs/passes/merged-blocks.md).
// RUN: %plain-cc %sluice-load %s -Xclang -ftime-trace=%t.merged -Xclang -ftime-trace-granularity=0 -o /dev/null
// RUN: python3 %S/Inputs/pass-runs.py %t.plain %t.merged 1.7
//
// Nothing is assembled for it: code for analysis is made once, and the plan
// parsed once for all passes.
// RUN: grep -o '"name":"SluiceScratchModule"' %t.sluice | count 1
// RUN: grep -o '"name":"ParseSluicePlan"' %t.sluice | count 1
// RUN: not grep -q '"name":"SluiceRegisterEstimate"' %t.sluice
//
// The loop's kernel is optimised without unrolling, and at last it alone: not
// what has been inlined into it, nor what only another kernel calls. clang's own
// -O3 has the function behind it in the file, as all, and the analysis once.
// RUN: grep -o '"name":"LoopVectorizePass","args":{"detail":"_Z6summed' %t.plain | count 1
// RUN: grep -o '"name":"LoopVectorizePass","args":{"detail":"_Z6summed' %t.sluice | count 2
// RUN: grep -o '"name":"LoopVectorizePass","args":{"detail":"_Z5scale' %t.plain | count 1
// RUN: grep -o '"name":"LoopVectorizePass","args":{"detail":"_Z5scale' %t.sluice | count 1
// RUN: grep -o '"name":"LoopVectorizePass","args":{"detail":"_Z6copies' %t.sluice | count 1
//
// With turns the code is made once more, and assembled.
// RUN: %sluice-cc %S/Inputs/gesummv.cu -Xclang -ftime-trace=%t.turns -Xclang -ftime-trace-granularity=0 -o /dev/null
// RUN: grep -o '"name":"SluiceScratchModule"' %t.turns | count 2
// RUN: grep -o '"name":"SluiceRegisterEstimate"' %t.turns | count 1

__device__ float scale(float x, int n) { return n > 3 ? 2 * x : x; }

__global__ void summed(const float *A, float *y, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += scale(A[i], n);
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void copies(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = A[i];
}
