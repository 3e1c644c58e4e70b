// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A switch by what lanes have loaded, one of whose cases goes elsewhere:
// comparisons, and no table, in the PTX that a user gets.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %fewer-cc %s -DSWITCHED_OFF -Rpass=sluice-fewer-instructions 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=remark:

// REMARK: trees.cu:[[@LINE+12]]:{{[0-9]+}}: remark: 1 switch is comparisons and no table: most of its cases go on together [-Rpass=sluice-fewer-instructions]
// REMARK-NOT: remark

#ifdef SWITCHED_OFF
__attribute__((annotate("sluice:off")))
#endif
__global__ void
tail(const int *lengths, const int *words, int *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4)
    return;
  int first = words[2 * i], second = words[2 * i + 1], sum = 7, other = 3;
  switch (lengths[i] & 7) {
  case 7:
    sum += second & 0xffffff, other ^= first;
    break;
  case 6:
    sum += second & 0xffff, other ^= first * 3;
    break;
  case 5:
    sum -= second & 0xff, other += first;
    break;
  case 4:
    other -= first * 5;
    break;
  case 3:
    other += first & 0xffffff;
    break;
  case 2:
    other ^= first & 0xffff;
    break;
  case 1:
    other *= first & 0xff;
    break;
  case 0:
    sums[i] = 0;
    return;
  }
  for (int k = 0; k < 4; ++k)
    sum = (sum ^ other) * 7, other = other - sum * 3;
  sums[i] = sum * other;
}
// CHECK-LABEL: .entry _Z4tail
// CHECK-NOT: brx.idx
// CHECK: // -- End function

// OFF-LABEL: .entry _Z4tail
// OFF: brx.idx
// OFF: ret;
