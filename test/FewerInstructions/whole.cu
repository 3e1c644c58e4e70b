// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that looks for a few constants is unrolled whole: each is in its
// comparison then. One of few iterations, which LLVM unrolls, one of too many,
// one whose number of iterations is not bounded, one that writes, one with
// floats around it, one around which no loop is, one whose text is shared memory
// of a known size, and one where the source switches Sluice off stay.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 90; do %same-fewer %s %t int=$n fill=ints=3 block=64 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=90 fill=ints=3 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=lost-first

// REMARK: whole.cu:{{[0-9]+}}:{{[0-9]+}}: remark: a loop of at most 10 iterations is unrolled whole: what it compares with are constants then
// REMARK-NOT: unrolled whole

// Ten loads of the text and none of the word.
// CHECK-LABEL: .entry search
// CHECK: Loop Header: Depth=1
// CHECK-NOT: Header: Depth=2
// CHECK: ld.global.b32 [[A:%r[0-9]+]]
// CHECK: setp.{{eq|ne}}.b32 {{.*}}[[A]], 2
// CHECK-COUNT-9: ld.global.b32
// CHECK-NOT: ld.global
// CHECK: ret;
// OFF-LABEL: .entry search
// OFF: Inner Loop Header: Depth=2
// OFF-NEXT: ld.global.b32
// OFF-NEXT: ld.const.b32
constexpr int Letters = 10;
__device__ const int Word[] = {2, 0, 1, 2, 0, 1, 1, 0, 2, 1};

extern "C" __global__ void search(const int *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int hits = 0;
  for (int i = me; i < me + n;) {
    int same = 0;
    while (same < Letters && i < me + n && text[i] == Word[same]) {
      ++i;
      ++same;
    }
    hits += same * same;
    if (same == 0)
      ++i;
  }
  out[me] = hits;
}

extern "C" __global__ void few(const int *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int hits = 0;
  for (int i = me; i < me + n; ++i) {
    int same = 0;
    while (same < 5 && text[i + same] == Word[same])
      ++same;
    hits += same;
  }
  out[me] = hits;
}

__device__ const int Long[] = {2, 0, 1, 2, 0, 2, 0, 1, 2,
                               0, 1, 0, 2, 0, 1, 1, 2};

extern "C" __global__ void many(const int *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int hits = 0;
  for (int i = me; i < me + n; ++i) {
    int same = 0;
    while (same < 17 && text[i + same] == Long[same])
      ++same;
    hits += same;
  }
  out[me] = hits;
}

extern "C" __global__ void unbounded(const int *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int hits = 0;
  for (int i = me; i < me + n; ++i) {
    int same = 0;
    while (same < n && text[i + same] == Word[same])
      ++same;
    hits += same;
  }
  out[me] = hits;
}

extern "C" __global__ void writes(const int *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = me; i < me + n; ++i) {
    int same = 0;
    while (same < Letters && text[i + same] == Word[same]) {
      out[me] = i;
      ++same;
    }
  }
}

extern "C" __global__ void floats(const int *text, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = me; i < me + n; ++i) {
    int same = 0;
    while (same < Letters && text[i + same] == Word[same])
      ++same;
    sum = sum * 0.5f + same;
  }
  out[me] = sum;
}

extern "C" __global__ void once(const int *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int same = 0;
  while (same < Letters && text[me + same] == Word[same])
    ++same;
  out[me] = same;
}

extern "C" __global__ void shared(const int *text, int *out, int n) {
  __shared__ int part[64];
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = text[me];
  __syncthreads();
  int hits = 0;
  for (int i = 0; i < n % 32; ++i) {
    int same = 0;
    while (same < Letters && part[i + same] == Word[same])
      ++same;
    hits += same;
  }
  out[me] = hits;
}

extern "C" __global__ __attribute__((annotate("sluice:off"))) void off(const int *text, int *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int hits = 0;
  for (int i = me; i < me + n;) {
    int same = 0;
    while (same < Letters && i < me + n && text[i] == Word[same]) {
      ++i;
      ++same;
    }
    hits += same * same;
    if (same == 0)
      ++i;
  }
  out[me] = hits;
}
