// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array of bytes is set by two instructions and read by one, with the same
// bytes, and its address may be given away.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %same-fewer %s %t block=64 grid=1 int=40 fill=ints=9
// RUN: %same-fewer %s %t block=64 grid=1 int=40 fill=ints=9 expect=different -fplugin-arg-sluice-test-wrong-rewrite=uneven-place

// REMARK: arrays.cu:[[@LINE+5]]:{{[0-9]+}}: remark: 1 array is aligned so that several elements are set or read at once [-Rpass=sluice-fewer-instructions]

__global__ void counts(const int *keys, int *out, int n) {
  unsigned char count[16];
  for (int i = 0; i < 16; ++i)
    count[i] = 0;
  for (int i = 0; i < n; ++i)
    ++count[keys[i] & 15];
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum = sum * 3 + count[i];
  out[threadIdx.x] = sum;
}
// CHECK-LABEL: .entry _Z6counts
// CHECK: .local .align 16 .b8 {{.*}}[16]
// CHECK-COUNT-2: st.local.b64
// CHECK: ld.local.v4.b32
// CHECK: ret;
// OFF-LABEL: .entry _Z6counts
// OFF: .local .align 1 .b8 {{.*}}[16]
// OFF-COUNT-16: st.local.b8
// OFF: ret;

__device__ __noinline__ int sumOf(const unsigned char *bytes, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum = sum * 5 + bytes[i];
  return sum;
}

// Set from its third byte on, which is at no multiple of 4.
__global__ void given(const int *keys, int *out, int n) {
  unsigned char bytes[32];
  bytes[0] = n, bytes[1] = 7;
  for (int i = 2; i < 18; ++i)
    bytes[i] = 1;
  for (int i = 18; i < 32; ++i)
    bytes[i] = keys[i - 18];
  out[threadIdx.x] = sumOf(bytes + (keys[threadIdx.x] & 7), 20);
}

__attribute__((annotate("sluice:off")))
__global__ void off(const int *keys, int *out, int n) {
  unsigned char bytes[16];
  for (int i = 0; i < 16; ++i)
    bytes[i] = 0;
  out[threadIdx.x] = sumOf(bytes + (keys[threadIdx.x] & 7), 9);
}
// CHECK-LABEL: .entry _Z3off
// CHECK: .local .align 1 .b8 {{.*}}[16]
// CHECK: ret;
