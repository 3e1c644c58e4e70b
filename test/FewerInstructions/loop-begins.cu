// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that ends by what it loads begins apart from the loop around it, if
// that has more to do. Of two values that end it each has a branch of its own,
// and the loops that look for one in the array keep their index.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.out | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.out
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %fewer-cc %s -emit-llvm | FileCheck %s --check-prefix=IR
// RUN: for n in 0 1 100; do %same-fewer %s %t int=$n fill=ints=3 block=64 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=100 fill=ints=3 block=64 grid=2 expect=different skip=three,one,light,meets,writes,counted -fplugin-arg-sluice-test-wrong-rewrite=lost-condition

// REMARK: loop-begins.cu:[[@LINE+32]]:{{[0-9]+}}: remark: 1 loop that ends by what it loads begins apart from the loop around it
// REMARK: 1 loop that ends by what it loads begins apart
// REMARK-NOT: apart

using Hash = unsigned;

// CHECK-LABEL: .entry both(
// CHECK: [[AROUND:\$L__BB[0-9_]+]]:
// CHECK: mov.b32 [[HASH:%r[0-9]+]], 7;
// CHECK-NEXT: [[INNER:\$L__BB[0-9_]+]]:
// CHECK-NOT: .entry
// CHECK: ld.global{{.*}}.b8 [[C:%rs[0-9]+]],
// CHECK: @{{%p[0-9]+}} bra [[OUT:\$L__BB[0-9_]+]];
// CHECK: @{{%p[0-9]+}} bra [[OUT]];
// CHECK-NOT: [[OUT]]:
// CHECK: mul.lo.s32 [[HASH]],
// CHECK: bra{{.*}} [[INNER]];
// OFF-LABEL: .entry both(
// OFF-NOT: @{{%p[0-9]+}} bra [[OUT:\$L__BB[0-9_]+]];{{.*}}{{[[:space:]].*}}@{{%p[0-9]+}} bra [[OUT]];
// IR-LABEL: @both(
// IR: phi i32 [ 7, {{.*}} ], [ 7,
// IR-NEXT: call void @llvm.sideeffect()
// IR: call i32 @llvm.nvvm.move.i32(
// IR: call i32 @llvm.nvvm.move.i32(
// IR-LABEL: ret void
extern "C" __global__ void both(const char *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  const int end = i + n;
  while (i < end) {
    Hash hash = 7;
    char c = text[i];
    while (c != 0 && c != 3) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
      c = text[++i];
    }
    atomicAdd(&out[me], int(hash));
    while (c != 3)
      c = text[++i];
    ++i;
  }
}

// Three values end it.
// IR-LABEL: @three(
// IR: call void @llvm.sideeffect()
// IR: call i32 @llvm.nvvm.move.i32(
// IR-LABEL: ret void
extern "C" __global__ void three(const char *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  const int end = i + n;
  while (i < end) {
    Hash hash = 7;
    char c = text[i];
    while (c != 0 && c != 3 && c != 9) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
      c = text[++i];
    }
    atomicAdd(&out[me], int(hash));
    ++i;
  }
}

// One value ends it: LLVM asks for it before the loop, so that has a block of
// its own.
// IR-LABEL: @one(
// IR-NOT: @llvm.sideeffect()
// IR-LABEL: ret void
extern "C" __global__ void one(const char *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  const int end = i + n;
  while (i < end) {
    Hash hash = 7;
    char c = text[i];
    while (c != 3) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
      c = text[++i];
    }
    atomicAdd(&out[me], int(hash));
    ++i;
  }
}

// The loop around has nothing more to do.
// IR-LABEL: @light(
// IR-NOT: @llvm.sideeffect()
// IR-LABEL: ret void
extern "C" __global__ void light(const char *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  const int end = i + n;
  Hash sum = 0;
  while (i < end) {
    Hash hash = 7;
    char c = text[i];
    while (c != 0 && c != 3) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
      c = text[++i];
    }
    sum += hash;
    ++i;
  }
  out[me] = int(sum);
}

// Lanes wait for each other.
// IR-LABEL: @meets(
// IR-NOT: @llvm.sideeffect()
// IR-LABEL: ret void
extern "C" __global__ void meets(const char *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  for (int k = 0; k < n; ++k) {
    Hash hash = 7;
    char c = text[i];
    while (c != 0 && c != 3) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
      c = text[++i];
    }
    atomicAdd(&out[me], int(hash));
    __syncthreads();
    ++i;
  }
}

// The inner loop writes.
// IR-LABEL: @writes(
// IR-NOT: @llvm.sideeffect()
// IR-LABEL: ret void
extern "C" __global__ void writes(const char *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  const int end = i + n;
  while (i < end) {
    Hash hash = 7;
    char c = text[i];
    while (c != 0 && c != 3) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
      out[me] ^= int(hash);
      c = text[++i];
    }
    atomicAdd(&out[me], int(hash));
    ++i;
  }
}

// It ends by a count.
// IR-LABEL: @counted(
// IR-NOT: @llvm.sideeffect()
// IR-LABEL: ret void
extern "C" __global__ void counted(const char *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int i = me * n;
  const int end = i + n;
  while (i < end) {
    Hash hash = 7;
    for (; (i & 15) != 15; ++i)
      hash = (hash ^ static_cast<unsigned char>(text[i])) * 16777619;
    atomicAdd(&out[me], int(hash));
    ++i;
  }
}
