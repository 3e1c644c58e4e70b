// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lane's number that assembly reads, as CUB does, is below 32: so a lane's
// elements are at constant distances, and the assembler reads four at a time.
// Assembly that does more, or gives something else, stays.
//
// RUN: %fewer-cc %s | FileCheck %s
// RUN: %plain-cc %s | FileCheck %s --check-prefix=OFF
// RUN: %same-fewer %s %t block=64 grid=2
// RUN: %same-fewer %s %t block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-constant

// CHECK: .entry transpose(
// CHECK-NOT: inline asm
// CHECK: ld.shared.b32 %{{.*}}, [[[ALL:%rd[0-9]+]]];
// CHECK: ld.shared.b32 %{{.*}}, [[[ALL]]+52];
// CHECK: ld.shared.b32 %{{.*}}, [[[ALL]]+92];
// CHECK: .entry others(
// OFF: .entry transpose(
// OFF: begin inline asm
// OFF-NEXT: laneid
// OFF: .entry others(
constexpr int Items = 24;

extern "C" __global__ void transpose(const float *in, float *out) {
  __shared__ alignas(16) float all[2 * 32 * Items];
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  const int warp = threadIdx.x >> 5, first = warp * 32 * Items;
  for (int i = 0; i < Items; ++i)
    all[int(first + lane + i * 32)] = in[(threadIdx.x + i * 64) & 255];
  __nvvm_bar_warp_sync(~0u);
  float sum = 0;
  for (int i = 0; i < Items; ++i)
    sum = sum * 0.5f + all[int(lane * Items + first + i)];
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// CHECK: mov.u32 %r{{[0-9]+}}, %lanemask_lt
// CHECK: laneid{{.*}}add
extern "C" __global__ void others(unsigned *out) {
  unsigned below, next;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm("mov.u32 %0, %%laneid; add.u32 %0, %0, 1;" : "=r"(next));
  out[threadIdx.x] = below + next;
}
