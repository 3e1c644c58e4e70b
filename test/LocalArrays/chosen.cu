// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs that a condition chooses by their addresses, once or twice, for a
// copy or for a load: their values are chosen, and nothing is in local memory.
// A product that is kept in one, and added later, keeps them there.
//
// RUN: %arrays-cc %s -Rpass=sluice-local-arrays -Rpass-missed=sluice-local-arrays 2>%t.remarks >%t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: %plain-cc %s > %t.plain
// RUN: FileCheck %s --check-prefix=PLAIN --input-file %t.plain
// RUN: %arrays-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-local-arrays=off | diff %t.plain -
// RUN: for n in 0 1 2 9; do %same-staged %s %t int=$n block=64 grid=2 || exit 1; done
// RUN: %same-staged %s %t int=9 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-struct
//
// PLAIN: .entry least
// PLAIN: ld.local
// PLAIN: .entry nested
// PLAIN: ld.local
//
// CHECK: .entry least
// CHECK-NOT: .local
// CHECK: .entry nested
// CHECK-NOT: .local
// CHECK: .entry products
// CHECK: ld.local
// CHECK: .entry written
// CHECK: ld.local
// CHECK: .entry kept
// CHECK: ld.local

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

struct Pair {
  double key;
  int at;
};

static __device__ const Pair &less(const Pair &a, const Pair &b) {
  // REMARK-DAG: chosen.cu:[[#@LINE+1]]:12: remark: structs of 48 bytes are kept in registers: their values are chosen here, not their addresses [-Rpass=sluice-local-arrays]
  return a.key < b.key || (a.key == b.key && a.at < b.at) ? a : b;
}

extern "C" __global__ void least(const float *a, float *out, int n) {
  Pair best = {1e30, -1};
  for (int i = 0; i < n; ++i) {
    const Pair next = {a[(ME * 7 + i * 5) % 128], i};
    // REMARK-DAG: chosen.cu:[[#@LINE+1]]:10: remark: structs of 32 bytes are kept in registers: their values are chosen here, not their addresses [-Rpass=sluice-local-arrays]
    best = less(next, best);
  }
  out[ME] = float(best.key) - float(best.at);
}

extern "C" __global__ void nested(const float *a, float *out, int n) {
  const Pair first = {a[ME], 1}, second = {a[(ME + 1) % 128], 2},
             third = {a[(ME + n) % 128], 3};
  const Pair &best = less(less(first, second), third);
  out[ME] = float(best.at) * 0.5f;
}

extern "C" __global__ void products(const float *a, float *out, int n) {
  Pair best = {1e30, -1};
  for (int i = 0; i < n; ++i) {
    const float x = a[(ME * 7 + i * 5) % 128];
    const Pair next = {double(x) * a[ME], i};
    // REMARK-DAG: chosen.cu:[[#@LINE+1]]:10: remark: structs of 32 bytes, chosen here by their addresses, are not kept in registers: whether a product is fused with a sum may depend on where they are kept
    best = less(next, best);
  }
  out[ME] = float(best.key + best.at);
}

// The choice is one of places, and what is there changes after it.
extern "C" __global__ void written(const float *a, float *out, int n) {
  Pair one = {a[ME], 1}, two = {a[(ME + 1) % 128], 2};
  const Pair *chosen = &one;
  for (int i = 0; i < n; ++i) {
    one = {a[(ME + i) % 128], i};
    two = {a[(ME + 2 * i) % 128], i + 2};
    // REMARK-DAG: chosen.cu:[[#@LINE+1]]:{{[0-9]+}}: remark: structs of 32 bytes, chosen here by their addresses, are not kept in registers: what is chosen is written, or may be before it is read
    out[ME] = float(chosen->at) + float(chosen->key);
    chosen = a[(ME + 3 * i) % 128] > 0.5f ? &one : &two;
  }
}

__attribute__((annotate("sluice:off")))
extern "C" __global__ void kept(const float *a, float *out, int n) {
  Pair best = {1e30, -1};
  for (int i = 0; i < n; ++i) {
    const Pair next = {a[(ME * 7 + i * 5) % 128], i};
    // REMARK-DAG: chosen.cu:[[#@LINE+1]]:10: remark: structs of 32 bytes, chosen here by their addresses, are not kept in registers: the source switches Sluice off for them
    best = less(next, best);
  }
  out[ME] = float(best.key) + float(best.at);
}
