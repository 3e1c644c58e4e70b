// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copied word of 8 bytes is stored with its neighbours, 16 bytes at once.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=PLAIN
// RUN: %same-fewer %s %t block=64 grid=2
// RUN: %same-fewer %s %t block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=swapped-halves

struct alignas(16) Hit {
  double distance;
  float u, v;
  const int *mesh;
  int triangle, ray;
};

// CHECK-LABEL: .entry first(
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK: ret;
// PLAIN-LABEL: .entry first(
// PLAIN-COUNT-2: st.global.b64
// PLAIN: ret;
// REMARK: split-stores.cu:[[@LINE+4]]:{{.*}} remark: 2 stores of 8 bytes go with their neighbours, 16 at once
extern "C" __global__ void first(Hit *hits, const double *at, const int *mesh,
                                 float x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  hits[i] = {at[i], x, x + 1, mesh, i, 7};
}

// The others may come first.
struct alignas(16) Named {
  float weight, height;
  double value;
  float x, y, z;
  int name;
};

// CHECK-LABEL: .entry second(
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK: ret;
// REMARK: split-stores.cu:[[@LINE+3]]:{{.*}} remark: 1 store of 8 bytes goes with its neighbours, 16 at once
extern "C" __global__ void second(Named *named, const double *values, float x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  named[i] = {x, x + 1, values[i], x, x, x, i};
}

// Two of 8 bytes are 16, as they are; and these are not aligned.
struct alignas(16) Pair {
  long long a, b;
};
struct Loose {
  float x, y;
  double z;
};

// CHECK-LABEL: .entry others(
// CHECK: st.global.v2.b64
// CHECK: st.global.b64
// CHECK: ret;
extern "C" __global__ void others(Pair *pairs, Loose *loose, long long a,
                                  float x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  pairs[i] = {a, a + 1};
  loose[i] = {x, x, x};
}
