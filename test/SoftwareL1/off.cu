// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that the source switches off keeps its rows where they are, whatever
// the way, and also if a given plan says otherwise.
//
// RUN: %plain-cc %s -DOFF > %t.plain
// RUN: %staging-cc %s -DOFF | diff %t.plain -
// RUN: %staging-cc %s -DOFF -fplugin-arg-sluice-software-l1=registers | diff %t.plain -
// RUN: %staging-cc %s -DOFF -fplugin-arg-sluice-software-l1=shared | diff %t.plain -
// RUN: %staging-cc %s -DOFF -fplugin-arg-sluice-emit-plan=%t.off.yaml -o /dev/null
// RUN: FileCheck %s --input-file %t.off.yaml
// RUN: %staging-cc %s -fplugin-arg-sluice-emit-plan=%t.on.yaml | FileCheck %s --check-prefix=ON
// RUN: %staging-cc %s -DOFF -fplugin-arg-sluice-plan=%t.on.yaml | diff %t.plain -
//
// CHECK: staged-why: {{.*}}it is switched off in the source
// CHECK-NOT: widened
// ON: ld.global{{.*}}.v4

#ifdef OFF
#define SWITCH _Pragma("sluice off")
#else
#define SWITCH
#endif

// A gather beside the rows: they would be kept in registers.
__global__ void gather(const float *__restrict__ A, const int *__restrict__ c,
                       float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  SWITCH
  for (int j = 0; j < n; ++j)
    s += A[i * 512 + j] * A[c[i * 512 + j]];
  y[i] = s;
}

void run(const float *A, const int *c, float *y) {
  gather<<<1056, 256>>>(A, c, y, 512);
}
