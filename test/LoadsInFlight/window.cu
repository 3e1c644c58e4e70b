// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM takes no iterations together of a loop whose length takes it much to
// compute, as of a window around each element. So what it would take of a loop
// of that size does not count.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=together
// RUN: %loads-cc %s | FileCheck %s --check-prefix=PTX
// RUN: for n in 0 1 4 6 8 15; do %same-loads %s %t int=128 int=$n block=64 grid=2 || exit 1; done
//
// CHECK: window.cu:[[#@LINE+14]]:3: remark: 4 iterations of the loop are taken together: 2048 threads of an SM, if it is full, have 32 KiB on their way so, and 8 KiB as clang has it; 23 KiB keep memory busy

// Four, and the rest as two and one. The assembler takes four of these together,
// which "nounroll" would forbid.
// PTX: .entry average(
// PTX-NOT: nounroll
// PTX-COUNT-7: ld.global
// PTX-NOT: {{ld.global|nounroll}}
extern "C" __global__ void average(const float *in, float *out, int n, int window) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me >= n)
    return;
  float sum = 0;
  int count = 0;
  for (int i = me - window / 2; i <= me + window / 2; ++i)
    if (i >= 0 && i < n) {
      sum += in[i];
      ++count;
    }
  out[me] = sum / count;
}
