// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code without a kernel is compiled as without the plugin.
//
// RUN: %plain-cc %s > %t.plain
// RUN: %sluice-cc -Werror %s -fplugin-arg-sluice-fewer-instructions=off %remarks > %t.sluice 2> %t.err
// RUN: diff %t.plain %t.sluice
// RUN: count 0 < %t.err

__device__ float sum(const float *A, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += A[i];
  return s;
}
