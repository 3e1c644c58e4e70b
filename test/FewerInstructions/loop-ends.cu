// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Behind a loop it is asked once more why it ended: all lanes come by there,
// and meet. Where the loop has one reason to end, or is in no other loop, or
// something else is asked behind it, nothing is to be done.
//
// RUN: %fewer-cc %s | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %fewer-cc %s -emit-llvm | FileCheck %s --check-prefix=CALLS
// RUN: for n in 0 1 300; do %same-fewer %s %t int=$n fill=ints=3 block=64 grid=2 || exit 1; done

using Key = unsigned long long;

// Both ways out of the loop lead to one place, or to two.
// CHECK-LABEL: .entry views
// CHECK: setp.eq.b16 [[BLANK:%p[0-9]+]], {{%rs[0-9]+}}, 0;
// CHECK: setp.{{eq|ne}}.b16 {{%p[0-9]+}}, {{%rs[0-9]+}}, 3;
// CHECK: .entry
// OFF-LABEL: .entry views
// The first one is where the loop around begins (loop-begins.cu).
// CALLS-LABEL: @views(
// CALLS-COUNT-2: call void @llvm.sideeffect()
// CALLS-NOT: call void @llvm.sideeffect()
extern "C" __global__ void views(const char *log, Key *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  const int end = i + n;
  while (i < end) {
    Key hash = 7;
    char c = log[i];
    while (c != 0 && c != 3) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211;
      c = log[++i];
    }
    if (c == 0)
      out[me] += hash;
    while (c != 3)
      c = log[++i];
    ++i;
  }
}

// CALLS-LABEL: @reason(
// CALLS-NOT: call void @llvm.sideeffect()
extern "C" __global__ void reason(const char *log, Key *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  const int end = i + n;
  while (i < end) {
    char c = log[i];
    while (c != 3)
      c = log[++i];
    if (c == 3)
      out[me] += i;
    ++i;
  }
}

// CALLS-LABEL: @other(
// CALLS-NOT: call void @llvm.sideeffect()
extern "C" __global__ void other(const char *log, Key *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  const int end = i + n;
  while (i < end) {
    char c = log[i];
    while (c != 0 && c != 3)
      c = log[++i];
    if (i > 100)
      out[me] += i;
    ++i;
  }
}

// CALLS-LABEL: @alone(
// CALLS-NOT: call void @llvm.sideeffect()
extern "C" __global__ void alone(const char *log, Key *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  char c = log[i];
  while (c != 0 && c != 3)
    c = log[++i];
  if (c == 0)
    out[me] = i;
}
