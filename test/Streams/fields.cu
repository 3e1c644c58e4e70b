// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of a struct that are read one by one are one stream. The first that is read
// need not be the first in memory.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream, step 16 B, 12 of 16 B, lanes 16*arg2 B apart, aligned to 4, behind its base to 16
// CHECK-NEXT: 4 B + 0 at {{.*}}:[[#@LINE+17]]:14
// CHECK-NEXT: 4 B + 8 at {{.*}}:[[#@LINE+14]]:14
// CHECK-NEXT: 4 B + 12 at {{.*}}:[[#@LINE+16]]:14
// CHECK-NOT: {{.}}

struct Particle {
  float x, y, z;
  int Kind;
};

__global__ void fields(const Particle *all, float *y, int n) {
  const Particle *p = all + (blockIdx.x * blockDim.x + threadIdx.x) * size_t(n);
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += //
        p[j].z *
        //
        p[j].x +
        p[j].Kind;
  y[threadIdx.x] = s;
}
