// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fgpu-rdc: a device function in an archive, a static variable that the host
// names after the kernel that reads it.
//
// RUN: %sluicexx --sluice-emulate -fgpu-rdc -c %s -o %t.o
// RUN: %sluicexx --sluice-emulate -fgpu-rdc -DOTHER -c %s -o %t.other.o
// RUN: rm -f %t.a && llvm-ar rc %t.a %t.other.o
// RUN: %sluicexx --sluice-emulate -fgpu-rdc %t.o %t.a -Wl,--gc-sections -o %t.exe
// RUN: %t.exe | FileCheck %s
// RUN: %sluice emulate -fgpu-rdc %s %t.other.o | FileCheck %s
// CHECK: {{^}}42{{$}}
#include <cstdio>

#ifdef OTHER
__device__ int twice(int X) { return 2 * X; }
int touch() { return 0; }
#else
extern __device__ int twice(int X);
int touch(); // the archive's member is the host's to ask for
static __device__ int Term;
static __global__ void kernel(int *Result) { *Result = twice(20) + Term; }

int main() {
  int *Device;
  int Host = 2 + touch();
  cudaMalloc(&Device, sizeof(int));
  cudaMemcpyToSymbol(Term, &Host, sizeof(int));
  kernel<<<1, 1>>>(Device);
  cudaMemcpy(&Host, Device, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(Device);
  std::printf("%d\n", Host);
  return 0;
}
#endif
