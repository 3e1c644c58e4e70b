// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// registers=crat-whole counts with our spills to shared memory: where a kernel waits for much memory, more blocks are worth a
// few of them. By the paper's TPSC alone nothing that spills is taken before what does not.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat-whole -fplugin-arg-sluice-assembly-cache=%t.cache -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat | FileCheck %s --check-prefix=TPSC
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat-whole -fplugin-arg-sluice-shared-spills=off | FileCheck %s --check-prefix=TPSC
// RUN: %sluice registers %s --cuda-gpu-arch=sm_90 --json | FileCheck %s --check-prefix=JSON
//
// REMARK: remark: a thread has at most [[#LIMIT:]] registers: CRAT takes [[#]] blocks on an SM, of [[#]] that are of use, in place of [[#]], which gain more than the spills cost
// REMARK: remark: [[#]] values of a thread wait in [[#]] bytes of shared memory, with [[#]] accesses, and [[#]] bytes are spilled
// CHECK: .entry gather(
// CHECK: .maxnreg
// CHECK: st.volatile.shared.b32
// TPSC: .entry gather(
// TPSC-NOT: .volatile.shared
// The code of which limits are tried is the pass's, and so is the choice.
// JSON: "shared-accesses": {{[1-9]}}
// JSON: "crat": true

enum { KEPT = 30, COUNT = 40 };

// The sums of a loop need nearly all registers; `kept` waits for its end.
extern "C" __global__ void gather(const float *p, float *q, int n) {
  const int t = threadIdx.x + 256 * blockIdx.x;
  float kept[KEPT], sums[COUNT];
  _Pragma("unroll") for (int i = 0; i < KEPT; ++i) kept[i] = p[t + i * 8];
  _Pragma("unroll") for (int i = 0; i < COUNT; ++i) sums[i] = p[t + i * 512 + 64] + kept[i % KEPT];
  for (int k = 0; k < n; ++k)
    _Pragma("unroll") for (int i = 0; i < COUNT; ++i) sums[i] =
        sums[i] * sums[(i * 7 + 3) % COUNT] + sums[(i + 1) % COUNT];
  float all = 0;
  _Pragma("unroll") for (int i = 0; i < COUNT; ++i) all += sums[i] * kept[i % KEPT];
  q[t] = all;
}

void launch(float *p, int n) { gather<<<11264, 256>>>(p, p + 100000000, n); }
