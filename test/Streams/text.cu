// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of text. In the first kernel the data may end the loop early, in the second
// only they do: then no number of iterations is known, and clang has moved the first
// load out of the loop.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: kernel {{.*}}until
// CHECK-NEXT: loop i0 {{.*}}, most iterations known at entry
// CHECK-NEXT: load stream, step 1 B, 1 of 1 B, lanes 1024 B apart, wide, aligned to 1, behind its base to 128
// CHECK-NEXT: 1 B + 0 at {{[^,]*$}}
// CHECK-LABEL: kernel {{.*}}length
// CHECK-NEXT: loop i0 {{.*}}, iterations unknown
// CHECK-NEXT: load stream, step 1 B, 1 of 1 B, lanes 1024 B apart, wide, aligned to 1{{$}}
// CHECK-NEXT: 1 B + 0 at {{[^,]*$}}

__global__ void until(const char *text, int *spaces) {
  const char *p = text + size_t(blockIdx.x * blockDim.x + threadIdx.x) * 1024;
  int n = 0;
  for (int j = 0; j < 1024; ++j) {
    char c = p[j];
    if (c == 0)
      break;
    n += c == ' ';
  }
  spaces[threadIdx.x] = n;
}

__global__ void length(const char *text, int *lengths) {
  const char *p = text + size_t(threadIdx.x) * 1024;
  int n = 0;
  while (*p++)
    ++n;
  lengths[threadIdx.x] = n;
}
